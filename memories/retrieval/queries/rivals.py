"""Whether a question names one of several things of a kind that nobody spoke of, and memories speak of another.

"What breed is my dog?" is near to all that was said of a rabbit, and "When did I go to Portugal?" to a holiday in
Spain. Who never mentioned a dog or Portugal has not said that.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memories.retrieval.values_held.held import find_asked_kinds
from memories.retrieval.values_held.kinds import HeldKind
from memories.text.words.tokenize import search_terms


@dataclass(frozen=True, slots=True)
class Rivals:
    """`asked`: a pattern of the words for what a question names, as they stand in search terms; `others`: of those for
    what else there is of its kind.

    `needs`: bits of `HeldKind` of which a memory must have one that names none of them. `is_own`: the question takes
    for granted that the user has it, so that nothing answers where nobody mentioned it.
    """

    asked: re.Pattern[str]
    others: re.Pattern[str]
    needs: int = 0
    is_own: bool = False

    def is_answered_by(self, terms: str, held: int) -> bool:
        """Return whether a memory may be about what is asked for, where none names it."""
        is_bare = bool(self.needs) and not held & self.needs
        return not self.is_own and not is_bare and self.others.search(terms) is None


def find_rivals(text: str, language: str) -> Rivals | None:
    """What the question names of a kind, and the rest of that kind; None where it names none or more than one."""
    for kind, lines in _load_kinds().items():
        if not _ASKING[kind](text, language):
            continue
        named = [line for line in lines if _find_named(text, line, has_capital=kind == "countries")]
        if len(named) != 1:
            continue
        is_own = kind == "animals" and _find_own(text, named[0])
        needs = HeldKind.PLACE | HeldKind.NAME if kind == "countries" else 0
        others = tuple(word for line in lines if line is not named[0] for word in line)
        return Rivals(_compile_terms(named[0]), _compile_terms(others), needs, is_own)
    return None


# Visas and currencies of one country matter to a journey to another; when that was, only what was said of it counts.
_WHEN = re.compile(
    r"\b(?:when|what (?:year|month)) (?:did|do|was|were|am|are|have|will)\b[^?]*\b(?:I|we|my|our)\b"
    "|(?:什么时候|哪[年天]|几月|几号)(?:去|到|飞|出发)",
    re.IGNORECASE,
)


def _asks_for_money(text: str, language: str) -> bool:
    asked = find_asked_kinds(text, language)
    return asked is not None and bool(asked.kinds & HeldKind.MONEY)


_ASKING = {
    "animals": lambda text, language: True,
    "countries": lambda text, language: _WHEN.search(text) is not None,
    "payments": _asks_for_money,
}


def _find_named(text: str, line: tuple[str, ...], *, has_capital: bool) -> bool:
    """Return whether the question has one of these words. Behind a capital only, "turkey" is a country."""
    english = "|".join(re.escape(word.title() if has_capital else word) for word in line if word.isascii())
    flags = re.NOFLAG if has_capital else re.IGNORECASE
    is_in_english = re.search(rf"(?<![\w'’-])(?:{english})s?\b(?!-)", text, flags) is not None
    return is_in_english or any(word in text for word in line if not word.isascii())


def _find_own(text: str, line: tuple[str, ...]) -> bool:
    words = "|".join(re.escape(word) for word in line)
    own = rf"\b(?:my|our) (?:[\w-]+ )?(?:{words})s?\b(?![-'’]?\w)|我(?:们|家)*的?(?:那[只条])?(?:{words})"
    return re.search(own, text, re.IGNORECASE) is not None


@cache
def _load_kinds() -> dict[str, tuple[tuple[str, ...], ...]]:
    lists = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        kind: tuple(tuple(" ".join(word.split()) for word in line.split(",")) for line in lines)
        for kind, lines in lists.items()
    }


@cache
def _compile_terms(words: tuple[str, ...]) -> re.Pattern[str]:
    english = sorted({" ".join(search_terms(word)) for word in words if word.isascii()} - {""})
    chinese = sorted(word for word in words if not word.isascii())
    return re.compile("|".join((rf"\b(?:{'|'.join(map(re.escape, english))})\b", *chinese)))
