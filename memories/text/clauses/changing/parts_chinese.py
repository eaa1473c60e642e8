"""Chinese statements that give values of several things, of which a later one changes one:
会议室A能坐6人，会议室B能坐8人.

会议室B现在能坐10人 puts the second value right and leaves the first one alone. The thing must have the same whole name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memories.text.clauses.stated_values import StatedChange, StatedValue, find_values

_LONGEST = 400
_HAN = re.compile("[\u4e00-\u9fff]")
_CUT = re.compile("[，；。,;]")
# Whose a value is or since when, and what says that it is one, names nothing.
_NEUTRAL = re.compile("^(?:用户家?|的|现在|如今|目前)+|现在|如今|目前|已经|[的都也就要]")
_VERB_OF_VALUE = re.compile("(?:[是有在为到成至约改变换调升降涨跌减加提延推挪定]|营业|开放|大概|差不多)+$")
_LEAST_NAME, _LONGEST_NAME = 2, 60
# 又, 还 and 另: one thing more.
_BESIDES = re.compile("又|还[有要养在]|另|也|再|如果|要是|打算|想|不是|没")
_DAY = "[一二三四五六日天]"
_DAYS = re.compile(f"(?:周|星期|礼拜){_DAY}(?:[、和及跟与](?:周|星期|礼拜)?{_DAY})*(?![月点号])")


@dataclass(frozen=True, slots=True)
class _Part:
    """The values of one clause, with the name before the first one."""

    name: str
    values: tuple[StatedValue, ...]


@lru_cache(maxsize=2_048)
def exchange_part_chinese(new: str, old: str) -> str:
    """The old statement with the values of one of its things as the new one gives them; "" where that is not
    certain."""
    # A clause besides may say that it is another thing of this name: 在麦当劳打工，时薪28元.
    if not _may_compare(new, old) or _BESIDES.search(new) or _CUT.search(new.rstrip("。")):
        return ""
    parts, ours = _read_parts(old), _read_parts(new)
    if len(parts) < 2 or len(ours) != 1 or len(ours[0].name) < _LEAST_NAME:
        return ""
    named_parts = [part for part in parts if part.name == ours[0].name]
    if len(named_parts) != 1 or len(named_parts[0].values) != len(ours[0].values):
        return ""
    pairs = list(zip(ours[0].values, named_parts[0].values, strict=True))
    is_certain = all(
        mine.is_rival_of(held)
        and not counts_something_else(old[held.start : held.end], new[mine.start : mine.end], old, new)
        for mine, held in pairs
    )
    if not is_certain:
        return ""
    text = old
    for mine, held in reversed(pairs):
        text = text[: held.start] + new[mine.start : mine.end] + text[held.end :]
    return "" if text == old else text


@lru_cache(maxsize=2_048)
def says_more_values_chinese(new: str, old: str) -> bool:
    """Return whether the old statement gives values of one sort of several things, of which the new one leaves some
    out."""
    if not _may_compare(new, old):
        return False
    ours = find_values(new)
    sorts = {value.sort for value in ours}
    parts = [part for part in _read_parts(old) if any(value.sort in sorts for value in part.values)]
    names = {part.name for part in parts}
    return len(parts) > 1 and len(names) == len(parts) > len(_read_parts(new))


def widen_to_days(wrong: str, right: str, old: str, new: str) -> StatedChange:
    """Days that are listed are one value: of 每周二、四、六 not only 周二 becomes another."""
    listed = [match[0] for match in _DAYS.finditer(old)]
    given = [match[0] for match in _DAYS.finditer(new)]
    if len(listed) == len(given) == 1 and wrong in listed[0] and right in given[0]:
        return StatedChange(listed[0], given[0])
    return StatedChange(wrong, right)


def counts_something_else(wrong: str, right: str, old: str, new: str) -> bool:
    """Return whether the values are of different things, 30只鸡 and 20只鹅, or only a part of an amount: 6斤8两."""
    before, now = old.find(wrong), new.find(right)
    if before < 0 or now < 0:
        return False
    if not (_is_whole(old, before, before + len(wrong)) and _is_whole(new, now, now + len(right))):
        return True
    ours, theirs = (
        _COUNTED.match(text, end) for text, end in ((new, now + len(right)), (old, before + len(wrong)))
    )
    return ours is not None and theirs is not None and not set(ours["thing"]) & set(theirs["thing"])


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (_AMOUNT_BEFORE.search(text[:start]) or _AMOUNT_BEHIND.match(text, end))


_NUMBER = "[0-9零〇一二三四五六七八九十两半]"
_AMOUNT_BEFORE = re.compile(f"{_NUMBER}(?:斤|米|元|块|角)$")
_AMOUNT_BEHIND = re.compile(f"(?:斤|米|元|块|角)?{_NUMBER}")
_COUNTER = "[只个片条头匹张本台辆套间亩棵名位家门双箱]"
_COUNTED = re.compile(f"(?:(?<={_COUNTER})|{_COUNTER})(?P<thing>(?![了吧呢多左])[\u4e00-\u9fff]{{1,4}})")


def _may_compare(new: str, old: str) -> bool:
    is_short = max(len(new), len(old)) <= _LONGEST
    return is_short and bool(_HAN.search(new)) and not any(mark in new + old for mark in "“[（")


def _read_parts(text: str) -> tuple[_Part, ...]:
    values = find_values(text)
    cuts = [0, *(match.end() for match in _CUT.finditer(text)), len(text)]
    parts = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        mine = tuple(value for value in values if start <= value.start < end)
        if mine:
            parts.append(_Part(_read_name(text[start : mine[0].start]), mine))
    return tuple(parts)


def _read_name(before: str) -> str:
    before = _NEUTRAL.sub("", before.strip())[-_LONGEST_NAME:]
    return _NEUTRAL.sub("", _VERB_OF_VALUE.sub("", before))
