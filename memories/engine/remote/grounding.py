"""What of a model's proposals is believed.

A model may be wrong, or talked into something by the very words it reads. So it only proposes: text, kind, times,
and the numbers of the messages it drew from. What it proposes must be anchored in these messages; who said them is
known here, not there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memories.engine.local.claims import liking_slot, slot_of
from memories.engine.remote.context_windows import Window
from memories.text import tokenize
from memories.text.tags import title_of
from memories.text.time.dates import start_of_day
from memories.values import Draft, Kind, Turn

MOST, LONGEST = 50, 4_000
_VIEW = "[assistant view]"
# Doubts that tell of a model that makes things up; the others are only slips.
LIES = frozenset({"unknown messages", "not in the messages"})
_LONGEST_TITLE, _LONGEST_REASONING, _LONGEST_TAG, _MOST_TAGS = 120, 1_000, 40, 4
# However sure a model is: what it infers, and what only an assistant said, is trusted like the rules trust it.
_SUREST = {"stated": 0.95, "inferred": 0.7, "assistant": 0.4}
_STATES = frozenset(
    """residence household name age birthday hometown nationality job employer school major vehicle device:phone
    device:computer goal diet budget height weight salary religion address e-mail""".split()
) | {"marital status", "native language", "time zone", "phone number"}
_STATES_OF_A_THING = frozenset({"favourite", "allergy", "speaks", "name of"})
_PREFERRING = re.compile(r"\bprefer|更喜欢|偏好|更爱", re.IGNORECASE)
_TIME = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?Z?)?)?")
_EARLIEST_YEAR, _FURTHEST = 1900, timedelta(days=366 * 60)
# Words that every statement of this kind has; sharing them with a message means nothing.
_EVERYWHERE = frozenset(
    "user assist may might prefer like want said say 用户 助手 可能 偏好 喜欢 表示".split()
)


def select_grounded(
    proposals: Sequence[dict[str, Any]], window: Window, tags: Sequence[str], dropped: Counter[str]
) -> list[Draft]:
    """The drafts that the window's messages bear out; what they do not is counted by reason."""
    drafts = []
    for proposal in proposals[:MOST]:
        reason = _doubt(proposal, window)
        if reason:
            dropped[reason] += 1
        else:
            drafts.append(_draft(proposal, window, tags))
    if len(proposals) > MOST:
        dropped["too many"] += len(proposals) - MOST
    return _distinct(drafts)


def _doubt(proposal: dict[str, Any], window: Window) -> str:
    """Why not to believe it; "" when there is no reason."""
    named = _turns(proposal)
    pieces = {piece.at: piece for piece in window}
    text = _clean(proposal["text"])
    if not text or len(text) > LONGEST:
        return "empty or too long"
    if not named or not set(named) <= set(pieces):
        return "unknown messages"
    if all(pieces[at].is_known for at in named):
        return "known already"
    if not _is_borne_out(text, _grounds(proposal, window)):
        return "not in the messages"
    return ""


def _turns(proposal: dict[str, Any]) -> tuple[int, ...]:
    """A whole number may be written as 1.0."""
    return tuple(sorted({int(turn) for turn in proposal["turns"]}))


def _grounds(proposal: dict[str, Any], window: Window) -> Iterable[str]:
    """The named messages and what each of them answers; for what is only inferred all that the model saw."""
    if proposal["kind"] == Kind.PREFERENCE and proposal["preference_type"] == "implicit":
        return [piece.text for piece in window]
    named = set(_turns(proposal))
    shown = sorted({piece.at for piece in window})
    answered = {before for before, at in zip(shown, shown[1:], strict=False) if at in named}
    return [piece.text for piece in window if piece.at in named | answered]


def _is_borne_out(text: str, grounds: Iterable[str]) -> bool:
    claimed = set(tokenize.search_terms(text)) - _EVERYWHERE
    return any(not claimed.isdisjoint(tokenize.search_terms(ground)) for ground in grounds)


def _draft(proposal: dict[str, Any], window: Window, tags: Sequence[str]) -> Draft:
    turns = {piece.at: piece.turn for piece in window}
    named = _turns(proposal)
    text = _clean(proposal["text"])
    draft = Draft(
        kind=Kind(proposal["kind"]),
        text=text,
        title=_clean(proposal["title"])[:_LONGEST_TITLE] or title_of(text, tokenize.language_of(text)),
        turns=named,
        confidence=float(min(max(proposal["confidence"], 0.05), _SUREST["stated"])),
        tags=_tags(proposal, tags),
        memory_type=proposal["memory_type"],
        event_time=_event_time(proposal["event_time"], turns[named[-1]].said_at),
        language=tokenize.language_of(text),
    )
    if proposal["about"] == "assistant" or all(turns[at].role == "assistant" for at in named):
        return _as_view(draft)
    if proposal["about"] == "other":
        return replace(draft, kind=Kind.FACT)  # what somebody else likes is no preference of the user's
    if draft.kind is Kind.PREFERENCE:
        draft = _as_preference(draft, proposal)
    return _with_state(draft, proposal, turns[named[-1]])


def _as_view(draft: Draft) -> Draft:
    """Whatever the model made of it: nobody but the assistant said this."""
    return replace(
        draft,
        kind=Kind.FACT,
        text=f"{_VIEW} {draft.text.removeprefix(_VIEW).strip()}",
        speaker="assistant",
        confidence=min(draft.confidence, _SUREST["assistant"]),
        memory_type="LongTermMemory",
    )


def _as_preference(draft: Draft, proposal: dict[str, Any]) -> Draft:
    is_stated = proposal["preference_type"] == "explicit"
    return replace(
        draft,
        preference_type="explicit_preference" if is_stated else "implicit_preference",
        reasoning=_clean(proposal["reasoning"])[:_LONGEST_REASONING],
        confidence=min(draft.confidence, _SUREST["stated" if is_stated else "inferred"]),
    )


def _with_state(draft: Draft, proposal: dict[str, Any], said: Turn) -> Draft:
    """States are distinguished from events: their newer statement replaces the older one, so only known names count."""
    if draft.preference_type == "implicit_preference":
        return draft
    slot = _slot(_clean(proposal["state"]), draft.text)
    began = draft.event_time or (start_of_day(said.said_at) if slot else None)
    return replace(draft, slot=slot, event_time=began)


def _slot(state: str, text: str) -> str:
    """Named as the rules name it, so that either engine replaces what the other wrote."""
    state = state.lower()[:200]
    kind, _, thing = (part.strip() for part in state.partition(":"))
    if state in _STATES:
        return state
    if kind in _STATES_OF_A_THING:
        return slot_of(kind, thing)
    if kind == "likes" and thing:
        return liking_slot(thing, is_rival=bool(_PREFERRING.search(text)))
    return f"pet:{thing[:60]}" if kind == "pet" and thing else ""


def _tags(proposal: dict[str, Any], candidates: Sequence[str]) -> tuple[str, ...]:
    """The caller's only as the caller wrote them."""
    chosen = [tag for tag in candidates if tag in proposal["matching_tags"]]
    own = [tag for tag in map(_clean, proposal["tags"]) if tag and len(tag) <= _LONGEST_TAG]
    known = {tag.lower() for tag in chosen}
    return (*chosen, *[tag for tag in dict.fromkeys(own) if tag.lower() not in known][:_MOST_TAGS])


def _event_time(written: str, said_at: datetime) -> datetime | None:
    """None for what is no date or an absurd one."""
    match = _TIME.fullmatch(written.strip())
    if not match:
        return None
    year, month, day, hour, minute = (
        int(part or default) for part, default in zip(match.groups(), "11100", strict=True)
    )
    try:
        timestamp = datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
    return timestamp if timestamp.year >= _EARLIEST_YEAR and timestamp < said_at + _FURTHEST else None


def _clean(text: str) -> str:
    """One line, without what no database and no encoder takes."""
    return " ".join(tokenize.HALF_CHARACTER.sub(" ", text.replace("\x00", " ")).split())


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    by_text: dict[tuple[Kind, str], Draft] = {}
    for draft in drafts:
        known = by_text.setdefault((draft.kind, draft.text), draft)
        if known is not draft:
            merged = tuple(sorted({*known.turns, *draft.turns}))
            by_text[draft.kind, draft.text] = replace(known, turns=merged)
    return list(by_text.values())
