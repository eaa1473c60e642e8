"""What people do says what they may like: lines of behaviour logs, habits, and what is done again and again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.engine.local.rules.claims import liking_slot, slot_of

_LOG_EN = re.compile(
    r"^(?:the user |user )?(?:(?:frequently|repeatedly|often|recently|then|also) )?(?P<did>clicked|browsed|bookmarked|viewed|searched|favou?rited|subscribed|added|saved|purchased|downloaded|followed|shared|watched|visited)"
    r"(?: and (?:clicked|browsed|bookmarked|viewed|saved|purchased|favou?rited))? (?:on |for |to )?(?:(?:the )?(?:product|item|detail|article|category)?(?: detail)? ?(?:page|video|post|article|product|item)s?(?: of| for| about)?[:：] ?)?(?P<thing>.+)$",
    re.IGNORECASE,
)
_LOG_ZH = re.compile(
    r"^(?:用户)?(?:频繁|多次|经常|最近|反复)?(?P<did>点击|浏览|收藏|搜索|关注|加购|订阅|查看|下载|观看|购买)(?:并(?:点击|浏览|收藏|购买|加购))?了?(?:商品|文章|视频|页面)?[:：]?(?P<thing>.+)$"
)
_QUOTED = re.compile("['\"“‘「『《]([^'\"”’」』》]{2,60})['\"”’」』》]")
_ENDS = re.compile(
    r"\s+(?:to enter|to (?:the |my )?(?:cart|basket|wish ?list|favou?rites|library)|in the|on the|from|for|at|detail page|page|pages|ad|ads|three times|twice|again|\d+ times)\b|\s+(?:detail )?pages?\b|[,，。;]|(?:的?广告|的?页面|的?详情|进入|的?视频)"
)
_LOW_RISK = re.compile(r"\b(?:low|lower)[- ]risk\b|\bconservative\b|低风险|稳健|保本", re.IGNORECASE)
_HIGH_RISK = re.compile(r"\bhigh[- ]risk\b|\baggressive growth\b|高风险|激进", re.IGNORECASE)

_ACTS_EN = "ordered|order|ordering|got|getting|had|having|ate|eating|drank|drinking|bought|buying|watched|watching|listened to|listening to|played|playing|visited|visiting|chose|choosing|picked|took|taking|booked|booking|went to|cooked|cooking|stayed at"
_ACT_EN = re.compile(
    rf"^(?:I |I am |we )?(?:(?:am|just|also|then|again|now) )*(?P<did>{_ACTS_EN}) (?:an? |the |some |my |another )?(?P<thing>[\w' -]{{3,60}}?)"
    r"(?= (?:again|for (?:breakfast|lunch|dinner)|today|tonight|yesterday|this|last|on|at|with|too|from|in|tomorrow|once more|as usual|because|and|but)\b|[,.;!]|$)",
    re.IGNORECASE,
)
_ACT_ZH = re.compile(
    "^(?:我)?(?:今天|昨天|前天|又|刚刚?|中午|晚上|早上|上周[一二三四五六日天]?|还是?|也)*(?P<did>点|吃|喝|买|看|听|去|玩|订|选)了?(?:一?[杯份个碗盘部本次])?(?P<thing>[\u4e00-\u9fffA-Za-z0-9]{2,12})(?:了)?$"
)
_HABIT_EN = re.compile(
    r"^(?P<who>I|we) (?P<often>usually|always|typically|normally|mostly|generally|tend to|almost always|only ever|nearly always) (?:just )?(?:order|drink|eat|choose|pick|take|stay (?:at|in)|fly(?: with)?|buy|wear|get|go for|go with|have|book|listen to|watch|read|cook|use|sit in) "
    r"(?P<thing>[^,.;!?]{3,80}?)(?P<rest>(?: (?:when|for|on|because|since|if|after|before|in the|at)\b.*)?)$",
    re.IGNORECASE,
)
_HABIT_ZH = re.compile(
    "^(?:我|我们)(?:平时|一般|通常|总是|每次)(?:都|会|只)*(?P<did>点|喝|吃|选|买|住|坐|用|穿|看|听|订)(?P<thing>[^，。！？]{2,20})$"
)
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Hint:
    """A preference that somebody's doings suggest, and why one may think so."""

    text: str
    reasoning: str
    turns: tuple[int, ...]
    language: str
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Deed:
    """What a sentence says that the user did; a `logged` one was written by a program."""

    said: str
    thing: str
    at: int
    language: str
    is_logged: bool


def find_deed(sentence: str, language: str, at: int) -> Deed | None:
    bare = sentence.strip(" .。!！")
    if not bare or len(bare) > 200:
        return None
    if thing := _logged_thing(bare, language):
        return Deed(bare, thing, at, language, is_logged=True)
    match = (_ACT_ZH if language == "zh" else _ACT_EN).match(bare)
    if not match or len(match["thing"].split()) > 5:
        return None
    return Deed(bare, match["thing"].strip(), at, language, is_logged=False)


def _logged_thing(bare: str, language: str) -> str:
    match = (_LOG_ZH if language == "zh" else _LOG_EN).match(bare)
    if not match:
        return ""
    quoted = _QUOTED.search(match["thing"])
    return quoted[1] if quoted else _ENDS.split(match["thing"])[0].strip(" ，,")


def find_habit(sentence: str, language: str, at: int) -> Hint | None:
    """As in "I usually drink my coffee black"."""
    bare = sentence.strip(" .。!！")
    match = (_HABIT_ZH if language == "zh" else _HABIT_EN).match(bare) if len(bare) < 200 else None
    if not match:
        return None
    thing = match["thing"].strip()
    if language == "zh":
        reasoning = f"用户说这是自己的习惯：“{bare}”。"
        return Hint(f"用户可能偏好{thing}。", reasoning, (at,), "zh", _question(thing))
    thing = re.sub(r"\bmy\b", "their", thing)
    rest = match["rest"] or ""
    reasoning = f"The user said that this is what they {match['often'].lower()} do."
    return Hint(
        f"The user may prefer {thing}{_of_user(rest)}.",
        reasoning,
        (at,),
        "en",
        "" if rest else _question(thing),
    )


def _of_user(rest: str) -> str:
    return re.sub(
        r"\bmy\b", "their", re.sub(r"\b(?:I am|we are)\b", "they are", re.sub(r"\b(?:I|we)\b", "they", rest))
    )


def _question(thing: str) -> str:
    slot = liking_slot(thing, is_rival=True)
    return slot if slot.startswith("taste:") else ""


def find_hints(deeds: Sequence[Deed]) -> Iterator[Hint]:
    """One hint for each thing that a log shows an interest in, or that was done three times and more."""
    by_thing: dict[str, list[Deed]] = defaultdict(list)
    for deed in deeds:
        if slot := slot_of("", deed.thing):
            by_thing[slot].append(deed)
    for same in by_thing.values():
        if any(deed.is_logged for deed in same):
            yield _interest(same)
        elif len(same) >= _FEWEST:
            yield _repeated(same)
    yield from _risk_taste([deed for deed in deeds if deed.is_logged])


def _interest(same: Sequence[Deed]) -> Hint:
    last = same[-1]
    said = [f"{deed.said[0].lower()}{deed.said[1:]}" for deed in same]
    turns = _turns(same)
    if last.language == "zh":
        return Hint(f"用户可能对{last.thing}感兴趣。", f"由用户的行为推断：{'；'.join(said)}。", turns, "zh")
    return Hint(
        f"The user may be interested in {last.thing}.",
        f"Inferred from what the user did: {'; '.join(said)}.",
        turns,
        "en",
    )


def _repeated(same: Sequence[Deed]) -> Hint:
    last, times = same[-1], len(same)
    slot = slot_of("habit", last.thing)
    if last.language == "zh":
        reasoning = f"用户{times}次提到类似的行为：{'；'.join(deed.said for deed in same[:4])}。"
        return Hint(f"用户可能喜欢{last.thing}。", reasoning, _turns(same), "zh", slot)
    reasoning = f"The user did so {times} times: {'; '.join(deed.said for deed in same[:4])}."
    return Hint(f"The user may like {last.thing}.", reasoning, _turns(same), "en", slot)


def _risk_taste(logged: Sequence[Deed]) -> Iterator[Hint]:
    for pattern, english, chinese in (
        (_LOW_RISK, "conservative", "保守"),
        (_HIGH_RISK, "aggressive", "激进"),
    ):
        shown = [deed for deed in logged if pattern.search(deed.said)]
        if not shown:
            continue
        said = "; ".join(f"{deed.said[0].lower()}{deed.said[1:]}" for deed in shown)
        if shown[-1].language == "zh":
            yield Hint(
                f"用户的风险偏好可能偏{chinese}。",
                f"由用户的行为推断：{said}。",
                _turns(shown),
                "zh",
                "hint:risk",
            )
        else:
            yield Hint(
                f"The user's risk preference may be {english}.",
                f"Inferred from what the user did: {said}.",
                _turns(shown),
                "en",
                "hint:risk",
            )


def _turns(deeds: Sequence[Deed]) -> tuple[int, ...]:
    return tuple(sorted({deed.at for deed in deeds}))
