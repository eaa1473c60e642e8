"""Which memories in Chinese a later statement says are over, where no slot tells.

Three forms say so: a verb that is denied with 了 (不卖冻梨了, 法语不学了), a verb of parting with a thing or of
leaving a place (花店转让了, 从溜冰场辞了), and a change to another value of one kind (调到白班了 of 上夜班). Each
clause is read by itself; the thing must be the same by its words and the person the same by name, and what is
doubtful stays.
"""

from __future__ import annotations

import re

_HAN = "[\u4e00-\u9fff]"
_CLAUSE = re.compile("[，。；！]")
# Of one day, or only thought of: no end of a habit.
_PASSING = re.compile(
    "今[天晚早]|明[天早]|[后昨]天|昨晚|[这上下]次|[这下]周|周末|暂时|先不|打算|准备|想(?!起)|要是|要不是|如果|假如|早知道|万一|可能|说不定|听说|据说|[吗吧？?]"
)
_NO_MORE = re.compile(
    rf"(?P<topic>{_HAN}*?)(?:再也|也|早就?)?不(?:再|用|去)*(?P<verb>{_HAN})(?P<thing>{_HAN}{{0,6}}?)了$"
)
_PARTING = "转让|转手|盘出去|注销|解散|倒闭|关门|卖|退|关|停|戒|拆|丢|扔|辞"
_PARTED = re.compile(
    rf"^把?(?P<before>{_HAN}*?)(?:{_PARTING})掉?了(?:[一两三四五六七八九十半几0-9]+个?[天周月年]了?)?(?![一两三几0-9])(?:[那这][个家辆套间份]?)?(?P<behind>{_HAN}{{0,8}})$"
)
_LEFT = re.compile(
    rf"(?:从(?P<from>{_HAN}{{2,8}}?)(?:辞|离职|退[出休下]|调|转|毕业|搬出|搬走)|退出了?(?P<out>{_HAN}{{2,8}}?)了?$)"
)
_TURNED = re.compile(rf"(?:调|转|换|升)[到去成为]了?(?P<value>{_HAN}{{2,8}}?)了?$")
# What somebody has or keeps doing, and can therefore part with.
_HAVING = "[开买租养有办报订雇吃喝抽学]|上(?!班)|(?<!教)练"
# What is liked may be liked after it is over; what is denied or past is no state any more.
_LIKING = re.compile("喜欢|喜爱|热爱|最爱|爱[吃喝看听玩]")
_NO_STATE = re.compile("[不没]|以前|曾经|戒|停了")
_WHO = re.compile(
    rf"用户的(?P<kin>{_HAN}{{2}})|^(?P<user>用户)|^(?P<name>{_HAN}{{2,3}}?)(?=也|都|就|现在|已经|上个?月|不|从|把|在|去年|今年)"
)
_LEAST = 2


def is_outdated_in_chinese(new: str, old: str) -> bool:
    """Whether the new statement says that a clause of the old one is over or has another value now."""
    return _ended_clause(new, old) is not None


def remaining_text(new: str, old: str) -> str:
    """The clauses of an outdated statement before the one that is over; those behind it may depend on it."""
    kept = old.rstrip("。").split("，")[: _ended_clause(new, old)]
    return f"{'，'.join(kept)}。" if kept else ""


def _ended_clause(new: str, old: str) -> int | None:
    """The place of the first clause of the old statement that the new one ends."""
    if any(mark in new + old for mark in "“”「」[") or _NO_STATE.search(old):
        return None
    clauses = [clause for clause in _CLAUSE.split(_without_dates(new)) if clause]
    who = _whom(clauses[0]) if clauses else ""
    said = [clause for clause in clauses if not _PASSING.search(clause) and _is_of_one(who, clause, old)]
    held = _without_dates(old.rstrip("。")).split("，")
    return next((at for at, part in enumerate(held) if any(_ends(clause, part) for clause in said)), None)


def _without_dates(text: str) -> str:
    return re.sub("（[^（）]*）", "", text)


def _whom(clause: str) -> str:
    """Whom the statement is about: "" where it names nobody but the thing itself."""
    found = _WHO.search(clause)
    return (found["kin"] or found["user"] or found["name"]) if found else ""


def _is_of_one(who: str, clause: str, held: str) -> bool:
    """Whether the clause is about whom the older statement is about."""
    who = _whom(clause) if "用户的" in clause else who
    is_users = bool(re.match("用户(?!的)", held))
    if who in ("", "用户"):
        return is_users
    return held.startswith((f"用户的{who}", who)) or f"叫{who}" in held or (is_users and who in held)


def _ends(clause: str, held: str) -> bool:
    if _LIKING.search(held):
        return False
    bare = re.sub("用户(?:等人|家)?的?", "", clause)
    if found := _NO_MORE.search(bare):
        verb, thing = found["verb"], found["thing"] or _shared(found["topic"], held)
        is_named = len(thing) >= _LEAST and thing in held
        return (bool(thing) and verb + thing in held) or (
            is_named and (verb in held or _is_trade(verb, thing, held))
        )
    if found := _LEFT.search(bare):
        return bool(re.search(rf"[在是进住][^，]*?{re.escape(found['from'] or found['out'])}", held))
    if found := _PARTED.match(bare):
        thing = _shared(found["behind"] or found["before"], held)
        return bool(thing and re.search(rf"(?:{_HAVING})[^，]*{thing}", held))
    if found := _TURNED.search(bare):
        value = found["value"]
        rival = re.search(
            rf"[在上是打当做教值]{_HAN}{{0,6}}?({_HAN}{value[-1]})(?:(?<=[上值].班)|(?=$|的|上班|工作))", held
        )
        return rival is not None and rival[1] not in value
    return False


def _is_trade(verb: str, thing: str, held: str) -> bool:
    """开公交 is what 公交司机 does, and 不当主任了 is said of who 是主任."""
    return bool(re.search(rf"是[^，]*{thing}{'' if verb in '当做' else '.*[员师手工机板]'}$", held))


def _shared(words: str, held: str) -> str:
    """The longest beginning of the words behind the last 的 that the older clause has, too."""
    words = re.sub("^(?:[那这]个?)", "", words.rpartition("的")[2])
    sizes = range(len(words), _LEAST - 1, -1)
    return next((words[:size] for size in sizes if words[:size] in held), "")
