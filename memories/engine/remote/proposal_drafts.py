"""Turn a model's propositions into drafts, with kinds, confidences, slots and tags as the rules give them.

However sure a model is: what it infers, and what only an assistant said, is trusted like the rules trust it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memories.engine.local.propositions import Mood
from memories.engine.memory_date import get_memory_date
from memories.engine.remote.context_windows import Window
from memories.engine.remote.proposals import MOST, Proposed, clean_line, read_proposals
from memories.text.slots import find_states
from memories.text.slots.claim import build_liking_slot, build_slot
from memories.text.topics.tags import build_title, choose_tags
from memories.text.words import tokenize
from memories.values import Confidence, Draft, MemoryKind, Turn

__all__ = ["MOST", "select_grounded"]
_VIEW = "[assistant view]"
_LONGEST_REASONING, _LONGEST_TAG, _MOST_TAGS, _LONGEST_SLOT = 1_000, 40, 4, 200
_STATES_OF_A_THING = frozenset({"favourite", "allergy", "speaks", "name of", "medication", "condition"})
_LIKING = re.compile(
    r"""
    \b(?:likes?|loves?|prefers?|enjoys?|hates?|dislikes?|avoids?|adores?|fond\ of|fan\ of|into|stand)\b
    | 喜欢 | 爱 | 讨厌 | 偏好 | 厌恶
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PREFERRING = re.compile(r"\bprefer|更喜欢|偏好|更爱", re.IGNORECASE)


def select_grounded(
    proposals: Sequence[dict[str, Any]], window: Window, tags: Sequence[str], dropped: Counter[str]
) -> tuple[list[Draft], bool]:
    """The drafts that the window's messages bear out, quotations among them; doubts are counted by reason.

    The second value is whether the model made things up and got nothing right.
    """
    turns = {piece.at: piece.turn for piece in window}
    proposed, is_lying = read_proposals(proposals, window, dropped)
    return _remove_repeated([_build_draft(candidate, turns, tags) for candidate in proposed]), is_lying


def _build_draft(proposed: Proposed, turns: dict[int, Turn], tags: Sequence[str]) -> Draft:
    proposition, raw = proposed.proposition, proposed.raw
    text, language = proposition.text, proposition.language
    most = Confidence.QUOTED if proposition.is_quote else Confidence.CERTAIN
    draft = Draft(
        kind=MemoryKind.PREFERENCE if proposition.is_preference else MemoryKind.FACT,
        text=text,
        title=build_title(text, language),
        turns=proposed.turns,
        confidence=float(min(max(raw["confidence"], 0.05), most)),
        tags=_choose_tags(raw, tags),
        memory_type=raw["memory_type"],
        event_time=proposition.event_time,
        language=language,
        corrects=proposition.corrects,
    )
    if proposition.is_quote:
        # Nothing else that the model said of it was checked.
        return replace(
            draft, memory_type="LongTermMemory", tags=choose_tags(text, language, tags), corrects=()
        )
    if raw["about"] == "assistant" or all(turns[at].role == "assistant" for at in proposed.turns):
        return _as_view(draft)
    if raw["about"] == "other":
        return draft
    if draft.kind is MemoryKind.PREFERENCE:
        draft = _as_preference(draft, proposed)
    return _with_state(draft, proposed, turns[proposed.turns[-1]])


def _as_view(draft: Draft) -> Draft:
    """Whatever the model made of it: nobody but the assistant said this."""
    return replace(
        draft,
        kind=MemoryKind.FACT,
        text=f"{_VIEW} {draft.text.removeprefix(_VIEW).strip()}",
        speaker="assistant",
        confidence=min(draft.confidence, Confidence.ASSISTANT),
        memory_type="LongTermMemory",
    )


def _as_preference(draft: Draft, proposed: Proposed) -> Draft:
    is_stated = proposed.raw["preference_type"] == "explicit"
    return replace(
        draft,
        preference_type="explicit_preference" if is_stated else "implicit_preference",
        reasoning=proposed.proposition.reasoning[:_LONGEST_REASONING],
        confidence=min(draft.confidence, Confidence.CERTAIN if is_stated else Confidence.INFERRED),
    )


def _with_state(draft: Draft, proposed: Proposed, turn: Turn) -> Draft:
    """States are distinguished from events: their newer statement replaces the older one, so only known names count."""
    if draft.preference_type == "implicit_preference":
        return draft
    slot = _name_slot(proposed.proposition.slot[:_LONGEST_SLOT], draft)
    if not slot:
        return draft
    is_end = proposed.proposition.mood is Mood.ENDED and draft.kind is MemoryKind.FACT
    began = get_memory_date(slot, draft.event_time, turn.said_at)
    return replace(draft, slot=slot, value=proposed.proposition.value, event_time=began, is_end=is_end)


def _name_slot(state: str, draft: Draft) -> str:
    """Named as the rules name it, so that either engine replaces what the other wrote; only what the text itself says.

    A wrong slot would retire a memory that is true.
    """
    state = state.lower()
    kind, _, thing = (part.strip() for part in state.partition(":"))
    if not thing or state.startswith("device:"):
        slots = {described.slot for described in find_states(draft.text, draft.language)}
        return state if state in slots else ""
    if not set(tokenize.extract_keywords(thing)) <= set(tokenize.extract_keywords(draft.text)):
        return ""
    if kind == "likes" and _LIKING.search(draft.text):
        return build_liking_slot(thing, is_rival=bool(_PREFERRING.search(draft.text)))
    if kind == "pet":
        return f"pet:{thing[:60]}"
    return build_slot(kind, thing) if kind in _STATES_OF_A_THING else ""


def _choose_tags(proposal: dict[str, Any], candidates: Sequence[str]) -> tuple[str, ...]:
    """The caller's only as the caller wrote them."""
    chosen = [tag for tag in candidates if tag in proposal["matching_tags"]]
    own = [tag for tag in map(clean_line, proposal["tags"]) if tag and len(tag) <= _LONGEST_TAG]
    known = {tag.lower() for tag in chosen}
    return (*chosen, *[tag for tag in dict.fromkeys(own) if tag.lower() not in known][:_MOST_TAGS])


def _remove_repeated(drafts: Sequence[Draft]) -> list[Draft]:
    by_text: dict[tuple[MemoryKind, str], Draft] = {}
    for draft in drafts:
        known = by_text.setdefault((draft.kind, draft.text), draft)
        if known is not draft:
            merged = tuple(sorted({*known.turns, *draft.turns}))
            by_text[draft.kind, draft.text] = replace(known, turns=merged)
    return list(by_text.values())
