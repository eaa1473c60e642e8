"""What users say plainly of themselves."""

from __future__ import annotations

from collections.abc import Sequence

from memories.engine import get_rule_extractor
from memories.text.slots.states import is_of_relation
from memories.values import Draft, MemoryKind, Turn
from skills.reading.talk import ASSISTANT, USER, TalkMessage

_EXPLICIT = "explicit_preference"


def find_preferences(messages: Sequence[TalkMessage], known: int) -> list[str]:
    """Find what the user said plainly of themselves that lasts, in the third person."""
    turns: list[Turn] = []
    new: set[int] = set()
    for at, message in enumerate(messages):
        if message.is_said and message.role in {USER, ASSISTANT}:
            if at >= known and message.role == USER:
                new.add(len(turns))
            turns.append(Turn(message.role, message.text, message.said_at))
    drafts = get_rule_extractor().extract(turns, ()) if new else []
    lasting = [draft for draft in drafts if draft.turns[-1] in new and is_lasting(draft)]
    # What is said of somebody else is a fact about them.
    own = [draft for draft in lasting if not is_of_relation(draft.slot or "")]
    return [draft.text for draft in own if draft.text.startswith(("The user", "用户"))]


def is_lasting(draft: Draft) -> bool:
    """A liking or a state of the user; not what was only guessed, nor what merely happened."""
    if draft.speaker:
        return False
    if draft.kind is MemoryKind.PREFERENCE:
        return draft.preference_type == _EXPLICIT
    return bool(draft.slot)
