"""The lists of `words.toml`, read once and compiled."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from memories.text.words.tokenize import extract_keywords

_LISTS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_GAP = re.compile(r"(?<!\\)\s+")


def _split_words(listed: str | list[str]) -> list[str]:
    parts = _GAP.split(listed.strip()) if isinstance(listed, str) else listed
    return [part.replace("\\ ", " ") for part in parts]


def _build_english_pattern(words: str | list[str], phrases: list[str] | tuple[str, ...] = ()) -> str:
    """A pattern for whole words, and for words that begin so where they end in *."""
    listed = [rf"{word[:-1]}\w*" if word.endswith("*") else word for word in _split_words(words)]
    beginning = [phrase if phrase[0] in "[(" else rf"\b{phrase}" for phrase in phrases]
    return "|".join([rf"\b(?:{'|'.join(listed)})\b", *(rf"{phrase}\b" for phrase in beginning)])


def _join_patterns(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _load_alternatives(name: str, language: str) -> str:
    return "|".join(_split_words(_LISTS[name][language]))


ADDED = frozenset(extract_keywords(_LISTS["added"]["en"]))
ADDED_ZH = frozenset(_split_words(_LISTS["added"]["zh"]))
ALWAYS_CAPITAL = frozenset(_split_words(_LISTS["capitals"]["en"]))
NUMBERS = {word: float(number) for number, words in _LISTS["numbers"].items() for word in words.split()}

_negators, _refusing = _LISTS["negators"], _LISTS["refusing"]
_NEGATOR = rf"{_build_english_pattern(_negators['en'])}|n['’]t\b"
_REFUSING = _build_english_pattern(_refusing["en"], _refusing["phrases_en"])
NEGATES_NOTHING = _join_patterns(
    _build_english_pattern(_negators["but_not_en"]),
    "|".join(_split_words(_negators["but_not_zh"])),
    r"^no,? (?=i\b)",
)
NEGATION = _join_patterns(_NEGATOR, _REFUSING, *_negators["zh"], *_refusing["zh"])
# "I don't hate it": the two are none.
DOUBLE_NEGATION = _join_patterns(
    rf"(?:{_NEGATOR})\s+(?:\w+\s+)?(?:{_REFUSING}|mind\b)", f"[不没](?:再)?(?:{'|'.join(_refusing['zh'])})"
)
MOODS = {
    mood: _join_patterns(_build_english_pattern(row["en"], row["phrases_en"]), *_split_words(row["zh"]))
    for mood, row in _LISTS["moods"].items()
}
OWN_REPORT = _join_patterns(
    *(rf"\b{pattern}\b" for pattern in _LISTS["own_report"]["en"]), *_LISTS["own_report"]["zh"]
)
PEOPLE_ZH = "|".join(_split_words(_LISTS["own"]["people_zh"]))
OWN_EN, OWN_ZH = _load_alternatives("own", "en"), _load_alternatives("own", "zh")
