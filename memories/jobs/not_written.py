"""Reasons why something that was said for knowledge bases was not written into them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

# Where a task's result, and with it get/status, says so.
NOT_WRITTEN = "not_written"


class NotWrittenReason(StrEnum):
    """Reasons beside those of decisions (`known`, `says_nothing`, `not_found`, `not_certain`, `frozen`)."""

    PERSONAL = "personal"
    NOT_SAID_BY_USER = "not_said_by_user"
    SAYS_NOTHING = "says_nothing"
    FORBIDDEN = "forbidden"
    NOT_NAMED = "not_named"
    NOT_LINKED = "not_linked"


@dataclass(slots=True)
class NotWritten:
    """Reasons with the bases and messages that they are about; ids only, because a task's row holds no words.

    `places` are those of the messages in their request.
    """

    places: Mapping[UUID, int] = field(default_factory=dict)
    _bases: dict[tuple[str, UUID | None], dict[str, None]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, reason: str, bases: Iterable[str], message: UUID | None = None) -> None:
        """Add a reason. Without a message it is about the feedback, or the request as a whole."""
        self._bases[reason, message].update(dict.fromkeys(bases))

    def list_shown(self) -> list[dict[str, Any]]:
        """List the reasons for clients: messages by their places in the request."""
        grouped: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for (reason, message), bases in self._bases.items():
            if message is not None and message not in self.places:
                continue  # said in an earlier request, whose task has reported it
            places = grouped.setdefault((reason, tuple(bases)), [])
            if message is not None:
                places.append(self.places[message])
        return [
            {"reason": reason, "knowledgebase_ids": list(bases)}
            | ({"messages": sorted(set(messages))} if messages else {})
            for (reason, bases), messages in grouped.items()
        ]
