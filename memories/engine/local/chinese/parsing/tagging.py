"""Words of a Chinese clause with their parts of speech, as rjieba's dictionary has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """`tag` is a part of speech in the notation of the Peking University corpus: n noun, nr person, v verb, …"""

    text: str
    tag: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@lru_cache(maxsize=4_096)
def tag_words(text: str) -> tuple[TaggedWord, ...]:
    """Words from the beginning of the clause; a clause of more than 300 characters is read that far only."""
    import rjieba  # 30 MiB, which purely English installations need not pay

    words: list[TaggedWord] = []
    start = 0
    for word, tag in rjieba.tag(text[:_LONGEST]):
        words.append(TaggedWord(word, tag, start))
        start += len(word)
    return tuple(words)


def has_predicate(text: str) -> bool:
    """Return whether the words hold a verb or an adjective."""
    return any(word.tag[:1] in ("v", "a") or word.tag in ("zg", "ug") for word in tag_words(text))


def has_object(text: str) -> bool:
    """Return whether something is named behind the first verb."""
    is_behind = False
    for word in tag_words(text):
        if is_behind and (word.tag[:1] in ("n", "m", "i", "l", "j") or word.tag in ("eng", "vn", "s")):
            return True
        is_behind = is_behind or word.tag[:1] == "v"
    return False


def has_own_subject(words: str) -> bool:
    """Return whether the first clause begins with whom or what it speaks of: 笔试过了, 郑州有家公司要他."""
    first, *behind = tag_words(words.partition("，")[0]) or (TaggedWord("", "", 0),)
    is_noun = first.tag in ("n", "nr", "ns", "nt", "nz", "vn")
    return is_noun and any(word.tag[:1] == "v" for word in behind)
