"""Which language a text is in."""

from __future__ import annotations

import re

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
# Only the beginning decides the language of a long text.
_LANGUAGE_SAMPLE = 2_000
_ENGLISH_FUNCTION_WORDS = frozenset(
    """
        i the in my is and a to of am was for with at it you we on have has are do this that he she
        they me but not
    """.split()
)


def detect_language(text: str) -> str:
    """The language that a reader would say the text is in: "zh" or "en"."""
    sample = text[:_LANGUAGE_SAMPLE]
    if sample.isascii():
        return "en"
    characters = len(_HAN.findall(sample))
    if not characters:
        return "en"
    latin = [word.lower() for word in _LATIN_WORD.findall(sample)]
    is_mixed_in = characters < 2 * len(latin) and not _ENGLISH_FUNCTION_WORDS.isdisjoint(latin)
    return "en" if is_mixed_in else "zh"
