"""Which Chinese memories a later statement ends, where no slot tells: 不卖冻梨了 ends 卖冻梨.

Three forms say so: a verb that is denied with 了 (不卖冻梨了, 法语不学了), a verb of parting with a thing or of
leaving a place (花店转让了, 从溜冰场辞了), and a change to another value of one kind (调到白班了 of 上夜班). Each
clause is read by itself; the thing must be the same by its words and the person the same by name, and what is
doubtful stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from memories.consolidation.ends.chinese.called_off import is_on_again
from memories.consolidation.ends.chinese.life_events import is_past_by_turn_in_chinese
from memories.consolidation.ends.chinese.owners import COUPLE, find_subject, is_of_further_person, is_of_one
from memories.consolidation.ends.chinese.replaced import find_replaced_clause, is_in_other_mode
from memories.consolidation.ends.chinese.successors import is_place_taken_in_chinese
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import segment_chinese
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_HAN = "[\u4e00-\u9fff]"
_KIN = join_relation_words("zh")
_CLAUSE = re.compile("[，。；！]")
_PASSING = re.compile(_WORDS["passing"])
# 今天下雨，用户不去健身房了
_ONE_DAY = re.compile("(?:今[天晚早]|明[天早晚]|后天|昨[天晚]|这次)(?!起|开始)")
_NO_MORE = re.compile(
    rf"(?P<topic>{_HAN}*?)(?:再也|也|早就?)?不(?:再|用|去)*(?P<verb>{_HAN})(?P<thing>{_HAN}{{0,6}}?)了$"
)
# 太极打不动了, 瑜伽没再练了
_UNABLE = re.compile(
    rf"(?P<topic>{_HAN}*?)(?P<verb>{_HAN})不(?:动|了|成|起|上|下去)(?P<thing>{_HAN}{{0,6}}?)了$"
)
_NOT_AGAIN = re.compile(
    rf"(?P<topic>{_HAN}*?)(?:就|也|都)?(?:没有?再|再没|再也没有?)(?P<verb>{_HAN})过?(?P<thing>{_HAN}{{0,6}}?)了?$"
)
# 改唱中音: another object of the same verb. What is no object of it goes with the verb as one word.
_TURNED_TO = re.compile(
    rf"改(?P<verb>[唱打踢学练卖喝吃开养骑走穿坐当种教读写拉弹抽跑送玩报])了?(?P<value>{_HAN}{{1,8}}?)了?$"
)
_ONE_WORD = re.compile(_WORDS["compounds"])
# 现在团长是我, 店名改了，现在叫七分甜意: who or what has a role, or a name.
_HOLDS_NOW = re.compile(
    rf"(?:现在|如今|目前)的?(?P<role>{_HAN}{{2,4}}?)(?:是|叫|换成了?|由)(?P<value>{_HAN}{{1,8}})$"
    rf"|(?P<role2>{_HAN}{{2,4}}?)(?:现在|已经)?(?:换成|改成|改为|改叫|换为)了?(?P<value2>{_HAN}{{2,12}})$"
)
_RENAMED = re.compile(rf"(?P<role>{_HAN}{{2,4}}?)(?:都|也)?(?:改|换)(?:名|人)?了$")
_NAMES_NOW = re.compile(rf"(?:现在|如今|改|新的)(?:改)?(?:叫|是)(?P<value>{_HAN}{{2,8}})$")
# 账归我媳妇管, 现在由老周负责: another does it now.
_DONE_BY = re.compile(
    rf"(?P<thing>{_HAN}{{1,4}}?)(?:现在|以后|改)?(?:都|全)?(?:归|由"
    rf"|轮到)(?P<who>{_HAN}{{1,8}}?)(?:来)?(?P<verb>管|负责|照顾|接送|教|带|养|指挥)了?$"
)
_PART_WITH = re.compile(
    rf"(?:跟|和|与)(?P<name>{_HAN}{{2,3}}?)(?:分手|分开|离婚|离了|分了|掰了|吹了|黄了|退婚)"
)
_PARTED = re.compile(
    rf"^把?(?P<before>{_HAN}*?)(?:{_WORDS['partings']})掉?了(?:[一两三四五六七八九十半几0-9]+个?[天周月年]了?)?"
    rf"(?![一两三几0-9])(?:[那这][个家辆套间份]?)?(?P<behind>{_HAN}{{0,8}})$"
)
_LEFT = re.compile(
    rf"(?:从(?P<from>{_HAN}{{2,8}}?)(?:辞|离职|退[出休下]|调|转|毕业|搬出|搬走"
    rf"|(?<=[老护利养医]院)接[回走出]|(?<=中心)接[回走出])|退出了?(?P<out>{_HAN}{{2,8}}?)了?$)"
)
# 医生把氨氯地平停了: who has it stopped is not who takes it.
_WHO_STOPS_IT = re.compile("^(?:医生|大夫|专家|营养师)(?:给用户)?(?=把)")
_TURNED = re.compile(rf"(?:调|转|换|升)[到去成为]了?(?P<value>{_HAN}{{2,8}}?)了?$")
# What somebody has or keeps doing, and can therefore part with.
_HAVING = "经营|[开买租养有办报订雇吃喝抽学骑戴穿还付欠背]|上(?!班)|(?<!教)练"
# 合唱团交给小林带了: of what somebody had charge, another has it now.
_HANDED_OVER = re.compile(
    rf"(?:把)?(?P<thing>{_HAN}{{2,6}}?)(?:用户)?(?:都|已经)?(?:交给|让给|转给"
    rf"|移交给?)了?(?P<who>{_HAN}{{1,6}}?)(?:来)?(?:带|管|负责|做|打理|照看|照顾|接手)?了$"
)
_IN_CHARGE = re.compile("当|是|管|负责|带|教|主持|指挥|打理|照看|照顾|做")
# 支教结束了 of 在凉山支教.
_FINISHED = re.compile(
    f"^(?:{_KIN})?(?P<what>{_HAN}{{2,5}}?)(?:已经|终于|都|也|提前|上周|上个?月)*(?:结束|到期|完结|期满)了$"
)
# How somebody gets somewhere is one way at a time; so is what somebody does for a living.
_WAY = re.compile(
    rf"(?:骑|坐|开|搭|乘|走路|步行|跑步|打车)(?P<by>{_HAN}{{0,6}}?)(?P<goal>去?上班|去?上学|去{_HAN}{{2,6}}|回家)"
)
_TRADE = re.compile(rf"在{_HAN}{{1,8}}?(?:开|跑|送|当|卖|修|做|教|管)(?P<what>{_HAN}{{1,5}})$")
_TRADE_NOW = re.compile(
    rf"(?:现在|如今|改)(?:去|在{_HAN}{{1,6}}?)?(?:开|跑|送|当|卖|修|教|管)(?P<what>{_HAN}{{1,5}})了$"
)
# 搬出来了: where somebody lodged, they live no more.
_MOVED_OUT = re.compile("^(?:已经|都)?搬(?:出来|出去|走)了$")
_LODGES = re.compile("(?:租住|借住|寄住|寄宿|住)在")
# 现在坐六点五十二的: another train or bus.
_AT_CLOCK = "[0-9一二两三四五六七八九十]{1,3}点(?:半|[0-9一二两三四五六七八九十]{1,3}分?)?"
_CATCHES = re.compile(f"(?P<verb>[坐搭乘赶])(?P<at>{_AT_CLOCK})的")
# 过年以后一根没抽: nothing of the kind since.
_NOT_SINCE = re.compile(
    rf"(?:以后|之后|起)(?:就|再)?(?:一{_HAN}(?:都|也)?)?(?:没|不)再?(?P<verb>[抽喝吃])(?:过|了)?$"
)
_KINDS_OF_SCHOOL = "小学|中学|高中|初中|学校|幼儿园|大学|学院"
_TURNED_TO_SCHOOL = re.compile(rf"(?:转|换|升)[到去成]了?(?P<value>{_HAN}{{1,8}}?(?:{_KINDS_OF_SCHOOL}))")
_SCHOOL_OF = re.compile(
    rf"(?:在|[报选]考?的?(?:是|了)?|考的是)(?P<value>{_HAN}{{1,8}}?(?:{_KINDS_OF_SCHOOL}|[师工科理农医财]大))"
)
# 现在在钟楼书店碰头: what is done, and where it is done now.
_DONE_AT = re.compile(rf"(?P<before>[^，]*?)在(?P<place>{_HAN}{{3,12}})$")
_DONE_AT_NOW = re.compile(rf"(?:现在|如今|以后|改)(?:都)?(?:在|到|去)(?P<place>{_HAN}{{3,12}}?)了?$")
# 现在能吃西柚了: what was not possible is possible again.
_POSSIBLE_NOW = re.compile(rf"(?:又|终于|现在|已经)?(?:能|可以)(?P<action>{_HAN}{{2,6}})了$")
# 现在照顾用户的妈妈的是小秦: who does it now.
_DOER_NOW = re.compile(rf"(?:现在|如今|目前)(?P<role>[^，]{{2,12}}的)是(?P<value>{_HAN}{{2,4}})$")
_CHANGED_SCHOOL = re.compile("转学|转校|换了?学校|转园")
_AT_SCHOOL = re.compile(rf"在{_HAN}{{1,10}}?(?:小学|中学|高中|初中|学校|幼儿园|大学|学院)")
_STATES_NOW = re.compile("现在|如今|目前|改")
# What is liked may be liked after it is over; what is denied or past is no state any more.
_LIKING = re.compile("喜欢|喜爱|热爱|最爱|爱[吃喝看听玩]")
_NO_STATE = re.compile("[不没]|以前|曾经|戒|停了")
_SUBJECT = re.compile(rf"用户(?:的(?:{_KIN}))?(?!等人|家|[的和跟们])")
# What is liked, where somebody lives or works and what somebody has depends on nothing said before it.
_STANDS_ALONE = re.compile(
    r"""
    (?:喜欢|喜爱|热爱|最爱|爱[吃喝看听玩]) | (?:现在)?住在
    | (?:现在)?在[^，]{1,12}(?:上班|工作|上学|读书|当[^，]+)$ | 养了
    | 有[一两二三四]个(?:孩子|儿子|女儿|娃) | 对[^，]{1,8}过敏
    """,
    re.VERBOSE,
)
_LEAST = 2


def is_outdated_in_chinese(new: str, old: str) -> bool:
    """Return whether the new statement says that a clause of the old one is over or has another value now."""
    if is_of_further_person(new, old):
        return False
    if (
        _is_possible_again(new, old)
        or is_on_again(new, old)
        or is_past_by_turn_in_chinese(new, old)
        or is_place_taken_in_chinese(new, old)
    ):
        return True
    return _find_ended_clause(new, old) is not None


def _is_possible_again(new: str, old: str) -> bool:
    """Return whether the user can do again what the older statement says that they cannot: 现在能吃西柚了."""
    if any(mark in new + old for mark in "“”「」["):
        return False
    clauses = [clause for clause in _CLAUSE.split(_remove_dates(new)) if clause]
    matches = [
        match for clause in clauses if not _PASSING.search(clause) and (match := _POSSIBLE_NOW.search(clause))
    ]
    who = find_subject(clauses[0]) if clauses else ""
    is_of_user = who in ("", "用户") and re.match(f"用户(?!的(?:{_KIN}))", old) is not None
    return is_of_user and any(
        re.search(f"不(?:能|可以|让|准){match['action']}(?=$|[，。])", old) for match in matches
    )


def find_remaining_text(new: str, old: str) -> str:
    """The clauses of an outdated statement before the one that is over; those behind it may depend on it."""
    clauses = old.rstrip("。").split("，")
    place = _find_ended_clause(new, old)
    if place is None:
        place = _find_turned_clause(new, clauses)
    kept = clauses[:place] if place else []
    if place == 0 and (who := _SUBJECT.match(old)):
        kept = [clause for clause in clauses[1:] if _STANDS_ALONE.match(clause)]
        kept = [f"{who[0]}{kept[0]}", *kept[1:]] if kept else []
    return f"{'，'.join(kept)}。" if kept else ""


def _find_turned_clause(new: str, clauses: list[str]) -> int | None:
    """The place of the first clause that a turn leaves behind: of who has left the hospital, 在华西住院."""
    who = _SUBJECT.match(clauses[0])
    stated = [clauses[0], *(f"{who[0] if who else ''}{clause}" for clause in clauses[1:])]
    return next(
        (at for at, statement in enumerate(stated) if is_past_by_turn_in_chinese(new, statement)), None
    )


def _find_ended_clause(new: str, old: str) -> int | None:
    """The place of the first clause of the old statement that the new one ends."""
    if any(mark in new + old for mark in "“”「」["):
        return None
    clauses = [clause for clause in _CLAUSE.split(_remove_dates(new)) if clause]
    clauses = [_WHO_STOPS_IT.sub("", clause) for clause in clauses]
    if not clauses:
        return None
    replaced = find_replaced_clause(clauses, _remove_dates(old.rstrip("。")).split("，"))
    if replaced is not None or _NO_STATE.search(old):
        return replaced
    who = find_subject(clauses[0])
    relevant_clauses = [
        clause
        for at, clause in enumerate(clauses)
        if not _PASSING.search(clause)
        and is_of_one(who, clause, old)
        and not (_NO_MORE.search(clause) and any(_ONE_DAY.search(before) for before in clauses[:at]))
    ]
    held = _remove_dates(old.rstrip("。")).split("，")
    roles = [*_iterate_named_anew(clauses)]
    left = [match["name"] for clause in clauses if (match := _PART_WITH.search(clause))]
    taken_over = [match for clause in clauses if (match := _DONE_BY.search(clause))]

    def is_over(part: str) -> bool:
        return (
            any(_ends_state(clause, part) for clause in relevant_clauses)
            or any(_is_of_role(part, *role) for role in roles)
            or any(name in part and COUPLE.search(part) for name in left)
            or any(_was_done_by_another(match, part) for match in taken_over)
            or any(_is_done_elsewhere(new, clause, part) for clause in relevant_clauses)
            or any(_has_another_doer(clause, part) for clause in clauses)
        )

    return next((at for at, part in enumerate(held) if is_over(part)), None)


def _is_done_elsewhere(new: str, clause: str, held: str) -> bool:
    """Return whether the same is done at another place now: 现在在钟楼书店碰头, 读书会每周三在狐狸咖啡馆碰头."""
    ours, theirs = _DONE_AT_NOW.search(clause), _DONE_AT.match(held)
    if ours is None or theirs is None:
        return False
    some, others = ours["place"], theirs["place"]
    size = next((at for at in range(4, 1, -1) if some[-at:] == others[-at:]), 0)
    topic = _TOPIC.match(theirs["before"])
    is_of_it = topic is not None and (not topic["what"] or topic["what"] in new)
    is_elsewhere = some[:-size] not in others and others[:-size] not in some
    return bool(size) and is_of_it and len(some) > size + 1 and len(others) > size + 1 and is_elsewhere


_TOPIC = re.compile(
    rf"用户(?:等人|家)?的?(?P<what>{_HAN}{{0,6}}?)(?:每[天周月年]?[一二三四五六日天末]?"
    rf"|周[一二三四五六日天末]|都|一般|通常|$)"
)


def _has_another_doer(clause: str, held: str) -> bool:
    match = _DOER_NOW.search(clause)
    role = re.sub("用户的?", "", match["role"]) if match else ""
    return match is not None and role in re.sub("用户的?", "", held) and match["value"] not in held


def _was_done_by_another(match: re.Match[str], held: str) -> bool:
    thing = re.sub("^用户(?:家|等人)?的?", "", match["thing"])
    if "轮流" in held and f"{match['verb']}{thing}" in held:
        return True
    did = re.search(rf"{_HAN}+?(?:帮用户)?{match['verb']}{match['thing']}", held)
    return did is not None and match["who"] not in held


def _iterate_named_anew(clauses: list[str]) -> Iterator[tuple[str, str]]:
    """The roles and things that somebody else or another name has now, with whom or what."""
    renamed = ""
    for clause in clauses:
        if _PASSING.search(clause):
            continue
        if renamed and (named := _NAMES_NOW.search(clause)):
            yield from ((renamed[at:], named["value"]) for at in range(len(renamed) - 1))
        elif match := _HOLDS_NOW.search(clause):
            # 换成了邵老师的师妹小顾老师: it is not hers any more.
            yield match["role"] or match["role2"], (match["value"] or match["value2"]).rpartition("的")[2]
        if match := _RENAMED.search(clause):
            renamed = re.sub("^用户(?:等人|家)?的?", "", match["role"])


def _is_of_role(held: str, role: str, value: str) -> bool:
    match = re.search(rf"{role}(?:的?名字)?(?:是|叫|姓|为)(?P<old>{_HAN}{{1,8}})", held)
    return match is not None and match["old"] not in value and value not in match["old"]


def _remove_dates(text: str) -> str:
    return re.sub("（[^（）]*）", "", text)


def _ends_state(clause: str, held: str) -> bool:
    if _LIKING.search(held):
        return False
    bare = re.sub("用户(?:等人|家)?的?", "", clause)
    if match := _TURNED_TO.search(_ONE_WORD.sub("，", bare)):
        eater = _EATER.match(match.string[: match.start()]) if match["verb"] in "吃喝" else None
        # People eat many things: what only somebody by name eats has another in its place.
        is_food = match["verb"] == "吃" and (eater is None or "药" in held)
        is_anothers = eater is not None and eater["who"] not in held
        return not (is_food or is_anothers) and _is_other_object(match["verb"], match["value"], held)
    if _is_done_otherwise(bare, held) or _is_done_no_more(bare, held) or is_in_other_mode(clause, held):
        return True
    if match := _FINISHED.match(bare):
        return re.search(f"(?:在|正|去)[^，]{{0,10}}{match['what']}(?:$|[，。])", held) is not None
    if match := _HANDED_OVER.search(bare):
        return match["thing"][-2:] in held and _IN_CHARGE.search(held) is not None
    for match in filter(None, (pattern.search(bare) for pattern in (_UNABLE, _NOT_AGAIN, _NO_MORE))):
        if _is_denied(match, held, is_of_user=not clause.startswith("用户的")):
            return True
    return _is_parted_with(bare, held)


# Of 兽医让饼干改吃罐头 it is Biscuit's food.
_EATER = re.compile(
    rf"(?:{_HAN}{{0,20}}[让给叫])?(?:现在|如今|以后|后来|早上|中午|下午|晚上"
    rf"|[就都也又已经]){{0,6}}(?P<who>(?!现在|如今|以后|后来|早上|中午|下午|晚上){_HAN}{{1,6}}?)(?:现在"
    rf"|以后|[就都也又已经]){{0,6}}$"
)


def _is_done_no_more(bare: str, held: str) -> bool:
    """Return whether somebody has moved out, takes another train now, or has had nothing of the kind since some day."""
    if _MOVED_OUT.match(bare):
        return _LODGES.search(held) is not None
    rides = _CATCHES.search(bare), _CATCHES.search(held)
    if rides[0] and rides[1] and _STATES_NOW.search(bare):
        return rides[0]["at"] != rides[1]["at"]
    stopped = _NOT_SINCE.search(bare)
    return (
        stopped is not None and re.search(rf"{stopped['verb']}[^，]{{0,3}}[根支包杯瓶两顿]", held) is not None
    )


def _is_done_otherwise(bare: str, held: str) -> bool:
    """Return whether somebody gets there another way, has another trade, or goes to another school now."""
    if _CHANGED_SCHOOL.search(bare):
        return _AT_SCHOOL.search(held) is not None
    schools = _TURNED_TO_SCHOOL.search(bare), _SCHOOL_OF.search(held)
    if schools[0] and schools[1]:
        return schools[0]["value"] != schools[1]["value"]
    if not _STATES_NOW.search(bare):
        return False
    ways = _WAY.search(bare), _WAY.search(held)
    if ways[0] and ways[1] and ways[0]["goal"].removeprefix("去") == ways[1]["goal"].removeprefix("去"):
        return ways[0][0] != ways[1][0]
    trades = _TRADE_NOW.search(_ONE_WORD.sub("，", bare)), _TRADE.search(_ONE_WORD.sub("，", held))
    return bool(trades[0] and trades[1] and trades[0]["what"] not in held)


def _is_denied(match: re.Match[str], held: str, *, is_of_user: bool) -> bool:
    held = held.replace("的", "") if match["verb"] in "是当" else held
    verb, thing = match["verb"], match["thing"] or _find_shared_beginning(match["topic"], held)
    is_named = len(thing) >= _LEAST and thing in held
    return (bool(thing) and verb + thing in held) or (
        is_named and (verb in held or (is_of_user and _is_trade(verb, thing, held)))
    )


def _is_parted_with(bare: str, held: str) -> bool:
    if match := _LEFT.search(bare):
        return bool(re.search(rf"[在是进住][^，]*?{re.escape(match['from'] or match['out'])}", held))
    if match := _PARTED.match(bare):
        thing = _find_shared_beginning(match["behind"] or match["before"], held)
        return bool(thing and re.search(rf"(?:{_HAVING})[^，]*{thing}", held))
    if match := _TURNED.search(bare):
        value = match["value"]
        rival = re.search(
            rf"[在上是打当做教值]{_HAN}{{0,6}}?({_HAN}{value[-1]})(?:(?<=[上值].班)|(?=$|的|上班|工作))", held
        )
        return rival is not None and rival[1] not in value
    return False


def _is_other_object(verb: str, value: str, held: str) -> bool:
    """Return whether the older clause has the verb with something else."""
    spared = _ONE_WORD.sub("，", held)
    matches = re.finditer(rf"(?<!不){verb}(?:过|着|的是)?(?P<old>{_HAN}{{1,8}})", spared)
    match = next((match for match in matches if _begins_word(spared, match.start())), None)
    is_at_another_hour = _HOUR.findall(held) != _HOUR.findall(value)
    is_other = match is not None and match["old"] not in value and value not in match["old"]
    if verb in "跑送" and len({_IS_NO_TRADE.search(f"{verb}{what}") is None for what in (value, held)}) > 1:
        return False
    return is_other and not (verb in "吃喝" and is_at_another_hour)


def _begins_word(text: str, place: int) -> bool:
    """Return whether a word begins there: 学 is no verb in 中学 and 数学."""
    ends = accumulate(map(len, segment_chinese(text)), initial=0)
    return place in set(ends)


# 跑五公里 and 跑外卖, 送女儿上学 and 送快递 are done beside each other.
_IS_NO_TRADE = re.compile(f"公里|千米|马拉松|[全半]马|圈|操场|步|米|上学|放学|回家|孩子|娃|{_KIN}")
_HOUR = re.compile("早[上饭餐]|上午|中午|午饭|下午|晚[上饭餐]|夜里|睡前|饭后")


def _is_trade(verb: str, thing: str, held: str) -> bool:
    """开公交 is what 公交司机 does, and 不当主任了 is said of who 是主任."""
    return bool(re.search(rf"(?:是|当)[^，]*{thing}{'' if verb in '当做干' else '.*[员师手工机板]'}$", held))


def _find_shared_beginning(words: str, held: str) -> str:
    """The longest beginning of the words behind the last 的 that the older clause has, too."""
    words = re.sub("^(?:[那这]个?)", "", words.rpartition("的")[2])
    sizes = range(len(words), _LEAST - 1, -1)
    return next((words[:size] for size in sizes if words[:size] in held), "")
