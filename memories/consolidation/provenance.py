"""Where statements come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

from memories.models import Conversation, Message
from memories.values import Draft


@dataclass(frozen=True, slots=True)
class DraftOrigin:
    """Origin of drafts: what every memory of one request has in common.

    With `keeps_words` no memory that exists says anything else afterwards: what says more is added, and takes the place
    of what it says more than. So deleting what was added undoes all of it.
    """

    conversation: Conversation
    messages: Sequence[Message]
    task: UUID
    embedder: str
    agent_id: str = ""
    app_id: str = ""
    info: dict[str, Any] = field(default_factory=dict)
    expires_on: date | None = None
    extractor: str = ""
    keeps_words: bool = False

    def list_stored(self, draft: Draft) -> list[Message]:
        """The draft's messages that have a row; words of feedback have none."""
        return [self.messages[turn] for turn in draft.turns if not self.messages[turn]._state.adding]

    def began(self, draft: Draft) -> datetime:
        return draft.event_time or self.messages[draft.turns[-1]].said_at

    def happened(self, draft: Draft) -> datetime:
        return draft.event_time or self.messages[draft.turns[0]].said_at
