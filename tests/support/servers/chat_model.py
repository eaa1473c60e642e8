"""A chat model that tests listen to."""

from __future__ import annotations

import json
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from memories.engine.answering import AnswerPiece, Briefing, PieceKind, Remembered
from memories.engine.client.streaming import StreamingProvider, StreamTimeouts
from memories.engine.remote.answerer import RemoteAnswerer
from memories.engine.remote.chat_prompt import Bounds
from memories.engine.remote.chat_stream import SpeakingModel
from tests.support.servers import own_loop
from tests.support.servers.model_server import Body, ModelServer

NOW = datetime(2025, 7, 2, 12, tzinfo=UTC)


def answerer(
    server: ModelServer, *, seconds: float = 5, known: int = 6_000, tokens: int = 500, between: float = 5
) -> RemoteAnswerer:
    provider = StreamingProvider(server.url, "sk-test")
    models = {name: SpeakingModel(provider, name, tokens) for name in ("some-model", "another-model")}
    return RemoteAnswerer(models, Bounds(seconds, known, tokens, StreamTimeouts(seconds, between, 20)))


def asking(query: str = "Where do I live?", *remembered: Remembered, **more: Any) -> Briefing:
    return Briefing(query, remembered, NOW, **more)


def listen(engine: RemoteAnswerer, briefing: Briefing | None = None, most: int = 10_000) -> list[AnswerPiece]:
    """What arrives, at most so many pieces."""

    async def heard() -> list[AnswerPiece]:
        pieces: list[AnswerPiece] = []
        async with aclosing(engine.stream(briefing or asking())) as stream:
            async for piece in stream:
                pieces.append(piece)
                if len(pieces) == most:
                    break
        return pieces

    return own_loop.run(heard())


def said(pieces: list[AnswerPiece], kind: PieceKind = PieceKind.TEXT) -> str:
    return "".join(piece.text for piece in pieces if piece.kind == kind)


def known(body: Body) -> Body:
    """What stands between the marks of the last message."""
    mark, written, again, _ = body["messages"][-1]["content"].split("\n", 3)
    assert mark == again
    content: Body = json.loads(written)
    return content
