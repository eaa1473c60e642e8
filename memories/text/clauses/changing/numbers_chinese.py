"""Chinese numbers that are named, of which a later statement gives new ones: 流水五百多, then 流水掉到三百五.

They are as people say them, without a unit or with a vague one, which `find_values` does not read.
"""

from __future__ import annotations

import re

from memories.text.clauses.stated_values import StatedChange

# A name reaches from the beginning of its clause to the number.
_NAMED_NUMBER = re.compile(
    "(?:^|(?<=[，。；、：！？ ]))(?P<name>[\u4e00-\u9fff]{2,16}?)"
    "(?:大概|差不多|(?P<verb>[是有收为要])|[掉涨降升跌减加提]?到|变成)?"
    "(?P<number>[0-9一二三四五六七八九十百千万两半]{2,}+)(?:多|左右)?(?P<unit>(?:(?![了吧呢])[\u4e00-\u9fff])?)"
)
# Says whose a number is, or for when it holds.
_NEUTRAL = re.compile("^(?:用户|的|现在|如今|目前|今天|今年|这个?月|每个?[天月年周]|一[天月年周])+")


def list_named_exchanges(old: str, correction: str) -> list[StatedChange]:
    """Chinese numbers of what both texts name: 流水五百多 and 流水掉到三百五 give the former and 流水三百五.

    A name that fits several numbers of a text says of none which it is.
    """
    before, now = (list(_NAMED_NUMBER.finditer(text)) for text in (old, correction))
    exchanges = []
    for match in before:
        new = [other for other in now if _is_same_quantity(match, other)]
        same = [other for other in before if new and _is_same_quantity(other, new[0])]
        if len(new) == len(same) == 1 and new[0]["number"] != match["number"]:
            phrase = old[match.start() : match.start("unit")]
            exchanges.append(StatedChange(phrase, f"{match['name']}{match['verb'] or ''}{new[0]['number']}"))
    return exchanges


def names_other_number(text: str, correction: str) -> bool:
    """Return whether a Chinese text has a number of something else, too: 房贷六千二，车贷两千三 beside
    房贷降到五千八."""
    now = list(_NAMED_NUMBER.finditer(correction))
    return any(
        _read_name(match) not in correction and not any(_is_same_quantity(match, other) for other in now)
        for match in _NAMED_NUMBER.finditer(text)
    )


def _is_same_quantity(match: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether two numbers are of the same thing, 用户每月房贷 and 房贷, and not counted in different units."""
    units = {number["unit"] for number in (match, other)} - {""}
    return bool(_read_name(match)) and _read_name(match) == _read_name(other) and len(units) <= 1


def _read_name(match: re.Match[str]) -> str:
    return _NEUTRAL.sub("", match["name"])
