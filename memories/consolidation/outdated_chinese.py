"""Which memories in Chinese a later statement says are over, where no slot tells.

不卖冻梨了 ends 卖冻梨, 花店转让了 ends 开了家花店, 调到白班了 takes the place of 上夜班. Every clause is
read by itself; the thing must be the same by its words and the person the same by name, and what is doubtful stays.
"""

from __future__ import annotations

import re

_HAN = "[\u4e00-\u9fff]"
_CLAUSE = re.compile("[，。；！]")
# Of one day, or only thought of: no end of a habit.
_PASSING = re.compile(
    "今天|今晚|今早|明天|明早|后天|昨天|昨晚|这次|上次|下次|这周|下周|周末|暂时|先不|打算|准备|想(?!起)|要是|如果|万一|可能|说不定|听说|据说|[吗吧？?]"
)
# 不卖冻梨了, 不用跑野外了
_NO_MORE = re.compile(
    rf"(?:不|不用|不再|不用再|再也不|也不|早不)(?:用|再|去)?(?P<verb>{_HAN})(?P<thing>{_HAN}{{0,6}}?)了$"
)
_VERB_BEHIND = re.compile(rf"(?:不|不再|再也不)(?:去|再)?(?P<verb>{_HAN}{{1,2}})了$")
# 高铁一次没坐过了
_NOT_SINCE = re.compile(
    rf"(?P<thing>{_HAN}{{2,6}}?)(?:再也|一次|一回|一直|很久|好久|再)(?:也|都)?没(?:再)?(?P<verb>{_HAN})过?了?$"
)
# 从溜冰场辞了
_LEFT = re.compile(rf"从(?P<thing>{_HAN}{{2,8}}?)(?:辞|离|退|调|转|走|搬|出来|毕业)")
# 花店转让了, 咖啡戒了; 退了单间, 把车卖了
_GONE = "转让|转手|卖|退租|退|关门|关张|关|停|倒闭|注销|取消|解散|送人|扔|丢|戒|拆|辞|盘出去"
_GONE_BEHIND = re.compile(rf"^(?P<thing>.*?)(?:{_GONE})(?:掉|出去)?了$")
_GONE_BEFORE = re.compile(
    rf"(?:{_GONE})(?:掉)?了(?!一|两|三|几|[0-9])(?:那|这|之前的|原来的)?(?:个|家|辆|套|间|份)?(?P<thing>{_HAN}{{2,8}})$"
)
_HEALED = re.compile(r"^(?P<thing>.*?)(?:已经|都|全|终于)*(?:好|治好|痊愈|康复)了$")
_REACHED = re.compile(
    r"^(?P<thing>.*?)(?:已经|都|终于)*(?:拿到|考到|考过|考上|通过|办好|办下来|写完|学完|读完)了$"
)
# 换导师了
_EXCHANGED = re.compile(rf"换(?:了)?(?:个|份|位|新)*(?P<thing>{_HAN}{{2,4}}?)了?$")
# 调到白班了, 转到河北队了; 上五年级了, 现在穿二十三号
_MOVED = re.compile(rf"(?:调|转|换|改|升|搬|挪|换岗)(?:到|去|成|为|进|至)了?(?P<value>{_HAN}{{2,8}}?)了?$")
_STATED = re.compile(
    rf"(?:现在|如今|已经|目前)?(?P<verb>上|读|念|穿|住|管|开|骑|用|带|教|坐|值)(?P<value>{_HAN}{{2,6}}?)(?P<done>了?)$"
)
_AT_WORK = re.compile("在[^，]*(?:上班|工作|任职|就职)|在[^，]*(?:当|做)")
# 身段课改到周六上午了
_TIME = re.compile(
    "(?:周|星期|礼拜)[一二三四五六日天末]|[0-9零一二两三四五六七八九十]点|上午|下午|晚上|早上|中午"
)
_MOVED_TO_TIME = re.compile(rf"(?:改|调|挪|换|提前|推迟)(?:到|成|在|为|至)(?:{_TIME.pattern})[^，]*$")
_WORK = frozenset({"工作", "单位", "公司"})
_PLACED = re.compile(rf"(?P<what>用户的{_HAN}{{2,6}}?)在{_HAN}{{2,10}}$")
_RELOCATED = re.compile("(?:搬|迁)(?:到|去|至|进)")
# 上初二, 升五年级
_GRADE = re.compile(
    "(?:上|读|念|升|升到|升入)了?(?:幼儿园|小学|初中|高中)?(?P<grade>[小中大]班|[一二三四五六]年级|[初高大研][一二三四])"
)
_NOW = re.compile("现在|如今|目前|已经")
_NUMBER = "[零〇一二两三四五六七八九十百]+"
_WHO = re.compile(
    rf"^用户的(?P<kin>{_HAN}{{2}})|^(?P<user>用户)|^(?P<name>{_HAN}{{2,3}}?)(?=也|都|就|现在|已经|上个?月|不|从|把|在|去年|今年)"
)
_COUNT = re.compile("[0-9][0-9.]*[万千百]?|[零〇一二两三四五六七八九十百千万]+")
_COUNT_CHANGES = re.compile("现在|如今|目前|(?:涨|降|减|加|升|增|缩|扩|变|改)(?:到|成|为)|只剩|还剩")
_FRAMING = re.compile(
    "用户(?:的|等人)?|现在|如今|目前|已经|(?:又|都)?(?:涨|降|减|加|升|增加|缩|扩|变|改)(?:到|成|为)|只剩|还剩|一共|[有是了就也只共的]"
)
# What is said of a part of the body is said of its owner.
_BODY = "膝|腰|腿|脚|手|肩|颈|背|眼|耳|胃|牙|头|心脏|血|身体|嗓|肚|肝|肺"
_LIKING = re.compile("喜欢|喜爱|热爱|最爱|爱(?:吃|喝|看|听|玩)")
_DENIED = re.compile("[不没]|以前|曾经|戒|停了")
_HAVING = re.compile("开|买|租|养|有|办|报|订|经营|雇|车是")
_STRIVING = re.compile("在考|考着|备考|准备|打算|在办|在等|在写|在学|在读|想")
_ILL = re.compile("有|得了|患|查出|犯")
_LEAST = 2


def is_outdated_in_chinese(new: str, old: str) -> bool:
    """Whether the new statement says that what the old one tells is over or has another value now."""
    if any(mark in new + old for mark in "“”「」[") or _DENIED.search(old):
        return False
    held = _without_dates(old).rstrip("。")
    return _is_over(new, held, held)


def remaining_text(new: str, old: str) -> str:
    """An outdated statement without its clauses that are over; "" where nothing is left that stands alone."""
    first, *others = old.rstrip("。").split("，")
    subject = _SUBJECT.match(first)
    if subject is None or not others:
        return ""
    held = _without_dates(old).rstrip("。")
    kept = [clause for clause in (first, *others) if not _is_over(new, held, _without_dates(clause))]
    if len(kept) > len(others) or not kept:
        return ""
    opening = "" if kept[0] == first else subject.group()
    return f"{opening}{'，'.join(kept)}。"


# Whom a statement is about.
_SUBJECT = re.compile(rf"用户的{_HAN}{{2,4}}?(?=叫|是|在|有|每|住|上|做|当|跑|教|卖)|用户(?!的|等人)")


def _is_over(new: str, old: str, part: str) -> bool:
    """Whether the new statement says that a part of the old one is over."""
    clauses = [clause for clause in _CLAUSE.split(_without_dates(new)) if clause]
    who = _who(clauses[0]) if clauses else ""
    return any(
        (_is_same_person(who, clause, old) and _ends(clause, part)) or _is_exchanged(who, clause, part)
        for clause in clauses
        if not _PASSING.search(clause)
    )


def _without_dates(text: str) -> str:
    return re.sub("（[^（）]*）", "", text)


def _who(clause: str) -> str:
    """Whom the statement is about: "" where it names nobody but the thing itself."""
    found = _WHO.match(clause)
    return (found["kin"] or found["user"] or found["name"]) if found else ""


def _is_same_person(who: str, clause: str, held: str) -> bool:
    """Whether the clause is about whom the older statement is about; what the latter names besides is no person."""
    is_users = bool(re.match("用户(?!的)|用户的(?:车|房|店|导师|老板|工作)", held))
    if own := re.search(rf"用户的(?P<kin>{_HAN}{{2}})", clause):
        who = own["kin"]
    who = "" if re.match(rf"(?:{_BODY})", who) else who
    if who in ("", "用户"):
        return is_users
    return held.startswith((f"用户的{who}", who)) or f"叫{who}" in held or (is_users and who in held)


def _ends(clause: str, held: str) -> bool:
    bare = re.sub("^用户(?:等人)?(?:的)?", "", clause)
    if found := _NO_MORE.search(clause):
        verb, thing = found["verb"], found["thing"]
        is_work = (
            re.search(rf"是[^，]*{thing}[^，]*(?:司机|员|师|手|工|老板)", held)
            if len(thing) >= _LEAST
            else None
        )
        if not _LIKING.search(held) and (
            (bool(thing) and verb + thing in held)
            or (len(thing) >= _LEAST and thing in held and (verb in held or bool(is_work)))
        ):
            return True
    if (found := _VERB_BEHIND.search(clause)) and not _LIKING.search(held):
        thing = _named(re.sub("用户$", "", bare[: bare.find(found.group())]), held)
        if thing and found["verb"] in held:
            return True
    if (found := _NOT_SINCE.search(bare)) and not _LIKING.search(held):
        return bool(_named(found["thing"], held)) and found["verb"] in held
    if (found := _LEFT.search(clause)) and re.search(
        rf"(?:在|是|进)[^，]*?{re.escape(found['thing'])}", held
    ):
        return True
    if found := _GONE_BEHIND.match(re.sub("^把", "", bare)):
        return (
            bool(_named(found["thing"], held))
            and bool(_HAVING.search(held) or re.search("吃|喝|抽|上|订|学|练", held))
            and not _LIKING.search(held)
        )
    if (found := _GONE_BEFORE.search(clause)) and found["thing"] in held:
        return bool(_HAVING.search(held))
    if (found := _HEALED.match(bare)) and _ILL.search(held):
        return bool(_named(found["thing"], held))
    if (found := _REACHED.match(bare)) and _STRIVING.search(held):
        return bool(_named(found["thing"], held))
    if (found := _EXCHANGED.search(clause)) and found["thing"] in _WORK and _AT_WORK.search(held):
        return True
    if (found := _MOVED_TO_TIME.search(bare)) and _TIME.search(held):
        return bool(_named(bare[: found.start()], held))
    return _has_new_value(clause, held) or _has_new_count(clause, held)


def _is_exchanged(who: str, clause: str, held: str) -> bool:
    """换导师了 of 用户的导师是卓老师, and 公司搬到亦庄了 of 公司在望京."""
    found = _EXCHANGED.search(clause)
    if found and who in ("", "用户"):
        return bool(re.match(rf"用户的{re.escape(found['thing'])}(?:是|叫|姓|在)", held))
    placed = _PLACED.match(held)
    return placed is not None and clause.startswith(placed["what"]) and bool(_RELOCATED.search(clause))


def _named(words: str, held: str) -> str:
    """The longest beginning of the words that the older statement has, too."""
    words = re.sub("^(?:把|用户(?:的)?|我们?|那个?|这个?|家里的?)", "", words)
    for size in range(len(words), _LEAST - 1, -1):
        # 超市的酸奶卖了 is about the yoghurt.
        owned = words[size:].removeprefix("的") if words[size:].startswith("的") else ""
        if words[:size] in held and words[:size] != "用户" and (not owned or owned[:_LEAST] in held):
            return words[:size]
    return ""


def _has_new_value(clause: str, held: str) -> bool:
    """Another thing of one kind, by the last character: 夜班 and 白班, 三年级 and 五年级."""
    grades = _GRADE.search(clause), _GRADE.search(held)
    if grades[0] and grades[1]:
        return grades[0]["grade"] != grades[1]["grade"]
    moved, stated = _MOVED.search(clause), _STATED.search(clause)
    if moved:
        return bool(_rival(moved["value"], held, ""))
    if stated and (stated["done"] or _NOW.search(clause)):
        return bool(_rival(stated["value"], held, stated["verb"]))
    return False


def _has_new_count(clause: str, held: str) -> bool:
    """现在一个月休六天 of 一个月休四天, 房租涨到五千五 of 房租五千二: the same words around another number.

    Only of a statement that says nothing else: another clause may tell when that number held.
    """
    frame = _frame(clause)
    if not _COUNT_CHANGES.search(clause) or "#" not in frame or len(frame) < _LEAST or "，" in held:
        return False
    return _frame(held) == frame and _counts(held) != _counts(clause)


def _frame(clause: str) -> str:
    """The words of a clause without those of change, with "#" for its last number."""
    bare = _FRAMING.sub("", clause)
    *_, last = [None, *_COUNT.finditer(bare)]
    return f"{bare[: last.start()]}#{bare[last.end() :]}" if last else bare


def _counts(clause: str) -> str:
    return (_COUNT.findall(clause) or [""])[-1]


def _rival(value: str, held: str, verb: str) -> str:
    """What the older statement has in the place of the value: behind the same verb, or with the same head."""
    if verb:
        head = re.sub(rf"^{_NUMBER}", "", value)
        if head == value or not head:
            return ""
        found = re.search(rf"{verb}{_HAN}{{0,4}}?(?P<rival>{_NUMBER}{re.escape(head)})", held)
    else:
        found = re.search(
            rf"(?:在|上|是|打|当|做|教|值|去|属于){_HAN}{{0,6}}?(?P<rival>{_HAN}{re.escape(value[-1])})(?=$|，|的|上班|工作)",
            held,
        )
    return found["rival"] if found and found["rival"] not in value else ""
