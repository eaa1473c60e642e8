"""Extraction by a chat model that a test plays."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memories.engine.client.chat import ChatModel
from memories.engine.client.http_json import Provider
from memories.engine.local.extractor import LocalExtractor
from memories.engine.protocols import Extraction
from memories.engine.remote.extractor import QuestionLimits, RemoteExtractor
from memories.values import Draft, Turn
from tests.support.servers.model_server import (
    ModelServer,
    proposal,
)

THEN = datetime(2025, 7, 2, 12, tzinfo=UTC)  # a Wednesday
LOCAL = LocalExtractor().name
SAID = "I moved to Shanghai in June."
MOVED = proposal("The user moved to Shanghai in June 2025.", 0, slot="residence", event_time="2025-06")


def user(text: str) -> Turn:
    return Turn("user", text, THEN)


def engine(server: ModelServer, seconds: float = 5.0, input_tokens: int = 6_000) -> RemoteExtractor:
    model = ChatModel(Provider(server.url, "sk-test"), "some-model", 4_000)
    return RemoteExtractor(model, LocalExtractor(), QuestionLimits(seconds, input_tokens))


def propose(
    server: ModelServer, *messages: str | Turn, tags: tuple[str, ...] = (), **options: Any
) -> Extraction:
    turns = [user(message) if isinstance(message, str) else message for message in messages or (SAID,)]
    return engine(server, **options).propose(turns, tags)


def texts(extraction: Extraction) -> list[str]:
    return [draft.text for draft in extraction.drafts]


def by_rules(*messages: str | Turn) -> list[Draft]:
    return LocalExtractor().extract(
        [user(message) if isinstance(message, str) else message for message in messages or (SAID,)], []
    )
