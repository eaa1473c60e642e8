"""What a user wants to be reminded of: "Remind me to call Anna", "Take the kids to the zoo on Saturday, please
remember it"."""

from __future__ import annotations

import re

from memories.text.slots.claim import Claim

_REMIND = re.compile(
    r"""
    ^(?:(?:please|can\ you|could\ you|and|also|ok|okay|,)\ )*(?:
        remind\ me(?P<when>\ (?:on|at|tomorrow|tonight|next|this|in|later)[^,]{0,40}?)?\ to
        | do\ not\ let\ me\ forget\ to | help\ me\ (?:to\ )?remember\ to
    )\ (?P<what>[^?]{4,200})$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TAIL = re.compile(
    r"""
    ^(?P<what>
        (?!(?:please|can|could|you|this|that|these|those|translate|write|summari[sz]e)\b)[^?:]{8,200}?
    )(?:,|;|\ [-–—]|\.)\s*(?:so\ |and\ )?(?:please\ )?(?:
        remember | note | do\ not\ forget | keep\ in\ mind | save | write\ down
    )\ (?:it|this|that)(?:\ for\ me)?(?:\ please)?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Take the kids to the zoo", "Pick up the parcel": words that only a verb stands before. "Book club at 7" names a
# thing.
_ACTION = re.compile(
    r"^[a-z]{2,} (?:up |out |back |off |down )?(?:the|an?|my|our|his|her|their|some|him|them|me|us)\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"^(?:I|my|we|our|the|he|she|it|they|there|his|her)\b|^(?-i:[A-Z])\w+ (?:is|are|was|has|have|will|likes)\b",
    re.IGNORECASE,
)
# Of what, the talk before it says: 那就1月15号提醒我。
_REMIND_THEN_ZH = re.compile(
    r"""
    ^(?:请|麻烦|帮我|那|就|你)*(?P<when>[^，,提]{0,8}[\d一二三四五六七八九十天晚早][^，,提]{0,6})(?:再)?
    提醒我(?:一下|一声|吧|就行)?$
    """,
    re.VERBOSE,
)
_REMIND_ZH = re.compile("^(?:请|麻烦|帮我)*(?:(?P<when>[^，,提]{1,10})，?)?提醒我(?P<what>[^？?]{2,60})$")
_TAIL_ZH = re.compile("^(?P<what>[^？?]{4,60}?)，(?:请|帮我|你)*(?:记住|记一下|记下来|别忘了)$")


def find_reminder(sentence: str, language: str) -> list[Claim]:
    """Find what is to be done, as something that the user wants."""
    bare = sentence.strip(" .!。！")
    if len(bare) > 260:
        return []
    return _read_chinese(bare) if language == "zh" else _read_english(bare)


def _read_english(bare: str) -> list[Claim]:
    if match := _REMIND.match(bare):
        statement = f"I want to be reminded{match['when'] or ''} to {match['what']}"
        return [Claim(statement, "", f"Reminder: {match['what'][:50]}")]
    match = _TAIL.match(bare)
    if not match or _STATES.match(match["what"]):
        return []
    what = match["what"]
    if _ACTION.match(what):
        return [Claim(f"I plan to {what[0].lower()}{what[1:]}", "", f"Plan: {what[:50]}")]
    return [Claim(f"I want to keep a note: {what}", "", f"Note: {what[:50]}")]


def _read_chinese(bare: str) -> list[Claim]:
    if match := _REMIND_ZH.match(bare):
        return [Claim(f"我希望{match['when'] or ''}被提醒{match['what']}", "", f"提醒：{match['what'][:20]}")]
    if match := _REMIND_THEN_ZH.match(bare):
        return [Claim(f"我希望{match['when']}被提醒", "", f"提醒：{match['when']}")]
    match = _TAIL_ZH.match(bare)
    if not match or "我" in match["what"]:
        return []
    return [Claim(f"我打算{match['what']}", "", f"计划：{match['what'][:20]}")]
