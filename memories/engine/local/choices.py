"""Choices among what the assistant offered: what was chosen is a fact, what it hints at a careful preference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memories.engine.local.english import expand

_CHOICE_EN = re.compile(
    r"^(?:(?:ok(?:ay)?|then|so|great|well|thanks|thank you|sounds good|alright)[,!.]? )*(?:I (?:will |would |am going to |think I will |have decided to |want to |guess I will |(?:have )?decided on |"
    r"(?:have )?chosen )?(?:choose|chose|pick|picked|take|go with|go for|went with|select|selected|opt for|book|prefer|try|like)|let's (?:go with|take|book|do)|"
    r"I (?:decided on|have chosen|have picked|have decided on|want))\s+(?P<chosen>[^.!?;]{1,80})",
    re.IGNORECASE,
)
_CHOICE_ZH = re.compile(
    r"^(?:好的?|嗯|那|行|可以|[，,！!])*(?:我|那我|我们)?(?:就|还是|决定|要|想|会|来)*(?:选择?|挑|订|定|住|去|要|买|用)(?:了|择)?(?P<chosen>[^，。！？]{1,30}?)(?:吧|了|就好|好了)?$"
)
_ORDINAL = re.compile(
    r"\b(?:the )?(?P<en>first|second|third|fourth|fifth|last|1st|2nd|3rd) (?:one|option|choice|hotel)?|第(?P<zh>[一二三四五])(?:个|种|家|款)?|最后一(?:个|种|家)",
    re.IGNORECASE,
)
_ORDINALS = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "fifth": 4,
    "last": -1,
}
_OFFER = re.compile(
    r"(?:consider|options? (?:like|such as|are|include)|such as|recommend|suggest|try|including|like|choose (?:from|between)|available:|options:|可以考虑|推荐|建议|有|例如|比如|包括|：|:)\s*"
    r"(?P<list>[^.!?。！？\n]{3,300})",
    re.IGNORECASE,
)
_LINE_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、])\s*\**(?P<item>[^\n:：*(（—–]{2,60})", re.MULTILINE)
_SEPARATOR = re.compile(r"\s*,\s*(?:and |or )?|\s+(?:and|or)\s+|、|，|和|或者|或|以及")
_VAGUE = re.compile(
    r"^(?:options (?:like|such as) |the |many )?(?:others?|etc\.?|more|so on|等等?|其他|例如|)$",
    re.IGNORECASE,
)
_ASKED_FOR = re.compile(
    r"\b(?:which|what|any|some|recommend(?: an?| some| any)?|suggest(?: an?| some| any)?)\s+(?P<what>(?:(?!(?:are|is|do|can)\b)[a-z-]+ ){0,2}?[a-z-]+?)(?=\s+(?:are|is|do|does|can|could|would|should|for|in|to|near|that|available)\b|\?|$)",
    re.IGNORECASE,
)
_ASKED_FOR_ZH = re.compile(
    r"(?:哪些|什么|哪家|哪个|有没有|推荐(?:一下|几家|一些|个)?)(?P<what>[\u4e00-\u9fff]{2,8}?)(?:可以|可选|比较|推荐|适合|吗|呢|能|$|？)"
)
# Only well-known ends of the scale: the middle hints at nothing.
_TIERS = (
    (
        re.compile(
            r"7 days inn|home inn|hanting|super 8|motel 6|ibis|hostel|budget|economy|cheap|low[- ]cost|days inn|travelodge|premier inn|ryanair|easyjet|spring airlines"
            r"|7天|七天|如家|汉庭|锦江之星|速8|青年旅舍|青旅|经济|便宜|实惠",
            re.IGNORECASE,
        ),
        "cost-effective",
        "性价比高的",
    ),
    (
        re.compile(
            r"hilton|marriott|ritz|four seasons|hyatt|sheraton|intercontinental|luxury|five[- ]star|5-star|first class|business class|premium|希尔顿|万豪|丽思|四季酒店|凯悦|香格里拉|五星|头等舱|商务舱|豪华",
            re.IGNORECASE,
        ),
        "upscale",
        "高档的",
    ),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """`chosen` out of `options`; `what` they are ("hotel chains"), where the user's question told."""

    chosen: str
    options: tuple[str, ...]
    what: str


def find_choice(sentence: str, offer: str, question: str, language: str) -> Choice | None:
    """The choice that a sentence makes among the options that the assistant named just before."""
    bare = sentence.rstrip(" .!。！")
    match = _CHOICE_ZH.match(bare) if language == "zh" else _CHOICE_EN.match(expand(bare))
    if not match or not offer:
        return None
    options = options_of(offer)
    chosen = _chosen(match["chosen"].strip(), options, offer)
    if not chosen:
        return None
    asked = (_ASKED_FOR_ZH if language == "zh" else _ASKED_FOR).search(question)
    return Choice(chosen, tuple(options), asked["what"].strip() if asked else "")


def options_of(offer: str) -> list[str]:
    """What an offer lists, by lines or within a sentence."""
    items = [match["item"].strip() for match in _LINE_ITEM.finditer(offer[:4_000])]
    if len(items) < 2:
        lists = [_SEPARATOR.split(match["list"]) for match in _OFFER.finditer(offer[:4_000])]
        items = max(lists, key=len, default=[])
    cleaned = [
        re.sub(
            r"^(?:options (?:like|such as) |the |an? )|(?:等等?|之类的)$|[\[\]\"“”]",
            "",
            item.strip(),
            flags=re.IGNORECASE,
        )
        for item in items
    ]
    return [item for item in cleaned if not _VAGUE.match(item) and len(item) <= 60][:12]


def hint_of(choice: Choice, language: str) -> tuple[str, str]:
    """What the choice may say about the user's taste, and why: only "may", and only from what was passed over."""
    others = [option for option in choice.options if option.lower() != choice.chosen.lower()]
    tier = next(
        (
            names
            for pattern, *names in _TIERS
            if pattern.search(choice.chosen) and not all(pattern.search(o) for o in others)
        ),
        None,
    )
    return _chinese_hint(choice, others, tier) if language == "zh" else _english_hint(choice, others, tier)


def _english_hint(choice: Choice, others: Sequence[str], tier: Sequence[str] | None) -> tuple[str, str]:
    what = _singular(choice.what) or "option"
    passed_over = f" over {', '.join(others[:4])}" if others else ""
    why = f"The user chose {choice.chosen}{passed_over} when the assistant offered several; the reason was not stated."
    if tier:
        return (
            f"The user may prefer {tier[0]} {what}s, such as {choice.chosen}.",
            f"{why} {choice.chosen} is known as {tier[0]}.",
        )
    return f"The user may prefer {choice.chosen} among {what}s{passed_over}.", why


def _chinese_hint(choice: Choice, others: Sequence[str], tier: Sequence[str] | None) -> tuple[str, str]:
    what = choice.what or "选项"
    why = (
        f"助手给出多个选项时，用户选择了{choice.chosen}"
        + (f"，没有选{'、'.join(others[:4])}" if others else "")
        + "；用户没有说明原因。"
    )
    if tier:
        return f"用户可能偏好{tier[1]}{what}，例如{choice.chosen}。", why
    return f"用户在{what}中可能更偏好{choice.chosen}。", why


def _singular(noun: str) -> str:
    return re.sub(r"(?<=[a-z])(?<!s)s$", "", noun.lower())


def _chosen(said: str, options: Sequence[str], offer: str) -> str:
    ordinal = _ORDINAL.search(said)
    if ordinal and len(said.split()) <= 4:
        at = (
            _ORDINALS.get((ordinal["en"] or "").lower(), -1)
            if not ordinal["zh"]
            else "一二三四五".index(ordinal["zh"])
        )
        return options[at] if -len(options) <= at < len(options) else ""
    lowered = said.lower()
    named = next(
        (option for option in sorted(options, key=len, reverse=True) if option.lower() in lowered), ""
    )
    if named:
        return named
    bare = re.sub(r"^(?:the|an?) | (?:please|then|for now|instead)$", "", said, flags=re.IGNORECASE)
    return bare if len(bare) > 1 and bare.lower() in offer.lower() else ""
