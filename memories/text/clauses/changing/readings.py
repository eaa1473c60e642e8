"""New readings, counts and places in Chinese that several clauses give together.

今天称了，76.5公斤 is what 现在82公斤 is now, 到71了 is how far a goal is reached, 桌数减到十五桌 counts what 二十桌
counts, and 婚礼改成草坪的了，在松江 moves the wedding. Each gives the older statement its new value, so that the rest
of it stays.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text.clauses.stated_values import StatedChange, find_values
from memories.text.zh.third_person import KIN

_HAN = "[\u4e00-\u9fff]"
_NUMBER = "(?:[0-9]+(?:\\.[0-9]+)?|[零一二两三四五六七八九十百千万]+)"
_UNSURE = re.compile("打算|准备|想(?!起)|要是|如果|希望|可能|也许|争取|目标|计划|听说|[吗吧？?]")
_DATES = re.compile("（[^（）]*）")
_OF_ANOTHER = re.compile(f"用户的(?:{KIN})")
# Who is weighed stands before it; what is weighed is somebody only if nothing else is named.
_WEIGHED = re.compile(
    f"(?:^|，)(?:最近|现在)?(?:用户)?(?:(?:今天|今早|早上|昨天|刚才?|这周|上周|最近|又|去|都|已经|现在"
    f"|终于)*(?:称了?一?下?了?|上秤|量了?体重)|(?:的)?体重(?:现在|已经)*(?:到|降到|减到|涨到|是|只有)?"
    f"|(?:现在|已经|最近)?[瘦胖减掉涨]到)了?，?(?:现在|已经|只有|是)?(?P<value>{_NUMBER}(?:公斤|斤"
    f"|kg))(?=了?(?:$|，))"
)
_WEIGHT = re.compile(
    f"(?:体重|现在|目前|已经|称了?|(?:瘦|胖|减|涨)到)了?(?:是|有|才|到)?(?P<value>{_NUMBER}(?:公斤|斤|kg))"
)
_OF_WEIGHT = re.compile("减肥|减脂|增肌|体重|[瘦胖]|称")
# 到71了, and where the goal stands with what there is now.
_REACHED = re.compile(
    f"^(?:用户)?(?:今天|现在|已经|终于|都|又|快)*到(?:了)?(?P<value>{_NUMBER}(?P<unit>"
    f"[\u4e00-\u9fffA-Za-z]{{0,2}}?))了$"
)
_GOAL = re.compile(
    f"(?:现在|目前)(?:是|有|才|[{chr(0x4E00)}-{chr(0x9FFF)}]{{1,2}}了)?(?P<value>(?P<now>{_NUMBER})"
    f"(?P<unit>[\u4e00-\u9fffA-Za-z]{{0,2}}))，目标(?:是|到|为)?(?P<goal>{_NUMBER})"
)
_COUNTED = re.compile(
    f"(?P<unit>{_HAN})数(?:减|加|增|降|涨|改|变|砍|缩|扩)(?:少|加|大|减)?(?:到|成|为"
    f"|至)了?(?P<value>{_NUMBER}个?(?P=unit))"
)
_TOPIC = re.compile(
    f"^(?:用户(?:等人|家)?的?)?(?P<topic>{_HAN}{{2,6}}?)(?:的?(?:地点|地方|场地))?(?:定|改|换|挪)(?:到"
    f"|在|成|为|了)?(?P<behind>[^，]*)$"
)
_PLACE = re.compile("^(?:现在|改|地点|地方|就)*在(?P<place>[^，在]{2,12}?)了?$")
_TO_PLACE = re.compile("(?:改|换|挪)(?:到|在)了?(?P<place>[^，]{2,10}?)(?:举行|举办|办|开|聚|见面|集合)?了?$")
_NO_PLACE = re.compile(
    "[上下这]?(?:周|星期|礼拜)[一二三四五六日天末]|[月号日点年]|[上中下]午|早上|晚上|明天|后天|线上"
)
_PLACE_HELD = re.compile(
    r"""
    (?:^|，|[定选放约]|安排)在(?P<place>[^，]{2,14})(?=，|$)
    | 在(?P<place2>[^，在]{2,10}?)(?:举行|举办|办|聚|见面|集合|碰头)
    """,
    re.VERBOSE,
)
# 徒弟只剩两个了: so many are left of those whom somebody had.
_LEFT = re.compile(
    f"^(?:用户(?:等人|家)?的?)?(?P<topic>{_HAN}{{1,6}}?)里?(?:现在|如今|目前|已经|也"
    f"|都)*[只就]剩下?了?(?P<value>{_NUMBER})(?P<unit>[只个条位名头匹棵株盆户台辆家口])"
    f"(?P<thing>{_HAN}{{0,4}}?)了?$"
)
# 小姑娘走了一个: so many are gone, and the others are left.
_GONE = re.compile(
    f"^(?:用户(?:等人|家)?的?)?(?P<topic>{_HAN}{{1,6}}?)里?(?:最近|前几天|昨天|上周|上个?月|今年|也|都"
    f"|又|已经)*(?:走|死|跑|飞走|飞丢|走丢|跑丢|离职|辞职|退学|退租|退出|送走"
    f"|送人)掉?了(?P<value>{_NUMBER})(?P<unit>[只个条位名头匹棵株盆户家口])$"
)
# Nobody has as many of anything; beyond it numbers are not exact.
_MOST = 10**15
_SMALL = "零一两三四五六七八九十"
_HAS_THEM = re.compile("[养有雇带教管种招租共]|一起")
_NOT_KEPT = re.compile("[买吃喝订送卖花]|以前|曾经|[不没]")
# 改成一天跑八小时: how much of the same, in the same time.
_DAILY = "(?:每|一)个?(?:天|晚上?|周|星期|礼拜|月|年)"
_DAILY_NOW = re.compile(
    f"^(?:用户)?(?:现在|如今|只好|只能)?(?:改[成为]|减[到成少]+|缩短?到|加到)了?(?P<time>{_DAILY})(?:只"
    f"|就)?(?P<verb>{_HAN}{{1,2}}?)(?P<value>{_NUMBER})个?(?P<unit>{_HAN}{{1,2}})(?:了|就够)?$"
)


@lru_cache(maxsize=2_048)
def find_new_readings(new: str, old: str) -> tuple[StatedChange, ...]:
    """Find what the older statement says for each value, and what the newer one says for it, in the words of each."""
    if new.isascii() or _OF_ANOTHER.match(new) or _UNSURE.search(new) or re.search("[“「[]", new + old):
        return ()
    statement, held = (_DATES.sub("", text).strip("。！ ") for text in (new, old))
    changes = (
        *_find_weight(statement, held),
        *_find_reached(statement, held),
        *_find_counted(statement, held),
        *_find_moved(statement, held),
        *_find_left(statement, held),
        *_find_daily(statement, held),
    )
    return tuple(change for change in changes if change.old != change.new)


def _find_weight(new: str, old: str) -> list[StatedChange]:
    given, held = _WEIGHED.search(new), _WEIGHT.search(old)
    is_of_user = old.startswith("用户") and not _OF_ANOTHER.match(old) and _OF_WEIGHT.search(old)
    return [StatedChange(held["value"], given["value"])] if given and held and is_of_user else []


def _find_reached(new: str, old: str) -> list[StatedChange]:
    """A value on the way from what there was to the goal, in its unit or in none."""
    given, held = _REACHED.match(new), _GOAL.search(old)
    if given is None or held is None or given["unit"] not in ("", held["unit"]):
        return []
    number, now, goal = (_parse_number(match) for match in (given["value"], held["now"], held["goal"]))
    is_on_its_way = min(now, goal) <= number <= max(now, goal) and number != now
    right = given["value"] if given["unit"] else given["value"] + held["unit"]
    return [StatedChange(held["value"], right)] if is_on_its_way else []


def _parse_number(text: str) -> float:
    number = re.match(_NUMBER, text)
    values = find_values(f"{number[0]}块") if number else ()
    return float(values[0].key) if values else 0.0


def _find_counted(new: str, old: str) -> list[StatedChange]:
    given = _COUNTED.search(new)
    topic = _TOPIC.match(new.split("，")[0])
    if given is None or not ((topic and topic["topic"] in old) or new.startswith(given["unit"])):
        return []
    held = re.findall(f"{_NUMBER}个?{given['unit']}", old)
    is_of_it = topic is not None and topic["topic"] in old
    return [StatedChange(held[0], given["value"])] if len(held) == 1 and is_of_it else []


def _find_moved(new: str, old: str) -> list[StatedChange]:
    first, *others = new.split("，")
    topic = _TOPIC.match(first)
    held = [place for pair in _PLACE_HELD.findall(old) if not _NO_PLACE.search(place := "".join(pair))]
    if topic is None or topic["topic"] not in old or len(held) != 1:
        return []
    match = _PLACE.match(others[0]) if others else None
    given = _TO_PLACE.search(first) or match
    if given is None or _NO_PLACE.search(given["place"]):
        return []
    return [] if given["place"] in held[0] else [StatedChange(held[0], given["place"])]


def _find_left(new: str, old: str) -> list[StatedChange]:
    for clause in new.split("，"):
        left, gone = _LEFT.match(clause), _GONE.match(clause)
        given = left or gone
        if given is None or _OF_ANOTHER.match(old) or _NOT_KEPT.search(old) or not _HAS_THEM.search(old):
            continue
        unit, named = given["unit"], (left and left["thing"]) or given["topic"]
        is_of_it = given["topic"] in old and re.search(
            f"{unit}[^，]{{0,4}}?{named}|{named}[^，]{{0,4}}{_NUMBER}{unit}", old
        )
        held = re.findall(f"({_NUMBER}){unit}", old)
        if is_of_it and len(held) == 1 and _MOST > _parse_number(held[0]) > _parse_number(given["value"]) > 0:
            number = int(_parse_number(held[0]) - _parse_number(given["value"]))
            is_in_words = not held[0].isascii() and number < len(_SMALL)
            rest = given["value"] if left else _SMALL[number] if is_in_words else str(number)
            return [StatedChange(f"{held[0]}{unit}", f"{rest}{unit}")]
    return []


def _find_daily(new: str, old: str) -> list[StatedChange]:
    for clause in new.split("，"):
        if (given := _DAILY_NOW.match(clause)) and not _OF_ANOTHER.match(old):
            time = f"[每一]个?{given['time'].lstrip('每一个')}"
            held = re.findall(
                f"{time}(?:要|得|都|能)*{given['verb']}({_NUMBER})个?{given['unit']}(?=$|[，。])", old
            )
            if len(held) == 1 and held[0] != given["value"]:
                return [StatedChange(held[0], given["value"])]
    return []
