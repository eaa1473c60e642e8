"""Tell what is about the speaker from knowledge that others may share."""

from __future__ import annotations

import re
from dataclasses import replace

from memories.values import Draft, MemoryKind

_SELF = re.compile(r"\b(?:I|my|we|our|me)\b|[我咱]", re.IGNORECASE)
# As memories speak of the person who said something.
_OF_SOMEBODY = re.compile(r"\buser\b|用户", re.IGNORECASE)
# Who speaks for an organisation speaks of it, not of himself.
_PLACES = (
    r"(?:company|firm|organi[sz]ation|team|department|office|employer|school|university|policy|rules?"
    r"|customers?|clients?"
    r"|clinic|hospital|practice|patients?|pharmacy|laborator(?:y|ies)|club|members?|shop|store"
    r"|restaurant|hotel|guests?"
    r"|library|warehouse|factory|museum|bank|agency|studio|kindergarten|students?)\b"
)
_PLACES_ZH = (
    "公司|部门|团队|单位|学校|客户|制度|律所|律师事务所|事务所|诊所|医院|药店|病人|患者|俱乐部|会员"
    "|门店|商店|餐厅|饭店|酒店|客人|图书馆"
    "|仓库|工厂|博物馆|银行|机构|工作室|幼儿园|学生"
)
# "Our law office" and "our new clinic" are the organisation too; "my old school" is the speaker's own past.
_OUR_PLACE = re.compile(
    rf"\b(?:our (?:\w+ )?|my )(?={_PLACES})|(?:我们|咱们|我)的?(?={_PLACES_ZH})|我司", re.IGNORECASE
)
_USERS_PLACE = re.compile(
    rf"\bthe user's (?=(?:\w+ )?{_PLACES})|用户(?:等人)?的?(?={_PLACES_ZH})(?P<zh>)", re.IGNORECASE
)
_USERS_OLD_PLACE = re.compile(rf"\bthe user's \w+ (?={_PLACES})", re.IGNORECASE)
_OUR_OLD_PLACE = re.compile(rf"\bour \w+ (?={_PLACES})", re.IGNORECASE)


def is_of_oneself(statement: str) -> bool:
    """Said in the first person, by somebody who does not speak for an organisation."""
    return bool(_SELF.search(_OUR_PLACE.sub("the ", statement)))


def is_of_somebody(text: str) -> bool:
    """A memory's text that speaks of the end user."""
    return bool(_OF_SOMEBODY.search(text))


def rewrite_for_all(text: str) -> str:
    """The text without its "user" where that only stands for an organisation; "" when it is about a person."""
    shared = _USERS_PLACE.sub(lambda match: "" if match["zh"] is not None else "the ", text)
    shared = shared[:1].upper() + shared[1:]
    return "" if is_of_somebody(shared) or is_of_oneself(shared) else shared


def convert_to_knowledge(draft: Draft, message_text: str) -> Draft | None:
    """The draft as knowledge that says nothing of the person who stated it; None when it is about that person.

    `message_text` is the message that it came from. A named speaker's lines are no knowledge.
    """
    if draft.kind is not MemoryKind.FACT or draft.speaker:
        return None
    text = rewrite_for_all(draft.text)
    # Drafts say "the user's" for "our" as for "my".
    is_own = _USERS_OLD_PLACE.search(draft.text) and not _OUR_OLD_PLACE.search(message_text)
    if not text or is_own:
        return None
    return replace(draft, kind=MemoryKind.KNOWLEDGE, text=text, slot="", preference_type="")
