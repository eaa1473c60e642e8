"""What a user asks to have remembered: "Please note that the office closes at 6", "Don't forget the dentist",
请记住……"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.text.claims.wishes import find_wish
from memories.text.slots.claim import Claim

_ASKING = (
    r"^(?:(?:please|pls|kindly|just|also|and|so|ok|okay|can you|could you|would you|will you|I (?:want"
    r"|need|would like) you to"
    r"|you (?:should|must|can)|make sure (?:to|you)|for (?:later|the record)),? )*"
)
_DO_NOT_OMIT = r"(?:do not|don't|never) forget"
_ORDER = re.compile(
    _ASKING
    + (
        rf"(?P<verb>remember|{_DO_NOT_OMIT}|keep in mind|bear in mind|be aware|take note|make a note"
        rf"|(?:note|write|jot|mark|put) down|note|record)"
    )
    + r"(?: down)?(?: for me)?(?: too| also)?(?: of(?= the| my| our| this| next))?"
    + (
        r"(?P<joint> that(?! (?:time|day|night|one|is all|'s all)\b)(?= \S)| ?[:,]| to(?= [a-z])"
        r"|(?= ))(?: about(?= the| my| our))? ?(?P<what>\S.{2,400})$"
    ),
    re.IGNORECASE,
)
# An order to save, add or know is one to remember only where a statement follows.
_KEEPING = re.compile(
    _ASKING + r"(?:save|store|add|log|know)(?: down)?(?: that(?= \S)| ?:) ?(?P<what>\S.{2,400})$",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"""
    ^(?:
        (?:I|we|he|she|they|there|you)\b
        | (?:the|my|our|his|her|their|this|next|today|tomorrow|every|all|no|(?-i:[A-Z])[\w-]+)
          \b[^,;:]{0,60}?\ (?:
              is | are | was | were | has | have | had | will | would | can | cannot | must | should
              | does | do | did | takes? | starts? | begins? | ends? | closes? | opens? | costs? | comes?
              | came | arrives? | leaves? | lives? | works? | likes? | loves? | hates? | prefers? | needs?
              | wants? | goes | went | moved | eats? | runs? | expires?
          )\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What names nothing by itself, and what asks rather than tells.
_NAMES_NOTHING = re.compile(
    r"""
    ^(?:
        (?:it|this|that|these|those|them|me|him|her|us|you|everything|anything|all|things?|stuff)\b
        | (?:when|how|what|who|whom|which|where|why|whether|if)\b
        | my\ (?:name|words?|message|question|preferences?|instructions?)$
        | the\ (?:following|above|rules?|instructions?)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DEFINITE = re.compile(
    r"^(?:the|my|our|his|her|their|next|this|today's|tomorrow's|[\w-]+'s)\b", re.IGNORECASE
)

_ORDER_ZH = re.compile(
    r"""
    ^(?:请|麻烦|帮我|帮忙|替我|给我|你|也|还|要|一定|务必|千万|能不能|可以|再|顺便|另外)*(?P<verb>
        记住 | 牢记 | 记得 | 记着 | (?:别|不要|勿)忘(?:记|了|掉)? | 记录(?:一下|下来?)? | 记(?:一下|下来?)
        | 备注(?:一下)? | 记个?笔记
    )(?:一下)?[：:，, ]*(?P<what>[^？?]{2,200})$
    """,
    re.VERBOSE,
)
_NAMES_NOTHING_ZH = re.compile(
    r"""
    ^(?:
        我(?:刚才|刚刚|之前|上面)?(?:说|讲|告诉|发) | 我的(?:话|名字|偏好|要求)$ | 这 | 那 | 它 | 以[上下]
        | [上下]面 | 你 | 了 | 吗 | 什么 | 怎么 | 来$ | 住$ | 他$ | 她$
    )
    | [吗呢么]$
    """,
    re.VERBOSE,
)
_STATES_ZH = re.compile(
    r"""
    ^(?:我|他|她|咱)
    | ^[^，]{1,20}(?:是|在|为|有|叫|到期|截止|过敏|喜欢|讨厌|不|需要|已经|改成|改为|推迟到|提前到|调整为)
    """,
    re.VERBOSE,
)
_PAST_ZH = re.compile("小时候|以前|曾经|那时|当年|[了过](?=[，。]|$)")
_DOES_ZH = re.compile("^记得|忘")


@dataclass(frozen=True, slots=True)
class Note:
    """A `statement`, to be read like any other, or `claims` as they stand; neither where nothing is named."""

    statement: str = ""
    claims: tuple[Claim, ...] = ()


def find_note(sentence: str, language: str) -> Note | None:
    """Find what is to be remembered, when that is what the sentence asks for."""
    if len(sentence) > 500:
        return None
    bare = sentence.strip(" .!。！")
    return _read_chinese(bare) if language == "zh" else _read_english(bare)


def _read_english(bare: str) -> Note | None:
    is_asked = bare.endswith("?")
    bare = bare.rstrip("? ")
    if kept := _KEEPING.match(bare):
        return None if is_asked and not _asks_politely(bare) else Note(kept["what"])
    match = _ORDER.match(bare)
    if not match or (is_asked and not _asks_politely(bare)):
        return None
    joint, what = match["joint"].strip(), match["what"]
    if find_wish(what, "en"):
        return Note(what)
    if joint == "to":
        return _build_reminder(f"to {what}")
    if _NAMES_NOTHING.match(what):
        return Note() if what.lower().startswith("my ") else None
    if joint == "that" or _STATES.match(what):
        return Note(what)
    verb = match["verb"].lower()
    if joint in (":", ","):
        return None if verb == "note" or joint == "," else _build_kept_note(f": {what}", what)
    return _build_named_note(verb, what)


def _asks_politely(bare: str) -> bool:
    return bool(re.match(r"(?:please |and |also )*(?:can|could|would|will) you\b", bare, re.IGNORECASE))


def _build_named_note(verb: str, what: str) -> Note | None:
    """Only a thing is named: what is wanted is that it be kept."""
    if verb.endswith("forget"):
        return _build_reminder(f"of {what}")
    if not _DEFINITE.match(what):
        return None
    return _build_kept_note(f" of {what}", what)


def _build_kept_note(ending: str, what: str) -> Note:
    return Note(claims=(Claim(f"I want to keep a note{ending}", "", f"Note: {what[:50]}"),))


def _build_reminder(what: str) -> Note:
    return Note(claims=(Claim(f"I want to be reminded {what}", "", f"Reminder: {what[3:53]}"),))


def _read_chinese(bare: str) -> Note | None:
    match = _ORDER_ZH.match(bare)
    if not match or (match["verb"] == "记得" and _PAST_ZH.search(match["what"])):
        return None
    what = match["what"]
    if _NAMES_NOTHING_ZH.search(what):
        return Note()
    if _STATES_ZH.match(what) or find_wish(what, "zh"):
        return Note(what)
    if _DOES_ZH.search(match["verb"]):
        return Note(claims=(Claim(f"我希望被提醒{what}", "", f"提醒：{what[:20]}"),))
    return Note(claims=(Claim(f"我想记录{what}", "", f"记录：{what[:20]}"),))
