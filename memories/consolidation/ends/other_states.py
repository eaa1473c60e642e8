"""Which memories a later statement ends: "started at the Royal" ends "is a nurse at St Anne's".

By its own words, or because it begins another state. States in longer statements have no slot of their own. "The user
is a nurse at St Anne's, mostly on nights" is not filed under the employer, because a new employer would take the nights
along. Where a later statement says that the user has begun somewhere else, it is over all the same.
"""

from __future__ import annotations

import re

from memories.consolidation.ends.chinese.ended_by_words import is_outdated_in_chinese
from memories.consolidation.ends.ended_by_words import is_outdated, rewrite_in_third_person
from memories.text.clauses.changing.frames import are_of_other_cases
from memories.text.clauses.changing.habits import replaces_habit
from memories.text.clauses.changing.parts import says_more_values
from memories.text.slots import find_states
from memories.text.zh.script import to_simplified

# States of which there is one at a time, whatever else is said beside them.
_SINGLE = frozenset(
    "residence housing employer job school partner vehicle device:phone device:computer diet".split()
)
_BEGINS = re.compile(
    r"""
    \b(?:
        now | these\ days | from\ now\ on | since | moved | moves | bought | keys | settled | back\ in
        | got | accepted | joined | started | starts | promoted | landed | transferred | switched | became
        | has\ become
    )\b
    | 搬 | 租 | 买 | 现在 | 如今 | 目前 | 起 | 开始 | 入职 | 转 | 调 | 换 | 升 | 成了 | 当上
    """,
    re.VERBOSE,
)
_BESIDES = re.compile(
    r"\b(?:also|too|as well|second|another|on the side|besides|part-time)\b|(?<!再)也|还|兼|另|要是|如果|打算|准备|想"
)


_WEEKDAY = re.compile(
    r"\bon (Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days\b|(?<![上下这])(?:周|星期|礼拜)[一二三四五六日天]"
)
# Characters. What is longer than any statement says more than one thing, as a turn does that is kept whole, and takes
# long to compare.
_LONGEST = 500
# With a quotation that says more than this, something true would end too.
_MOST_QUOTED = 2


def ends_memory(new: str, old: str, language: str, *, is_later: bool = True) -> bool:
    """Return whether the new statement says that what the old one tells is over, or holds otherwise now.

    `is_later`: what it tells began after the old one held. "Moved to Rome in 2010" ends no home of today.
    """
    if max(len(new), len(old)) > _LONGEST:
        return False
    if language == "zh":
        new, old = to_simplified(new), to_simplified(old)
        return is_outdated_in_chinese(new, old) or (is_later and holds_other_state(new, old, language))
    statement, held = rewrite_in_third_person(new), _unwrap_quotation(old)
    if is_outdated(statement, held):
        return True
    if not is_later:
        return False
    return holds_other_state(new, old, language) or (
        replaces_habit(statement, held)
        and not says_more_values(statement, held)
        and not are_of_other_cases(statement, held)
    )


def _unwrap_quotation(text: str) -> str:
    """The first clause of a short quotation in the third person; any other text as it is."""
    statement = rewrite_in_third_person(text)
    clauses = statement.split(", ")
    return clauses[0] if statement != text and len(clauses) <= _MOST_QUOTED else text


def holds_other_state(new: str, old: str, language: str) -> bool:
    """Return whether the new statement begins a state of somebody that the old one has with another value."""
    if not _BEGINS.search(new) or _BESIDES.search(new) or _are_on_other_days(new, old):
        return False
    theirs = _read_states(old, language)
    return any(
        slot in theirs and _differ(value, theirs[slot]) for slot, value in _read_states(new, language).items()
    )


def _are_on_other_days(new: str, old: str) -> bool:
    """Return whether each is limited to weekdays of its own: the library on Mondays, the archive on Fridays."""
    days = [set(_WEEKDAY.findall(text)) for text in (new, old)]
    return bool(days[0] and days[1]) and not days[0] & days[1]


def _read_states(text: str, language: str) -> dict[str, str]:
    states = find_states(text, language)
    return {
        state.slot: state.value.casefold()
        for state in states
        if not state.is_end
        and state.value
        and state.slot.rpartition(":")[2] in _SINGLE | {"phone", "computer"}
    }


def _differ(value: str, other: str) -> bool:
    return value not in other and other not in value
