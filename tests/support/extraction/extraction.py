"""Extraction of single messages by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from memories.engine.local.extractor import LocalExtractor
from memories.values import Draft, Turn

DAY = datetime(2025, 6, 10, 9, 0, tzinfo=UTC)


def remember(*messages: str, tags: Sequence[str] = (), at: datetime = DAY) -> list[Draft]:
    """Memories of what was said; "> " marks the assistant's messages."""
    turns = [
        Turn("assistant", text[2:], at) if text.startswith("> ") else Turn("user", text, at)
        for text in messages
    ]
    return LocalExtractor().extract(turns, tags)


def texts(drafts: Sequence[Draft]) -> list[str]:
    return [draft.text for draft in drafts]


def only(drafts: Sequence[Draft]) -> Draft:
    assert len(drafts) == 1, texts(drafts)
    return drafts[0]
