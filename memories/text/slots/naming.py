"""Names the slots of drafts by what their sentences say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memories.text.clauses.wording import read_wordings
from memories.text.slots.registry import holds_many_values
from memories.text.slots.states import State, find_states
from memories.values import Draft, MemoryKind

# Another clause behind the state: a later state would take what it says along.
_MORE = re.compile(
    r"""
    ，(?!现在住在那里)[^，]{4,} | ,\ (?:and|but|so|he|she|they|which|who)[ ]
    | \ and\ (?:is|has|was|does|can|will|the\ user|[a-z]+s\ \w) | ;[ ]
    """,
    re.VERBOSE,
)
_TWO = re.compile(r"^[A-Z][\w'-]+ and the user\b")
# One more beside what stands in the slot.
_BESIDES = re.compile(r"\b(?:also|too|as well|part-time|a second|another|on the side|besides)\b|也|还|兼|另")
# What somebody may have two of.
_OF_SEVERAL = frozenset({"vehicle", "device:phone", "device:computer"})
# What is done on some days only leaves others for another: "I work at the library on Mondays".
_BY_DAYS = frozenset({"employer", "job", "school"})
_ON_DAYS = re.compile(
    r"\bon (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|每?(?:周|星期|礼拜)[一二三四五六日天末](?![到至])"
)
_ONE_MORE = re.compile(
    r"\b(?:a second|a third|an extra|a spare|another|one more)\b|又[买添]|第二[辆台部]|还[买有]"
)
_MOVED = re.compile(
    r"""
    ^The\ user(?:\ and\ [\w ]{2,20})?\ (?:has\ |have\ )?(?:just\ |recently\ |actually\ )?moved
    (?:\ house|\ again|\ away)?\b(?!\ (?:to|from|in|the|their))
    | ^用户(?:已经|刚|最近)?搬(?:家|走)了?(?=$|[。，])
    """,
    re.VERBOSE,
)
_IS_IN = re.compile(
    r"""
    ^The\ user(?:\ and\ [\w ]{2,20})?\ (?:is|are)\ (?:now\ )?in[ ]
    (?P<place>[A-Z][\w'-]+(?:\ [A-Z][\w'-]+)*)(?:\ now)?\.$
    | ^用户(?:现在)?在(?P<zh>[^，。]{2,6})了?。$
    """,
    re.VERBOSE,
)
_IS_AT = re.compile(
    r"""
    ^The\ user\ is\ (?:now\ |currently\ )?(?:at|with)\ (?P<name>[A-Z][\w'&-]*(?:\ [A-Z][\w'&-]*)*)
    (?:\ (?:now|these\ days|instead))?\.$
    """,
    re.VERBOSE,
)
_NAMED = frozenset({MemoryKind.FACT, MemoryKind.PREFERENCE})


def name_slots(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with slot and value where one sentence describes a state of the user or of somebody named.

    A slot that a reader gave stays; what it only guessed at, and lines of a talk, have none.
    """
    moved = {draft.turns for draft in drafts if _MOVED.match(draft.text)}
    changed = {draft.turns for draft in drafts if _leaves_employer(draft)}
    return [
        _name_slot(
            _name_employer(_name_home(draft) if draft.turns in moved else draft, draft.turns in changed)
        )
        for draft in drafts
    ]


def _leaves_employer(draft: Draft) -> bool:
    states = find_states(draft.text, draft.language) if draft.kind in _NAMED else ()
    return any(state.slot == "employer" and state.is_end for state in states)


def _name_employer(draft: Draft, has_left_another: bool) -> Draft:
    """ "I quit Globex, I'm at Acme now": being at a firm is working there only where the same words leave another."""
    firm = _IS_AT.match(draft.text) if has_left_another and not draft.slot else None
    return replace(draft, slot="employer", value=firm["name"], memory_type="UserMemory") if firm else draft


def _name_home(draft: Draft) -> Draft:
    """ "I moved, I'm in York now": being somewhere is living there only where the same words tell of the move."""
    place = _IS_IN.match(draft.text)
    return (
        replace(draft, slot="residence", value=place["place"] or place["zh"])
        if place and not draft.slot
        else draft
    )


def _name_slot(draft: Draft) -> Draft:
    is_guess = draft.preference_type == "implicit_preference"
    if draft.kind not in _NAMED or draft.speaker or is_guess or len(read_wordings(draft.text)) != 1:
        return draft
    states = find_states(draft.text, draft.language)
    is_of_some_days = bool(states) and states[0].slot in _BY_DAYS and _ON_DAYS.search(draft.text) is not None
    if is_of_some_days or (draft.slot in _BY_DAYS and _ON_DAYS.search(draft.text)):
        return replace(draft, slot="")
    if draft.slot in _OF_SEVERAL and _ONE_MORE.search(draft.text):
        return replace(draft, slot="")
    if draft.slot:
        own = next((state for state in states if state.slot == draft.slot), None)
        return _with_state(draft, own) if own else draft
    is_besides = bool(states) and not holds_many_values(states[0].slot) and _BESIDES.search(draft.text)
    if not states or is_besides or _MORE.search(_TWO.sub("", draft.text)):
        return draft
    return _with_state(draft, states[0])


def _with_state(draft: Draft, state: State) -> Draft:
    is_new = not draft.slot
    return replace(
        draft,
        slot=state.slot,
        value=draft.value or state.value,
        is_end=draft.is_end or state.is_end,
        title=state.title if is_new and state.title else draft.title,
        memory_type="UserMemory" if is_new else draft.memory_type,
    )
