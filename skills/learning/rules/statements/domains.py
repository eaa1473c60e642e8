"""Fields of work that learned methods are sorted by: broad, so that many lessons fit the skill of one field."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from memories.text.words.tokenize import extract_keywords

# Words that every task has.
_EMPTY = frozenset(
    extract_keywords(
        "user users agent task problem issue error request ask do make get use find check create add "
        "update change set new first next then step way work"
        " result help need want fix solve correct wrong right time day one two always never before "
        "after again when if whenever should must can"
    )
)
_PLAIN = re.compile(r"[a-z][a-z-]{2,}")


@dataclass(frozen=True, slots=True)
class Domain:
    """`name` for paths and front matter; `title` and `chinese` for people."""

    name: str
    chinese: str
    words: str

    @property
    def all_words(self) -> str:
        return f"{self.name.replace('-', ' ')} {self.chinese} {self.words}"

    @property
    def title(self) -> str:
        return self.name.replace("-", " ").capitalize()

    def titled(self, language: str) -> str:
        return self.chinese if language == "zh" and self.chinese else self.title


class DomainTerms(NamedTuple):
    """A field of work, and the search terms that belong to it."""

    domain: Domain
    terms: frozenset[str]


@lru_cache(maxsize=1)
def list_domains() -> tuple[DomainTerms, ...]:
    """The fields of `domains.toml`."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["domains"]
    domains = [Domain(**row) for row in rows]
    return tuple(
        DomainTerms(domain, frozenset(extract_keywords(domain.all_words)) - _EMPTY) for domain in domains
    )


def find_domain(*texts: str) -> Domain | None:
    """The field that most of the words belong to; the first text counts twice. None where no word tells."""
    counts: dict[str, int] = {}
    for at, text in enumerate(texts):
        for term in set(extract_keywords(text)) - _EMPTY:
            counts[term] = counts.get(term, 0) + (2 if at == 0 else 1)
    scored = [
        (sum(counts.get(term, 0) for term in terms), -at, domain)
        for at, (domain, terms) in enumerate(list_domains())
    ]
    best = max(scored, key=lambda score: score[:2])
    return best[2] if best[0] >= 2 else None


def build_own_domain(*texts: str) -> Domain:
    """Where no known field fits: named after the word that most of the texts share, never after a number or a name."""
    seen: dict[str, int] = {}
    for text in texts:
        for word in set(_PLAIN.findall(_remove_names(text))):
            if set(extract_keywords(word)) - _EMPTY:
                seen[word] = seen.get(word, 0) + 1
    shared = [word for word, count in seen.items() if count > 1 and len(word) > 3]
    distinctive = sorted(shared, key=lambda word: (-seen[word], -len(word), word))
    return (
        Domain(f"{distinctive[0]}-tasks", "", distinctive[0])
        if distinctive
        else Domain("general-methods", "通用方法", "")
    )


def _remove_names(text: str) -> str:
    """Remove capitalised words inside a sentence, and words with a digit."""
    words = text.split()
    return " ".join(
        word.lower()
        for at, word in enumerate(words)
        if not re.search(r"\d", word) and (at == 0 or not word[:1].isupper())
    )
