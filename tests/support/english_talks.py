"""What the local extractor makes of talks in English, as tests compare it."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.engine.local.extractor import LocalExtractor
from memories.values import Draft, Turn

DAY = datetime(2026, 10, 9, 10, 0, tzinfo=UTC)  # a Friday


def remember(*messages: str) -> list[Draft]:
    """The memories of a talk that hold at its end; "> " marks the assistant's messages."""
    turns = [
        Turn("assistant", text[2:], DAY) if text.startswith("> ") else Turn("user", text, DAY)
        for text in messages
    ]
    drafts = LocalExtractor().extract(turns, [])
    gone = {text for draft in drafts for text in draft.supersedes}
    return [draft for draft in drafts if draft.text not in gone and draft.speaker != "assistant"]


def texts(*messages: str) -> list[str]:
    return [draft.text for draft in remember(*messages)]
