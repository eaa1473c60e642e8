"""Which Chinese memories end by a new home, a new holder of a role or a relapse: 新组长叫邢露 ends 组长叫马骏.

搬完了 ends the former home with its rent, and 又抽上了 what 戒烟 began. Each takes several clauses together,
or ends what the older statement denies; what is doubtful stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memories.consolidation.ends.chinese.settled import is_settled_in_chinese
from memories.text.slots import find_states
from memories.text.slots.registry import join_relation_words
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_HAN = "[\u4e00-\u9fff]"
_KIN = join_relation_words("zh")
_UNSURE = re.compile(_WORDS["doubts_of_changes"])
_WHEN = f"(?:{_WORDS['times']}|{_HAN}{{1,4}}?(?:以后|之后|那会儿?|的时候)|[也就都我，]){{0,5}}"


def find_replaced_clause(clauses: Sequence[str], held: Sequence[str]) -> int | None:
    """The place of the first clause of the older statement that another takes the place of. No text has dates in
    brackets."""
    is_over = (
        _moved_out,
        _has_new_holder,
        _is_resumed,
        _came_otherwise,
        _owns_now,
        _taken_in,
        _on_fewer_days,
        _done_elsewhere,
    )
    return next(
        (
            at
            for at, part in enumerate(held)
            if any(rule(clauses, part, held[0]) for rule in is_over) or is_settled_in_chinese(clauses, part)
        ),
        None,
    )


# 搬完了, and not 把书搬完了: nothing but the person and when.
_MOVED = re.compile(
    f"^(?:用户(?:等人|家)?)?{_WHEN}(?:用户)?(?:把?家)?(?:都|已经)*搬(?:完家?|好家?|走|过来|过去|进来"
    f"|进去|进新家|家|了家|到新家|定)了?$"
)
_PLACE_NOW = re.compile(
    f"^(?:现在|新家|新房子?|如今)?(?:住|住在|在)?(?P<place>{_HAN}{{2,6}}?)(?:这边|那边|这里|这儿|那儿)"
    f"|^(?:现在|新家|新房子?|如今)(?:是|就)?(?:住在?|在)(?P<place2>{_HAN}{{2,8}})$"
)
_IN_THE_HOME = re.compile("(?:房|厅|室|屋|厨|阳台|楼[上下]|单位|公司|学校|店|家里)$")
_KIND_OF_HOME = re.compile(
    "[一二两三四五六单]居室?|[一二两三四五六]室(?:[一二两三]厅)?|单间|开间|整租|合租|公寓|复式|别墅|平房|隔断"
)
_RENT = re.compile("(?:一个月|每月|月租|房租|租金)[^，]{0,4}?(?P<sum>[0-9一二两三四五六七八九十百千万]+)")
_LIVES_IN = re.compile(f"住在({_HAN}{{2,8}})$")
_RENTS = re.compile("租的|租了|房租|租金|月租")


def _moved_out(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether the user has moved and says where, or how they live now, and the older clause has it otherwise."""
    at = next(
        (n for n, clause in enumerate(clauses) if _MOVED.match(clause) and not _UNSURE.search(clause)), None
    )
    if at is None or re.match(f"用户的(?:{_KIN})", first) or not re.match("用户", first):
        return False
    behind = clauses[at + 1 :]
    rest = "，".join(behind)
    place_match = next((match for clause in behind[:2] if (match := _PLACE_NOW.match(clause))), None)
    place = (place_match["place"] or place_match["place2"]) if place_match else ""
    place = "" if _IN_THE_HOME.search(place) else place
    states = find_states(part if part.startswith("用户") else f"用户{part}", "zh")
    homes = [state.value for state in states if state.slot == "residence" and not state.is_end]
    homes = homes or _LIVES_IN.findall(part)
    if homes:
        return bool(place) and all(place not in home and home not in rest for home in homes)
    kinds = [set(_KIND_OF_HOME.findall(text)) for text in (part, rest)]
    is_other_kind = bool(kinds[0] and kinds[1]) and not kinds[0] & kinds[1]
    is_rented = bool(_RENTS.search(part) or _RENT.search(part)) and not (place and place in part)
    return is_rented and (is_other_kind or (bool(place) and not kinds[1] and bool(_RENTS.search(part))))


# 邵老师怀孕了，换成了她师妹.
_SUCCEEDED = re.compile(
    f"^(?:现在|后来|所以|就)?换成?了(?:[他她]的?|{_HAN}{{1,4}}(?=老师$|教练$|医生$|大夫$))"
)
# Of these there is one in a place; one has many colleagues and neighbours.
_OFFICE = (
    "(?:[组队班店厂校院村所科处团会]长|班主任|主任|经理|主管|总监|领导|上司|老板|导师|教练|房东|保姆|护工|月嫂|助理"
    "|秘书|搭档|队医|管家|物业|老师|医生|大夫|师傅)"
)
_ROLE = f"{_HAN}{{0,4}}?{_OFFICE}"
_NEW_HOLDER = re.compile(
    f"^(?:用户(?:等人|家|公司|部门)?的?|(?:用户的)?(?P<kin>{_KIN})的?)?(?:现在)?(?:来了个|换了个|换了"
    f"|来了)?新来?的?(?P<role>{_ROLE})(?P<behind>.*)$"
)
_NAMED = re.compile(f"(?:叫做?|是|姓|名叫)(?P<name>(?!从|来|个|一|在|我|他|她|不|很|刚){_HAN}{{1,4}})$")
_HELD_BY = re.compile(
    f"^(?:{_HAN}{{0,12}}?的|用户家?|用户等人|{_KIN})?(?P<role>{_ROLE})(?:是|叫做?|姓|名叫)(?P<name>{_HAN}{{1,4}})$"
)
_HOLDS = re.compile(f"^(?P<name>{_HAN}{{2,4}})是用户(?:等人)?的(?P<role>{_ROLE})$")
_LEFT_OFFICE = re.compile(
    f"^(?:用户(?:等人)?的)?(?P<who>{_HAN}{{2,5}}?)(?:上个?月|上周|前几天|昨天|今年|去年|年初|年底|都|也"
    f"|已经|就|突然|因为{_HAN}{{0,6}}){{0,4}}"
    f"(?:调(?:去|到|往|走|离)|离职|退休|辞职|跳槽|被裁|被辞退|被调|不干|回老家|离开公司)(?!.*(?:出差"
    f"|几[天周个]|[一两三四五六半]个?[天周月]|帮忙|支援|培训|学习|交流)){_HAN}{{0,8}}$"
)


def _has_new_holder(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether another has the role now, or who had it has left it."""
    held = _HELD_BY.match(part) or _HOLDS.match(part)
    if held is None:
        return False
    owner = re.match(f"用户的(?P<kin>{_KIN})(?!{_OFFICE})", first)
    for at, clause in enumerate(clauses):
        if _UNSURE.search(clause):
            continue
        if new := _NEW_HOLDER.match(clause):
            named = next(
                (
                    match
                    for text in (new["behind"], *clauses[at + 1 : at + 2])
                    if (match := _NAMED.search(text))
                ),
                None,
            )
            is_of_one = (new["kin"] or "") == (owner["kin"] if owner else "") or (
                not new["kin"] and owner and owner["kin"] in "，".join(clauses)
            )
            # 新来的经理 is the 部门经理 of whom the clause before says that he has gone.
            is_gone = any(_has_left(text, held) for text in clauses[:at])
            is_role = held["role"] == new["role"] or (is_gone and held["role"].endswith(new["role"]))
            return bool(named and is_of_one and is_role and named["name"][0] != held["name"][0])
        if _SUCCEEDED.match(clause) and at and clauses[at - 1].startswith(held["name"]):
            return True
        if _has_left(clause, held):
            return True
        left = _LEFT_OFFICE.match(clause)
        if left and (left["who"] == held["name"] or (not owner and left["who"] == held["role"])):
            return True
    return False


def _has_left(clause: str, held: re.Match[str]) -> bool:
    """何经理调走了 of 部门经理姓何: by the family name and the last word of the role."""
    left = _LEFT_OFFICE.match(clause)
    name, title = (left["who"][0], left["who"][1:]) if left else ("", "")
    return bool(title) and len(title) > 1 and held["name"][0] == name and held["role"].endswith(title)


# What is smoked or drunk needs no name: 又抽上了 of 戒烟.
_TAKEN = {"抽": "烟", "喝": "酒"}
_HOURS = re.compile("早[上饭餐]|上午|中午|午饭|下午|晚[上饭餐]|夜里|睡前|饭后|周末|工作日")
_RESUMED = re.compile(
    f"^(?:用户)?{_WHEN}(?:用户)?(?!的)(?P<thing>{_HAN}{{0,6}}?)(?:用户)?(?:最近|现在)?(?:又"
    f"|重新)(?:重新)?(?:开始(?P<verb>{_HAN})|(?P<verb2>{_HAN})(?:上|起来|起|回去"
    f"|回来))(?:了)?(?P<behind>{_HAN}{{0,6}}?)来?了?$"
)


def _is_resumed(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether the user does again what they gave up: 主食又开始吃了, 又抽上了."""
    if not re.match(f"用户(?!的(?:{_KIN}))", first):
        return False
    for clause in clauses:
        match = _RESUMED.match(clause)
        if match is None or _UNSURE.search(clause.replace("没忍住", "")):
            continue
        verb, hours = match["verb"] or match["verb2"], _HOURS.findall(clause)
        before = _HOURS.sub("", match["thing"])
        thing = match["behind"] or before
        is_at_hour = not hours or not _HOURS.search(part) or any(hour in part for hour in hours)
        is_of_another = bool(match["behind"] and before)
        if is_of_another or not is_at_hour or verb in "戒不停":
            continue
        if thing:
            names = re.search(
                f"(?:不(?:再|能|碰)?(?:{verb}|碰)|戒掉?了?|停了?|没再{verb}"
                f"|不{verb}).*{re.escape(thing)}|{re.escape(thing)}.*(?:不{verb}|戒|停)",
                part,
            )
        else:
            usual = _TAKEN.get(verb, "")
            names = (
                re.search(
                    f"戒掉?了?{usual}|{usual}(?:已经|都|早)*(?:戒|不{verb})|不(?:再)?{verb}{usual}", part
                )
                if usual
                else None
            )
        if names:
            return True
    return False


# 客厅最后铺的瓷砖: what came of 客厅打算铺木地板.
_CAME_OF_IT = re.compile(
    f"^(?:用户(?:等人|家)?的?)?(?P<topic>{_HAN}{{0,6}}?)(?:用户(?:等人)?)?(?:最后|最终|结果"
    f"|到头来)(?:还是|又|就|都)*(?P<verb>{_HAN})(?:的是?|了)(?P<what>{_HAN}{{2,10}}?)了?$"
)
_MEANT = re.compile(
    f"(?:打算|准备|计划|本来想|想要?|要)(?:给{_HAN}{{1,4}}|在{_HAN}{{1,6}})?(?P<verb>{_HAN})(?P<what>{_HAN}{{2,10}})$"
)
# People have many plans to go, to buy and to do: only one that is named is the same.
_MANY_A_PLAN = "去做买看弄办来吃喝打用说要有玩学"


def _came_otherwise(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether something else was done in the end than the older clause has planned."""
    meant = _MEANT.search(part)
    if meant is None or re.match(f"用户的(?:{_KIN})", first):
        return False
    for clause in clauses:
        came = _CAME_OF_IT.match(clause)
        if came is None or came["verb"] != meant["verb"] or re.match(f"用户的(?:{_KIN})", clauses[0]):
            continue
        is_named = bool(came["topic"]) and came["topic"] in part[: meant.start()]
        is_same_plan = is_named or (not came["topic"] and came["verb"] not in _MANY_A_PLAN)
        if is_same_plan and came["what"] not in meant["what"] and meant["what"] not in came["what"]:
            return True
    return False


# 不租了，贷款买了台埃安: the measure word tells what was rented.
_RENTS_NO_MORE = re.compile("^(?:用户(?:等人)?)?(?:终于|现在|后来|已经|也|都|就)*不租了$")
_BOUGHT = re.compile(f"^(?:用户(?:等人)?)?(?!.*[给帮替]){_HAN}{{0,6}}?买了(?:一)?(?P<measure>[台辆套间栋])")
_RENTED = {"台": "车", "辆": "车"}


def _owns_now(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether the user rents no more what the older clause has them rent, and has bought one."""
    if not re.match(f"用户(?!的(?:{_KIN}))", first) or not re.match(f"用户(?!的(?:{_KIN}))", clauses[0]):
        return False
    at = next((n for n, clause in enumerate(clauses) if _RENTS_NO_MORE.match(clause)), None)
    bought_match = (
        next((match for clause in clauses[at + 1 :] if (match := _BOUGHT.match(clause))), None)
        if at is not None
        else None
    )
    if bought_match is None:
        return False
    thing = _RENTED.get(bought_match["measure"], "房|居室|公寓|单间")
    return re.search(f"(?:{thing})[^，]{{0,4}}租|租[^，]{{0,8}}(?:{thing})", part) is not None


# 换到区医院透析了 of 每周一三五透析，在市二院: the same is done at another place of the kind.
_PLACES = "医院|[一二三四五六]院|诊所|健身房|球馆|训练馆|游泳馆|工作室|琴行|画室|自习室|图书馆|校区|驾校|菜场|市场|厂"
_TO_PLACE = re.compile(
    f"^(?:用户(?:的(?:{_KIN}))?的?)?(?P<topic>{_HAN}{{0,6}}?)(?:用户)?(?:现在|已经|也|都|就)*(?:换|转"
    f"|改)[到去在]了?(?P<place>{_HAN}{{1,8}}?(?:{_PLACES}))(?P<action>{_HAN}{{0,6}}?)了?$"
)
_AT_PLACE = re.compile(f"在(?P<place>{_HAN}{{1,8}}?(?:{_PLACES}))(?P<action>{_HAN}{{0,6}})$")


def _done_elsewhere(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether somebody does the same at another place now."""
    held = _AT_PLACE.search(part)
    whose = [re.match(f"用户的(?P<kin>{_KIN})", text) for text in (clauses[0], first)]
    if held is None or (whose[0] and whose[0]["kin"]) != (whose[1] and whose[1]["kin"]):
        return False
    for clause in clauses:
        match = _TO_PLACE.match(clause)
        if match is None or _UNSURE.search(clause.removesuffix("了")):
            continue
        named = match["action"] or match["topic"]
        is_of_it = len(named) > 1 and (named in first or named in part)
        is_other = match["place"] not in held["place"] and held["place"] not in match["place"]
        if is_of_it and is_other:
            return True
    return False


# One of each at a time: 改全天了 of whom was there 半天.
_MODES = tuple(
    re.compile(words)
    for words in (
        "半天|全天|整天",
        "兼职|全职",
        "走读|住校|住宿|寄宿",
        "单休|双休|大小周",
        "月付|季付|年付|半年付",
        "线上|线下|网课",
        "大班课?|小班课?|一对一",
        "母乳|混合喂养|奶粉",
        "白班|早班|中班|(?:夜班|晚班)(?!补贴|费|车)",
        "单人间|双人间|三人间|四人间|单间",
    )
)
_MODE_NOW = re.compile(f"(?:改|转|换|调)(?:成|上|为|做|到|回|吃|喝|读)?了?(?P<value>{_HAN}{{2,8}})了?$")


def is_in_other_mode(clause: str, part: str) -> bool:
    """Return whether somebody does it whole days, full time or the like now, and the older clause has it otherwise."""
    match = _MODE_NOW.search(clause)
    if match is None or _UNSURE.search(clause.removesuffix("了")):
        return False
    for mode in _MODES:
        given = re.search(f"(?:{mode.pattern})(?=(?:的?[班课生工]|工作)?了?$)", match["value"])
        held = mode.findall(part)
        if given and held and all(word[:2] != given[0][:2] for word in held):
            return True
    return False


# 外婆接到用户家来住了: they live where they lived no more.
_TAKEN_IN = re.compile(
    "(?:接到|接来|接回|搬到|搬来|来)(?:了)?(?:用户(?:家|这里|这边|等人)?"
    "|[^，]{1,8}?)?(?:这[里边儿])?(?:来|一起|同|养老)?住(?:下)?了$"
)
_FOR_A_TIME = re.compile(
    "[几两一二三四五六七八九十半]个?[天周月]|阵|段时间|暑假|寒假|过年|过冬|养病|暂时|先|周末"
)
_LIVED = re.compile("住在?(?!院|进|了?[几两一二三四五六七八九十半])|一个人(?:住|在)|独居")


def _taken_in(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether a relative of the user has been taken into a home, and the older clause has them live
    elsewhere."""
    who = re.match(f"用户的(?P<kin>{_KIN})", clauses[0])
    if who is None or not re.match(f"用户的{who['kin']}(?!的)", first) or not _LIVED.search(part):
        return False
    clause = next((clause for clause in clauses if _TAKEN_IN.search(clause)), "")
    is_certain = clause and not _UNSURE.search(clause.removesuffix("了")) and not _FOR_A_TIME.search(clause)
    return bool(is_certain) and not re.search("用户家|和用户|跟用户", part)


# 瑜伽课改成只周六了 of 每周三和周六上瑜伽课.
_WEEKDAY = "(?:周|星期|礼拜)[一二三四五六日天]"
_ONLY_ON = re.compile(
    f"^(?:用户(?:等人|家)?的?)?(?P<topic>{_HAN}{{0,6}}?)(?:用户)?(?:现在"
    f"|以后)?(?P<changed>改[成为到]了?)?[只就](?:在|上|有|去|剩"
    f"|留)?(?P<days>{_WEEKDAY}(?:[和、]{_WEEKDAY})*)(?:上课|上|去|有课|有|一天)?了?$"
)


def _on_fewer_days(clauses: Sequence[str], part: str, first: str) -> bool:
    """Return whether the same is done on only some of the weekdays that the older clause names."""
    held = set(re.findall(_WEEKDAY, part))
    for clause in clauses:
        match = _ONLY_ON.match(clause)
        if match is None or _UNSURE.search(clause) or re.match(f"用户的(?:{_KIN})", first):
            continue
        is_of_it = len(match["topic"]) > 1 and match["topic"] in part
        if is_of_it and "每" in part and set(re.findall(_WEEKDAY, match["days"])) < held:
            return True
    return False
