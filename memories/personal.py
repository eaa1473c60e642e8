"""What is about the person who speaks, and what is knowledge that others may share."""

from __future__ import annotations

import re
from dataclasses import replace

from memories.engine.local.contrast import find_contrast
from memories.engine.local.wording import wordings
from memories.values import Draft, Kind

_SELF = re.compile(r"\b(?:I|my|we|our|me)\b|[我咱]", re.IGNORECASE)
# As memories speak of the person who said something.
_OF_SOMEBODY = re.compile(r"\buser\b|用户", re.IGNORECASE)
# Who speaks for an organisation speaks of it, not of himself.
_PLACES = (
    r"company|firm|organi[sz]ation|team|department|office|employer|school|university|policy|rules?|customers?"
)
_OUR_PLACE = re.compile(
    rf"\b(?:our|my) (?={_PLACES})|(?:我们|咱们|我)的?(?=公司|部门|团队|单位|学校|客户|制度)|我司",
    re.IGNORECASE,
)
_USERS_PLACE = re.compile(
    rf"\bthe user's (?={_PLACES})|用户的?(?=公司|部门|团队|单位|学校|客户|制度)(?P<zh>)", re.IGNORECASE
)


def is_of_oneself(statement: str) -> bool:
    """Said in the first person, by somebody who does not speak for an organisation."""
    return bool(_SELF.search(_OUR_PLACE.sub("the ", statement)))


def is_of_somebody(text: str) -> bool:
    """A memory's text that speaks of the end user."""
    return bool(_OF_SOMEBODY.search(text))


def for_all(text: str) -> str:
    """The text without its "user" where that only stands for an organisation; "" when it is about a person."""
    shared = _USERS_PLACE.sub(lambda match: "" if match["zh"] is not None else "the ", text)
    shared = shared[:1].upper() + shared[1:]
    return "" if is_of_somebody(shared) or is_of_oneself(shared) else shared


def knowledge_in(draft: Draft) -> Draft | None:
    """The draft as knowledge that says nothing of the person who told it; None when it is about that person.

    What happened once is no knowledge, unless it says how a value came to be another one; nor are a named speaker's
    lines and what only an assistant claimed.
    """
    if draft.kind is not Kind.FACT or draft.speaker:
        return None
    text = for_all(draft.text)
    is_event = any(one.is_event for one in wordings(text)) and find_contrast(text) is None
    if not text or is_event:
        return None
    return replace(draft, kind=Kind.KNOWLEDGE, text=text, slot="", preference_type="")
