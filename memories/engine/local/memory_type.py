"""How long a memory is good for: a trait of the user, something that happened, or only the matter at hand."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from memories.text.slots import get_condition_pattern

_NOW_EN = re.compile(
    r"""
    \b(?:
        right\ now | at\ the\ moment | just\ now | today | tonight | this\ (?:morning|afternoon|evening)
        | currently\ (?:at|on\ my\ way|stuck|waiting)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_IS_EN = re.compile(
    r"\b(?:is|are|feels?|needs?|has (?:a|an|to)|wants? to|must|will be|waits?)\b", re.IGNORECASE
)
_DID_EN = re.compile(
    r"""
    \b(?:
        was | were | went | got | did | had | came | met | saw | bought | started | finished | moved | ran
        | made | won | lost | broke | told | \w{3,}ed
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOW_ZH = re.compile("今天|今晚|今早|此刻|这会儿|现在正|刚才")
_DID_ZH = re.compile("[了过]")
# Relatives and animals of the user's, and what is so of them for years; ages; illnesses and what is taken for them.
_TRAIT_EN = (
    r"^(?:\S+ ){0,1}?The user(?: and others)?(?:'s (?:[\w-]+ ){0,2}(?:wife|husband|partner|son|daughter"
    r"|mother|father|mom|mum|dad|brother|sister|kids|children|parents|girlfriend|boyfriend|fianc[eé]e?"
    r"|family|dog|cat)\b(?: \w+)? (?:is|has|lives|works|likes|was born)"
    r"| (?:has|was diagnosed with|suffers from) (?:[\w-]+ ){0,3}%s\b| takes [\w-]+ (?:once|twice|every"
    r"|daily))"
)
_TRAIT_ZH = (
    "^用户的(?:妈|爸|老婆|老公|妻子|丈夫|女儿|儿子|孩子|哥|姐|弟|妹|父|母)[^，。]{0,8}(?:是|有|叫|今年|住"
    "|在|[0-9一二三四五六七八九十]+岁)|^用户(?:有|患有|得了)[^，。]{0,6}%s"
)


@cache
def _build_trait_pattern(language: str) -> re.Pattern[str]:
    pattern = _TRAIT_ZH if language == "zh" else _TRAIT_EN
    return re.compile(pattern % get_condition_pattern("zh" if language == "zh" else "en"), re.IGNORECASE)


def detect_memory_type(
    text: str, slot: str, event_time: datetime | None, said_at: datetime, language: str
) -> str:
    """The MemOS name for it: UserMemory, LongTermMemory or WorkingMemory."""
    if slot:
        return "UserMemory"
    if _is_of_today(text, event_time, said_at, language):
        return "WorkingMemory"
    return "UserMemory" if _build_trait_pattern(language).search(text) else "LongTermMemory"


def _is_of_today(text: str, event_time: datetime | None, said_at: datetime, language: str) -> bool:
    """What is so today, and was not done today: a feat of today is still one next year."""
    if event_time is not None and event_time.date() != said_at.date():
        return False
    if language == "zh":
        return bool(_NOW_ZH.search(text)) and not _DID_ZH.search(text)
    # What an assistant says of a day, as the weather or the traffic, needs no verb.
    is_view_of_today = event_time is not None and text.startswith("[assistant view]")
    is_so_now = bool(_NOW_EN.search(text)) and bool(_IS_EN.search(text))
    return (is_view_of_today or is_so_now) and not _DID_EN.search(text)
