"""What people do says what they may like: lines of behaviour logs, habits, and what is done again and again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memories.text.slots.claim import build_liking_slot, build_slot
from memories.text.words.tokenize import segment_chinese

_LOG_EN = re.compile(
    r"""
    ^(?:the\ user\ |user\ )?(?:(?:frequently|repeatedly|often|recently|then|also)\ )?(?P<did>
        clicked | browsed | bookmarked | viewed | searched | favou?rited | subscribed | added | saved
        | purchased | downloaded | followed | shared | watched | visited
    )(?:\ and\ (?:clicked|browsed|bookmarked|viewed|saved|purchased|favou?rited))?\ (?:on\ |for\ |to\ )?
    (?:
        (?:the\ )?(?:product|item|detail|article|category)?(?:\ detail)?\ ?
        (?:page|video|post|article|product|item)s?(?:\ of|\ for|\ about)?[:：]\ ?
    )?(?P<thing>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LOG_ZH = re.compile(
    r"""
    ^(?:用户)?(?:频繁|多次|经常|最近|反复)?(?P<did>点击|浏览|收藏|搜索|关注|加购|订阅|查看|下载|观看|购买)
    (?:并(?:点击|浏览|收藏|购买|加购))?了?(?:商品|文章|视频|页面)?[:：]?(?P<thing>.+)$
    """,
    re.VERBOSE,
)
_QUOTED = re.compile("['\"“‘「『《]([^'\"”’」』》]{2,60})['\"”’」』》]")
_ENDS = re.compile(
    r"""
    \s+(?:
        to\ (?:the\ |my\ )?(?:cart|basket|wish\ ?list|favou?rites|library) | in\ the | on\ the
        | from | for | at | detail\ page | page | pages | ad | ads | three\ times | twice | again
        | \d+\ times
    )\b
    | \s+(?:detail\ )?pages?\b | [,，。;] | (?:的?广告|的?页面|的?详情|进入|的?视频)
    """,
    re.VERBOSE,
)
# How much of something there is: "low-fat milk", "sugar-free drinks", 无糖饮料.
_LEVEL_EN = re.compile(
    r"\b(?P<level>(?:low|lower|high|higher|zero|non)-(?P<about>[a-z]{2,20})|(?P<without>[a-z]{2,20})-free)\b",
    re.IGNORECASE,
)
_LEVELS_ZH = ("低", "高", "无", "零")

_ACTS_EN = (
    "ordered|order|ordering|got|getting|had|having|ate|eating|drank|drinking|bought|buying|watched|watching"
    "|listened to|listening to|played|playing|visited|visiting|chose|choosing|picked|took|taking|booked"
    "|booking|went to|cooked|cooking|stayed at"
)
_ACT_EN = re.compile(
    rf"^(?:I |I am |we )?(?:(?:am|just|also|then|again|now) )*(?P<did>{_ACTS_EN}) (?:an? |the |some "
    rf"|my |another )?(?P<thing>[\w' -]{{3,60}}?)"
    r"(?= (?:again|for (?:breakfast|lunch|dinner)|today|tonight|yesterday|this|last|on|at|with|too|from"
    r"|in|tomorrow|once more|as usual|because|and|but)\b|[,.;!]|$)",
    re.IGNORECASE,
)
_ACT_ZH = re.compile(
    "^(?:我)?(?:今天|昨天|前天|又|刚|中午|晚上|早上|上周[一二三四五六日天]?|还是?|也)*(?P<did>点|吃|喝"
    "|买|看|听|去|玩|订|选)了?(?:一?[杯份个碗盘部本次])?(?P<thing>[\u4e00-\u9fffA-Za-z0-9]{2,12})"
    "(?:了)?$"
)
_HABIT_EN = re.compile(
    r"^(?P<who>I|we) (?P<often>usually|always|typically|normally|mostly|generally|tend to|almost always"
    r"|only ever|nearly always) (?:just )?(?:order|drink|eat|choose|pick|take|stay (?:at|in)|fly(?: with)?"
    r"|buy|wear|go for|go with|book|listen to|watch|read|cook|use|sit in"
    # What one gets and has may be a headache: a thing that is chosen has an article, or a meal that it is for.
    r"|(?:get|have)(?= (?:the|my|our|extra|another|one|two|three)\b| [^,.;!?]{2,40} for (?:breakfast|brunch"
    r"|lunch|dinner|supper|tea|dessert|pudding|starters?)\b)|get(?= an? )) "
    # "I usually eat around eight", "… cook outside": when or where, and no thing.
    r"(?!(?:it|this|that|them|him|her|around|about|at|in|on|before|after|by|with|without|for|to|from|until|till|near"
    r"|outside|inside|indoors|outdoors|out|early|late|there|here|together|alone|when|while|as|if|because)\b)"
    r"(?P<thing>[^,.;!?]{3,80}?)(?P<rest>(?: (?:when|for|on|because"
    r"|since|if|after|before|in the|at)\b.*)?)$",
    re.IGNORECASE,
)
_HABIT_ZH = re.compile(
    r"""
    ^(?:我|我们)(?:平时|一般|通常|总是|每次)(?:都|会|只)*(?P<did>点|喝|吃|选|买|住|坐|用|穿|看|听|订)
    (?P<thing>[^，。！？]{2,20})$
    """,
    re.VERBOSE,
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
class Action:
    """Action of the user that a sentence states; a `logged` one was written by a program."""

    sentence: str
    thing: str
    at: int
    language: str
    is_logged: bool


def find_action(sentence: str, language: str, at: int) -> Action | None:
    bare = sentence.strip(" .。!！")
    if not bare or len(bare) > 200:
        return None
    if thing := _find_logged_thing(bare, language):
        return Action(bare, thing, at, language, is_logged=True)
    match = (_ACT_ZH if language == "zh" else _ACT_EN).match(bare)
    if not match or len(match["thing"].split()) > 5:
        return None
    return Action(bare, match["thing"].strip(), at, language, is_logged=False)


def _find_logged_thing(bare: str, language: str) -> str:
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
        return Hint(f"用户可能偏好{thing}。", reasoning, (at,), "zh", _get_taste_slot(thing))
    thing = re.sub(r"\bmy\b", "their", thing)
    rest = match["rest"] or ""
    reasoning = f"The user said that this is what they {match['often'].lower()} do."
    return Hint(
        f"The user may prefer {thing}{_rewrite_for_user(rest)}.",
        reasoning,
        (at,),
        "en",
        "" if rest else _get_taste_slot(thing),
    )


def _rewrite_for_user(rest: str) -> str:
    return re.sub(
        r"\bmy\b", "their", re.sub(r"\b(?:I am|we are)\b", "they are", re.sub(r"\b(?:I|we)\b", "they", rest))
    )


def _get_taste_slot(thing: str) -> str:
    slot = build_liking_slot(thing, is_rival=True)
    return slot if slot.startswith("taste:") else ""


def find_hints(actions: Sequence[Action]) -> Iterator[Hint]:
    """One hint for each thing that a log shows an interest in, or that was done three times and more."""
    by_thing: dict[str, list[Action]] = defaultdict(list)
    for action in actions:
        if slot := build_slot("", action.thing):
            by_thing[slot].append(action)
    for same in by_thing.values():
        if any(action.is_logged for action in same):
            yield _build_interest_hint(same)
        elif len(same) >= _FEWEST:
            yield _build_habit_hint(same)
    yield from _iterate_level_hints([action for action in actions if action.is_logged])


def _build_interest_hint(same: Sequence[Action]) -> Hint:
    last = same[-1]
    phrases = [f"{action.sentence[0].lower()}{action.sentence[1:]}" for action in same]
    turns = _list_turns(same)
    if last.language == "zh":
        return Hint(
            f"用户可能对{last.thing}感兴趣。", f"由用户的行为推断：{'；'.join(phrases)}。", turns, "zh"
        )
    return Hint(
        f"The user may be interested in {last.thing}.",
        f"Inferred from what the user did: {'; '.join(phrases)}.",
        turns,
        "en",
    )


def _build_habit_hint(same: Sequence[Action]) -> Hint:
    last, times = same[-1], len(same)
    slot = build_slot("habit", last.thing)
    if last.language == "zh":
        reasoning = f"用户{times}次提到类似的行为：{'；'.join(action.sentence for action in same[:4])}。"
        return Hint(f"用户可能喜欢{last.thing}。", reasoning, _list_turns(same), "zh", slot)
    reasoning = f"The user did so {times} times: {'; '.join(action.sentence for action in same[:4])}."
    return Hint(f"The user may like {last.thing}.", reasoning, _list_turns(same), "en", slot)


def _iterate_level_hints(logged: Sequence[Action]) -> Iterator[Hint]:
    """Return how much of something the things have that a log shows: of each, the level that is shown last and what
    showed it."""
    by_attribute: dict[str, list[tuple[str, Action]]] = defaultdict(list)
    for action in logged:
        if pair := _find_level_zh(action.thing) if action.language == "zh" else _find_level_en(action.thing):
            level, attribute = pair
            by_attribute[attribute].append((level, action))
    for attribute, shown in by_attribute.items():
        level, last = shown[-1]
        same = [action for name, action in shown if name == level]
        slot = build_slot("hint", attribute)
        if last.language == "zh":
            summary = "；".join(action.sentence for action in same)
            yield Hint(
                f"用户可能偏好{level}的选择。",
                f"由用户的行为推断：{summary}。",
                _list_turns(same),
                "zh",
                slot,
            )
        else:
            summary = "; ".join(f"{action.sentence[0].lower()}{action.sentence[1:]}" for action in same)
            text = f"The user may prefer {level} options."
            yield Hint(text, f"Inferred from what the user did: {summary}.", _list_turns(same), "en", slot)


def _find_level_en(thing: str) -> tuple[str, str] | None:
    match = _LEVEL_EN.search(thing)
    if not match:
        return None
    return match["level"].lower(), (match["about"] or match["without"]).lower()


def _find_level_zh(thing: str) -> tuple[str, str] | None:
    for word, following in pairwise([*segment_chinese(thing), ""]):
        if word in _LEVELS_ZH and following:
            return f"{word}{following}", following
        if word[:1] in ("低", "无") and len(word) == 2:
            return word, word[1:]
    return None


def _list_turns(actions: Sequence[Action]) -> tuple[int, ...]:
    return tuple(sorted({action.at for action in actions}))
