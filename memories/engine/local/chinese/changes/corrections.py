"""What a user corrects: 不对，是周四; 说错了，不是三号是五号; 改到周六了."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import has_predicate, tag_words

_NUMBER = "[0-9０-９零〇一二两三四五六七八九十百千万点.半]"
_CUE = (
    "(?:(?:哦|啊|诶|欸|哎呀?|等等|等一下|抱歉|不好意思|sorry|Sorry|呃|额|嗯|刚才|刚刚|前面|上面|之前|我"
    "|好像|是我|可能|又|对了|啊呀)*"
    "(?:不对不对|[哦啊噢诶欸]不是(?=$|，)|等等(?=$|，(?:应该)?是)|等一?下(?=$|，(?:应该)?是)"
    "|[哦啊噢诶欸]不(?=$|，|是)|不不不?(?=$|，)|记岔了?|说岔了?|打错字了?|写错字了?|不对|不是不是"
    "|说错了?|讲错了?|打错了?|写错了?|记错了?|搞错了?|弄错了?|弄混了?|搞混了?|记混了?|看错了?|算错了?"
    "|数错了?|少算了?[^，]{0,6}|多算了?[^，]{0,6}|漏算了?[^，]{0,6}|口误|更正(?:一下|下)?|纠正(?:一下"
    "|下)?|错了)[啊呀哦了]*)"
)
LEAD = re.compile(rf"^{_CUE}(?:[，,：:。！! ]+|$|(?=应该|是|不是|我|他|她|它|那))")
_NO = re.compile("^(?:不|不是)，")
_NOT_BUT = re.compile(
    r"""
    ^(?:我|他|她|它|那个?|这个?|应该|其实|时间|地点|日期|刚才说的)*不(?:是|在|叫)(?P<old>[^，是]{1,20}?)
    (?:了|的)?[，,]?(?:而)?(?:应该)?是(?P<new>[^，]{1,24})$
    """,
    re.VERBOSE,
)
_BUT_NOT = re.compile(
    r"""
    ^(?:我|他|她|它|那个?|这个?|应该|其实|时间|地点|日期)*(?:应该)?(?:是|在|叫)?(?P<new>[^，]{1,24})[，,]
    (?:并)?(?:不是|而不是|不叫|不在)(?P<old>[^，]{1,20})$
    """,
    re.VERBOSE,
)
_SAID_IS = re.compile(
    r"""
    ^(?:我)?(?:刚才|刚刚|之前|上次|前面)?(?:说的?|讲的?|写的?|说成)(?:是)?(?P<old>[^，]{1,20})[，,]
    (?:其实|实际上?|应该)*(?:应该)?是(?P<new>[^，]{1,24})$
    """,
    re.VERBOSE,
)
# 也不姓曹，姓巢: what was said, denied with the same verb.
_NOT_VERB = re.compile(
    r"""
    ^(?P<what>[^，不]{0,8}?)(?:也|都)?不(?P<verb>姓|叫|在|去|住|吃|喝|用|学|教|属|坐|走|做)
    (?P<old>[^，]{1,12})，(?:而是|是)?(?P=verb)(?P<new>[^，]{1,12})$
    """,
    re.VERBOSE,
)
# 噢是四十三条: nobody says so but to put right what went before.
_OH_IS = re.compile(f"^(?:噢|哦|啊|诶|欸|哎|不)，?(?:不|应该)?是(?P<new>[^，]{{0,3}}{_NUMBER}[^，]{{0,10}})$")
# 不是三年级，开学已经四年级了: no verb of being before the value that holds, but one of the same measure.
_NOT_COUNT = re.compile(
    f"^(?:他|她|它|那个?)?不是(?P<old>{_NUMBER}+(?P<measure>[^，0-9]{{1,4}}))，(?P<rest>[^，]{{1,20}})$"
)
_AROUND_VALUE = 3
_REPEATED = re.compile("^(?:我|刚才|刚刚|是|应该)?(?:说错|记错|口误|打错|看错|搞错|算错|写错|弄错)了?，")
_CHANGED = re.compile(
    r"""
    ^(?P<what>[^，]{0,12}?)(?:从(?P<old>[^，]{1,12}?))?(?:又|已经|临时|最后|后来|被|给)*(?:
        改成 | 改到 | 改为 | 改在 | 改期到 | 换成 | 换到 | 换为 | 调到 | 调整到 | 调整为 | 推迟到 | 提前到
        | 延到 | 延期到 | 推到 | 挪到 | 变成 | 变为 | 顺延到
    )了?(?P<new>[^，]{1,24}?)了?$
    """,
    re.VERBOSE,
)
_IS = re.compile(
    "^(?:应该|其实|实际上?|准确(?:地)?说|正确的|那)*(?:应该)?(?:是|叫|在)(?P<new>[^，]{1,30}?)(?:才对)?$"
)
_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "day",
        re.compile(
            rf"(?:{_NUMBER}{{1,4}}年)?(?:{_NUMBER}{{1,3}}月份?)?{_NUMBER}{{1,3}}[号日](?!线|楼|院|门"
            rf"|店)|(?:{_NUMBER}{{1,4}}年)?{_NUMBER}{{1,3}}月(?:份|底|初|中旬|上旬|下旬|末)?(?!\\d)"
        ),
    ),
    (
        "holiday",
        re.compile(
            "(?:元旦|春节|除夕|过年|大年初[一二三四五六七八]|元宵|清明|五一|端午|七夕|中秋|国庆|十一假期|重阳|圣诞|平安夜|[寒暑]假)节?"
            "(?:[前后]?第?[一两二三四五六七\\d]天|当天|前夕|前后|[前后])?"
        ),
    ),
    ("weekday", re.compile("(?:上上|上|这|本|下下|下)?个?(?:周|星期|礼拜)[一二三四五六日天末](?!次)")),
    ("near day", re.compile("大前天|前天|昨天|今天|明天|大后天|后天|今晚|明晚|昨晚")),
    (
        "clock",
        re.compile(
            rf"(?:{lexis.TIME_OF_DAY})?{_NUMBER}{{1,4}}点(?:钟|半|{_NUMBER}{{1,3}}分?|一刻|三刻)?"
            rf"|(?:{lexis.TIME_OF_DAY})?\d{{1,2}}[:：]\d\d"
        ),
    ),
    ("score", re.compile(rf"{_NUMBER}{{1,3}}比{_NUMBER}{{1,3}}")),
    ("quantity", re.compile(rf"{_NUMBER}+(?:来|多)?(?P<unit>(?!月|号|日|点|年)[一-龥A-Za-z%℃]{{1,2}})?")),
)
# Any of these may be said for another.
_DAYS = frozenset(("day", "holiday", "weekday", "near day"))
_UNITS = (
    "块元万千百斤公斤克岁楼层米公里厘米度个只条本张台部间套平天周年小时分钟次片杯人口名级折寸码毫升升毫克粒"
    "瓶盒包门节组户室栋排页届"
)


# Of these, any statement may be meant.
_GENERAL = re.compile(
    "另外|还有|然后|时间|日期|地点|地方|又|已经|临时|最后|后来|我们?|咱们?|那个?|这个?|它|也|都|今天|刚刚?|要"
)
_TRAILING = re.compile("(?:才对|的|了|吧|啊|哦|呢)+$")


@dataclass(frozen=True, slots=True)
class CorrectedWords:
    """The words that hold instead, the wrong ones if they were named, and a clause that says all anew."""

    new: str = ""
    old: str = ""
    full: str = ""
    # Whether the words can mean nothing else: what they correct was false, even where it is not found.
    is_certain: bool = True
    # What has the new value, where the clause names it: 排练 of 排练改到周四.
    about: str = ""
    # Whether it came with 不对 or the like, so that it may correct what was said in the same breath.
    is_cued: bool = True


class CorrectionPlace(NamedTuple):
    """The clauses before a correction, the correction (None where there is none), and the clauses behind it."""

    before: list[str]
    correction: CorrectedWords | None
    after: list[str]


class Corrected(NamedTuple):
    """A statement with the right value, and the wrong words that it had."""

    text: str
    wrong: tuple[str, ...]


class Component(NamedTuple):
    """A value in a phrase: its type ("day", "quantity:元"), and the places where it starts and ends."""

    kind: str
    start: int
    end: int


def find_correction(clauses: list[str], is_expected: bool = False) -> CorrectionPlace:
    """Find the first correction.

    `is_expected`: the sentence before was only 说错了.
    """
    text = "，".join(clauses)
    lead = LEAD.match(text) or (_NO.match(text) if len(clauses) > 1 and _IS.match(clauses[1]) else None)
    if lead or is_expected:
        body = _REPEATED.sub("", text[lead.end() if lead else 0 :])
        correction, used = _read_correction(body.split("，"), is_cued=True)
        return CorrectionPlace([], correction, body.split("，")[used:])
    for at in range(len(clauses)):
        cue = LEAD.match(clauses[at])
        if cue and at:
            return find_correction(clauses[at:])._replace(before=clauses[:at])
        correction, used = _read_correction(clauses[at:], is_cued=False)
        if correction:
            return CorrectionPlace(clauses[:at], correction, clauses[at + used :])
    return CorrectionPlace(clauses, None, [])


def _read_correction(clauses: list[str], is_cued: bool) -> tuple[CorrectedWords | None, int]:
    """The correction that begins with the first clause, and how many clauses it takes."""
    if not clauses or not clauses[0]:
        return (CorrectedWords(is_certain=False) if is_cued else None), 0
    two, clause = "，".join(clauses[:2]), clauses[0]
    if match := _SAID_IS.match(two):
        return CorrectedWords(_clean_value(match["new"]), _clean_value(match["old"])), 2
    if len(clauses) > 1 and (match := _NOT_VERB.match(two)):
        return CorrectedWords(_clean_value(match["new"]), _clean_value(match["old"]), is_certain=False), 2
    for pattern, text, used in ((_NOT_BUT, two, 2), (_NOT_BUT, clause, 1), (_BUT_NOT, two, 2)):
        match = pattern.match(text)
        if match and (is_cued or pattern is _NOT_BUT or _is_same_type(match["old"], match["new"])):
            return CorrectedWords(
                _find_stated_value(match["new"]), _clean_value(match["old"]), is_certain=is_cued
            ), used
    if (match := _NOT_COUNT.match(two)) and (
        new := re.search(f"{_NUMBER}+{re.escape(match['measure'])}", match["rest"])
    ):
        return CorrectedWords(new.group(), match["old"], is_certain=False), 2
    if match := _CHANGED.match(clause):
        is_short = len(match["what"]) <= 6 and not re.search("我|把", match["what"])
        if is_cued or (is_short and _find_components(match["new"])):
            full = "" if is_short else clause
            old = _clean_value(match["old"] or "")
            about = "" if is_cued else _GENERAL.sub("", match["what"])
            return CorrectedWords(_clean_value(match["new"]), old, full, False, about, is_cued), 1
    if not is_cued:
        if match := _OH_IS.match(clause):
            return CorrectedWords(_clean_value(match["new"]), is_certain=False), 1
        return None, 0
    if match := _IS.match(clause):
        return CorrectedWords(_clean_value(match["new"])), 1
    if _is_bare_value(clause) and len(clause) <= 10 and not re.search("[我他她它]", clause):
        return CorrectedWords(_clean_value(clause)), 1
    return CorrectedWords(full="，".join(clauses)), len(clauses)


def _is_bare_value(words: str) -> bool:
    """Return whether the words are hardly more than values: 周四下午三点; 校车司机缺一个 says of what it counts."""
    values = _find_components(words)
    return bool(values) and len(words) - sum(value.end - value.start for value in values) <= _AROUND_VALUE


# 日期和地点都对: what stays as it was.
_CONFIRMS = re.compile("^[^，我]{1,10}(?:都|也|还是|仍)*(?:没错|是?对的?|不变|没变|照旧|没问题|不用改)$")


def only_explains(clause: str, correction: CorrectedWords) -> bool:
    """Return whether a clause behind a correction says how the new name is written (鸟巢的巢) or that the rest is
    right."""
    value = correction.new
    is_spelled = len(value) == 1 and bool(re.match(f"^[^，]{{1,6}}的{re.escape(value)}$", clause))
    return is_spelled or bool(_CONFIRMS.match(clause))


def says_what_was_meant(clauses: list[str]) -> bool:
    """Return whether a sentence itself says what has changed: 本来订的五号，改成八号了 is about no earlier date."""
    return any(re.match("(?:我们?)?(?:本来|原本|原定|原先)", clause) for clause in clauses)


def is_cue_only(clauses: list[str]) -> bool:
    """Return whether the sentence only says that something was wrong."""
    text = "，".join(clauses)
    match = LEAD.match(text)
    return match is not None and match.end() == len(text)


def _clean_value(words: str) -> str:
    return re.sub("^(?:在|叫|是)", "", _TRAILING.sub("", words.strip(" “”"))) or words


def _find_stated_value(words: str) -> str:
    """周四 of 的瑜伽课是周四: what is said to be, without what it is said of. 叫花鸡 and 是非题 are words of their
    own."""
    parts = [word.text for word in tag_words(words)]
    # The tagger takes 课是 for one word.
    said_of = next(
        (at for at, part in enumerate(parts) if at and part[1:] in ("", "是") and part[-1] in "是叫"), None
    )
    stated = words if said_of is None else "".join(parts[said_of + 1 :])
    return _TRAILING.sub("", stated.strip(" “”")) or words


def apply_correction(correction: CorrectedWords, statement: str) -> Corrected | None:
    """The earlier words with the right value, and the wrong words; None where they hold nothing of the kind."""
    if correction.about and not any(part in statement for part in _split_pairs(correction.about)):
        return None
    if correction.old and correction.old in statement:
        new = _remove_surroundings(correction.new, correction.old, statement)
        return Corrected(statement.replace(correction.old, new), (correction.old,))
    if correction.full:
        return _correct_by_clause(correction.full, statement) or _correct_by_verb(correction.full, statement)
    if correction.old:
        core = _remove_prefix(correction.old)
        if core and core in statement:
            right = _remove_prefix(correction.new) or correction.new
            return Corrected(statement.replace(core, right), (core,))
        if not _find_components(correction.old):
            return None
    exchanged = _correct_by_type(correction.new, statement)
    if exchanged:
        return exchanged
    if _find_components(correction.new):
        return None
    if framed := _correct_by_frame(correction.new, statement):
        return framed
    return _correct_by_kind(correction.new, statement)


def _split_pairs(words: str) -> list[str]:
    return [words[at : at + 2] for at in range(max(len(words) - 1, 1))]


def _remove_surroundings(new: str, old: str, statement: str) -> str:
    """五楼 of 会议室在五楼, where the earlier words say 会议室在三楼: what stands around the old words is there
    already."""
    before, after = statement.split(old, 1)
    for size in range(len(new) - 1, 0, -1):
        if before.endswith(new[:size]):
            new = new[size:]
            break
    for size in range(len(new) - 1, 0, -1):
        if after.startswith(new[-size:]):
            return new[:-size]
    return new


def _remove_prefix(value: str) -> str:
    return re.sub("^(?:在|去|到|叫|用|的)", "", value)


def _is_same_type(old: str, new: str) -> bool:
    return bool({part.kind for part in _find_components(old)} & {part.kind for part in _find_components(new)})


_TAIL = re.compile(rf"{_NUMBER}+(?:分钟?|秒|毛|两|克)?")


def _find_components(words: str) -> list[Component]:
    """The values of a phrase by type: days, weekdays, times of the day, quantities."""
    components: list[Component] = []
    claimed: set[int] = set()
    for kind, pattern in _TYPES:
        for match in pattern.finditer(words):
            if claimed.intersection(range(*match.span())):
                continue
            if kind == "quantity" and not (
                match["unit"]
                and match["unit"][:1] in _UNITS
                or re.search("[0-9]|^[^万千百]+[万千百]", match.group())
            ):
                continue
            claimed.update(range(*match.span()))
            unit = match["unit"] or "" if kind == "quantity" else ""
            unit = unit if unit in _UNITS or unit[:1] not in _UNITS else unit
            end = match.end()
            if (
                kind == "quantity"
                and unit
                and unit not in ("公斤", "公里", "厘米", "小时", "分钟", "毫升", "毫克")
                and len(unit) == 2
            ):
                end -= 1
                unit = unit[:1]
            if unit and (tail := _TAIL.match(words, end)):
                end = tail.end()
                claimed.update(range(match.start(), end))
            components.append(Component(f"{kind}:{unit}" if unit else kind, match.start(), end))
    return sorted(components, key=lambda part: part.start)


def _correct_by_type(new: str, statement: str) -> Corrected | None:
    wanted, present = _find_components(new), _find_components(statement)
    if not wanted:
        return None
    swaps: list[tuple[int, int, str]] = []
    for kind, start, end in wanted:
        same = (
            [part for part in present if part.kind == kind]
            or [
                part
                for part in present
                if part.kind.split(":")[0] == kind.split(":")[0] == "quantity" and ":" not in kind
            ]
            or [part for part in present if {part.kind, kind} <= _DAYS]
        )
        if not same:
            continue
        _, at, to = same[-1]
        words = new[start:end]
        if kind == "day" and "月" in statement[at:to] and "月" not in words:
            words = statement[at : at + statement[at:to].index("月") + 1] + words
        if kind == "weekday" and statement[at:to][:1] in "上下这本" and words[:1] not in "上下这本":
            words = statement[at:to][: len(statement[at:to]) - 2] + words
        if (
            kind == "clock"
            and not re.match(lexis.TIME_OF_DAY, words)
            and (period := re.match(lexis.TIME_OF_DAY, statement[at:to]))
        ):
            words = period.group() + words
        if (
            ":" not in kind
            and kind == "quantity"
            and (unit := re.search("[^0-9０-９零〇一二两三四五六七八九十百千万点.半]+$", statement[at:to]))
        ):
            words += unit.group()
        swaps.append((at, to, words))
    if not swaps:
        return None
    text, taken = statement, []
    for at, to, words in sorted(swaps, reverse=True):
        if text[at:to] != words:
            taken.append(text[at:to])
        text = text[:at] + words + text[to:]
    return Corrected(text, tuple(taken)) if taken else None


def _correct_by_frame(new: str, statement: str) -> Corrected | None:
    """去舟山演 for 去宁波演: what stands between the same words is another."""
    for head in range(min(3, len(new) - 2), 0, -1):
        for tail in range(min(3, len(new) - head - 1), 0, -1):
            frame = re.escape(new[:head]), re.escape(new[-tail:])
            match = re.search(f"{frame[0]}(?P<old>[^，《》“”]{{1,8}}?){frame[1]}", statement)
            if match and match["old"] != new[head:-tail]:
                words = statement[: match.start("old")] + new[head:-tail] + statement[match.end("old") :]
                return Corrected(words, (match["old"],))
    return None


def _correct_by_kind(new: str, statement: str) -> Corrected | None:
    """A name, a place or a thing for another that is written alike, or for the last one of its kind."""
    new = new.strip()
    kin = re.compile(lexis.PEOPLE)
    if kin.fullmatch(new) and (matches := list(kin.finditer(statement))):
        old = matches[-1].group()
        return Corrected(statement.replace(old, new), (old,))
    if old := _find_written_alike(new, statement):
        return Corrected(statement.replace(old, new), (old,))
    mine = [word for word in tag_words(new) if word.tag[:1] in "nje"]
    if len(new) > 6 or not mine or has_predicate(new):
        return None
    last = mine[-1]
    same = [
        word for word in tag_words(statement) if word.tag == last.tag and word.text not in (last.text, "用户")
    ]
    # 铁 of 拿铁 is a part of a word that the tagger does not know.
    if not same or (len(same[-1].text) == 1 < len(last.text)):
        return None
    return Corrected(statement[: same[-1].start] + new + statement[same[-1].end :], (same[-1].text,))


def _find_written_alike(new: str, statement: str) -> str:
    """A stretch of as many characters of which the first or the last half is the same: 俞主任 for 喻主任."""
    size = len(new)
    if not 2 <= size <= 8:
        return ""
    half = max(1, size // 2)
    for at in range(len(statement) - size, -1, -1):
        part = statement[at : at + size]
        if (
            part != new
            and "，" not in part
            and (part[-half:] == new[-half:] or (size > 2 and part[:half] == new[:half]))
        ):
            return part
    return ""


def _correct_by_clause(full: str, statement: str) -> Corrected | None:
    """三千万是前年的，去年是四千二百万: the clause that is about the statement gives the value."""
    for clause in full.split("，")[::-1]:
        match = re.match("^(?P<what>[^，是我他她]{1,8})是(?P<new>[^，]{1,16})$", clause)
        if (
            match
            and match["what"] in statement
            and (exchanged := _correct_by_type(_clean_value(match["new"]), statement))
        ):
            return exchanged
    return None


_VERB = re.compile(
    r"""
    (?P<verb>教|学|住|叫|在|是|去|吃|喝|用|买|属|有|养|开|做|姓|订|约|花|交|对|从|到|坐)(?:的是|的|了)?
    (?P<object>[^，]{1,16}?)(?:的|了)?(?=$|，)
    """,
    re.VERBOSE,
)


def _correct_by_verb(full: str, statement: str) -> Corrected | None:
    """A clause that says it anew: what stands behind the same verb is replaced."""
    for mine in _VERB.finditer(full):
        for theirs in _VERB.finditer(statement):
            if mine["verb"] != theirs["verb"] or mine["object"] == theirs["object"]:
                continue
            start, end = theirs.span("object")
            return Corrected(statement[:start] + mine["object"] + statement[end:], (theirs["object"],))
    return None
