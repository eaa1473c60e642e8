"""Values in a statement that may change while the statement stays the same: clock times, dates, codes, numbers.

"The meeting is at 4 on Thursday" and "The meeting has moved to 5" say the same of the same thing but for one value. Two
such statements cannot both hold, unless they speak of two things: so everything else is compared word by word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.stated_values import StatedValue, ValueSort, find_values, remove_values
from memories.text.clauses.wording import CHANGE_WORDS, LIGHT, is_one_stem
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives
from memories.text.zh.script import to_simplified

_WORDS = load_alternatives(Path(__file__).with_name("words.toml"), "changed_values")
# Words that say that something changed. A closed class: verbs of change, adverbs of the present, words of correction.
_CHANGE = re.compile(
    rf"""
    \b(?:{_WORDS["now_en"]})\b
    | \b(?:has|have|had|was|were|is|are|got|been|just)\ (?:\w+\ )?(?:{_WORDS["changed_stems"]})e?d\b
    | \b(?:went|gone|go|goes)\ (?:up|down)\b | \b(?:is|are|am)\ (?:now\ )?(?:down|up)\ to\b
    | \b(?:{_WORDS["changed"]})\b
    | \b(?:{_WORDS["changed_amount"]})\b[^,.;]{{0,30}}\ to\b
    | \b(?:put|puts|bump(?:ed)?|mark(?:ed)?)\b[^,.;]{{0,30}}\ (?:up|down)\ to\b
    | \b(?:go|goes|going|went|gone|is|are|am)\ (?:\w+\ )?(?:up|down)\ to\b
    | {_WORDS["now_zh"]} | (?:{_WORDS["changed_zh"]})(?:为|成|到|至|了)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Not one thing with a new value, but one thing more.
_ANOTHER = re.compile(
    r"\b(?:another|also|too|as well|second|third|extra|additional|other)\b|另|还有|也|又|第[二三四]|再"
)
# What is put off again is the same thing: 又推迟到4月.
_CHANGED_AGAIN_ZH = re.compile(rf"(?:又|再次?)(?=(?:被|往后|往前)?(?:{_WORDS['changed_zh']})[为成到至])")
# Beside a day these say only that it is one, or of which week: 截止日期延到下周三 and 截止延到3月27号.
_OF_DAYS = frozenset("日期 时间 期限 上 下 下下 这 本 号 日".split())
# Characters of a Chinese name that may stand for a longer one.
_LEAST_NAME = 2
_DUE, _DEADLINE = frozenset(extract_keywords("due")), frozenset(extract_keywords("deadline"))
# Where the new value stands in a change, and since when it holds.
_SURROUNDINGS = re.compile(
    rf"""
    \b(?:since|as\ of|starting|effective)\b[^,.;]*
    | \b(?:pushed\ back|brought\ forward|put\ off|put\ back|put\ forward)\b
    | \b(?:got|gets)(?=\ (?:\w+\ )?(?:{_WORDS["changed_stems"]})e?d\b) | \bthe\ +(?:st|nd|rd|th)\b
    | 从[^，。]{{0,8}}?(?:起|开始)
    | (?:{_WORDS["around_zh"]})(?:为|成|到|在|至|了)+ | 现在 | 如今 | 目前 | [在是为]
    """,
    re.IGNORECASE | re.VERBOSE,
)


# Many things are counted in these.
_UNITS = frozenset(
    extract_keywords(
        "hours minutes days weeks months years km kilometres miles metres kg kilos grams mg euros "
        "pounds dollars percent times"
        " degrees cm mm litres people euro pound dollar"
    )
) | frozenset("个 次 天 年 月 元 块 人 岁 点 分 公 斤 米 小 种 位 份 件".split())


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement without its values: the terms that say of what it speaks, and whether it says that it changed."""

    terms: frozenset[str]
    values: tuple[StatedValue, ...]
    says_changed: bool
    is_another: bool


# Why it changed says nothing of what changed.
_REASON = re.compile(
    r"""
    ,?\ (?:
        because | owing\ to | due\ to | so\ that
        | as\ (?:the|their|his|her|its?|he|she|they|there|nobody|everyone|everybody|somebody|someone)\b
    ).*
    """,
    re.IGNORECASE | re.VERBOSE,
)


# "Has four hives left" and "is 78 euros this year" say what holds now.
_HOLDS_NOW = re.compile(
    r"(?:(?<=\w) left|,? (?:for )?this (?:year|season|term)(?: \([^()]{1,40}\))?)(?=[.!]?$)", re.IGNORECASE
)
_HOLDS = re.compile(r"\b(?:is|are|has|have|costs?|charges?|keeps?|owns?)\b")


@lru_cache(maxsize=4_096)
def read_frame(text: str) -> Frame:
    text = to_simplified(text)
    if (end := _HOLDS_NOW.search(text)) and _HOLDS.search(text[: end.start()]):
        text = f"{text[: end.start()]} now{text[end.end() :]}"
    if _CHANGE.search(_REASON.sub("", text)):
        text = _REASON.sub("", text)
    values = find_values(text)
    bare = _SURROUNDINGS.sub(" ", _CHANGED_AGAIN_ZH.sub("", remove_values(text)))
    terms = frozenset(extract_keywords(bare)) - LIGHT - CHANGE_WORDS
    if any(value.sort == ValueSort.DATE for value in values):
        terms = _name_deadline(terms) - _OF_DAYS
    return Frame(terms, values, bool(_CHANGE.search(text)), bool(_ANOTHER.search(bare)))


def _name_deadline(terms: frozenset[str]) -> frozenset[str]:
    """What is due on a day has its deadline then."""
    return terms - _DUE | _DEADLINE if terms & _DUE else terms


def find_missing_terms(some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The terms that the others do not have, not even with another ending or, in Chinese, as the end of a longer name:
    聚会 of 同学聚会."""
    return frozenset(
        term
        for term in some - others
        if not any(is_one_stem(term, other) or _is_shorter_name(term, other) for other in others)
    )


def _is_shorter_name(term: str, other: str) -> bool:
    return len(term) >= _LEAST_NAME and not term.isascii() and other.endswith(term)


def find_changed_values(new: Frame, old: Frame) -> list[tuple[StatedValue, StatedValue]]:
    """Each value of the new statement with the one of the old whose place it takes; what both have stays out."""
    theirs = [value for value in old.values if not any(value.same_as(other) for other in new.values)]
    shared = [value for value in new.values if any(value.same_as(other) for other in old.values)]
    # Of 周六（2026年5月16日） where both say 周六, the date in brackets is no other day.
    explained = {value.end + 1 for value in shared if value.sort == ValueSort.DATE}
    ours = [value for value in new.values if value not in shared and value.start not in explained]
    pairs: list[tuple[StatedValue, StatedValue]] = []
    for value in ours:
        rivals = [other for other in theirs if value.is_rival_of(other)]
        exact = [other for other in rivals if other.unit == value.unit]
        chosen = exact or rivals
        if value.sort == ValueSort.DATE and new.says_changed:
            chosen = chosen[:1]  # "on Tuesday (1 December 2026)" names one day twice
        if len(chosen) == 1:
            pairs.append(_fit_values(value, chosen[0]))
            theirs.remove(chosen[0])
    return pairs


def _fit_values(new: StatedValue, old: StatedValue) -> tuple[StatedValue, StatedValue]:
    """Both as they are exchanged: what moves from Tuesday evenings to Thursdays is on Thursday evenings, and what cost
    两块五 costs 三块."""
    if old.holds_unit and not new.holds_unit and new.unit == old.unit:
        return replace(new, end=new.end + len(new.unit)), old
    if not old.part_of_day or new.part_of_day or not new.is_weekday:
        return new, old
    is_plural = old.part_of_day[0] == " " and new.recurs and " " not in new.key
    return replace(new, end=new.end - is_plural), replace(old, end=old.end - len(old.part_of_day))


def are_of_one_change(pairs: Sequence[tuple[StatedValue, StatedValue]]) -> bool:
    """Return whether the values are of one sort, or a day with its hour: "to Thursdays at 7" of "on Tuesdays at 6"."""
    sorts = {mine.sort for mine, _ in pairs}
    return len(sorts) == 1 or sorts == {ValueSort.DATE, ValueSort.TIME}


def has_new_value(new_text: str, old_text: str) -> bool:
    """Return whether the new statement gives a new value of the very thing that the old one gives a value of.

    Subject and polarity are the caller's to compare.
    """
    new, old = read_frame(new_text), read_frame(old_text)
    if new.is_another or not old.terms or not new.terms:
        return False
    pairs = find_changed_values(new, old)
    if not are_of_one_change(pairs):
        return False
    if not new.says_changed:
        is_dated = any(mine.sort == ValueSort.DATE for mine, _ in pairs)
        is_whole = not find_missing_terms(new.terms, old.terms) and not find_missing_terms(
            old.terms, new.terms
        )
        return is_whole and not is_dated and len(pairs) == 1
    # What says that it changed may leave out what is clear, but names nothing that the other one did not.
    return not find_missing_terms(new.terms, old.terms)


def holds_words(text: str, words: str) -> bool:
    """Return whether the text has the words as whole words, or the value that they name."""
    text, bare = to_simplified(text), to_simplified(words).strip(" .,;!?。，；！？\"'“”‘’")
    if not bare:
        return False
    if re.search(rf"(?<![A-Za-z0-9]){re.escape(bare)}(?![A-Za-z0-9])", text, re.IGNORECASE):
        return True
    named = find_values(bare)
    return bool(named) and all(any(value.same_as(other) for other in find_values(text)) for value in named)


def counts_the_same(new_text: str, old_text: str) -> bool:
    """Return whether a changed number counts the same things in both: "down to three translators"."""
    pairs = find_changed_values(read_frame(new_text), read_frame(old_text))
    return any(mine.unit and mine.unit == theirs.unit and mine.unit not in _UNITS for mine, theirs in pairs)


def compute_shared_part(new_text: str, old_text: str, corrected: Sequence[str] = ()) -> float:
    """The share of the shorter statement's terms that the other has too; the corrected words are left out."""
    dropped = frozenset(term for words in corrected for term in extract_keywords(words))
    ours = read_frame(new_text).terms - dropped
    theirs = read_frame(old_text).terms - dropped
    least = min(len(ours), len(theirs))
    if not least:
        return 0.0
    return (
        (len(ours) - len(find_missing_terms(ours, theirs))) / least
        if len(ours) <= len(theirs)
        else (len(theirs) - len(find_missing_terms(theirs, ours))) / least
    )
