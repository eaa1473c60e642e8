"""Stream the answer of a chat model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

from memories.engine import metering
from memories.engine.answering import CUT_SHORT, AnswerPiece, AnswerTooLong, PieceKind
from memories.engine.client.chat import ChatModel, ModelRequest
from memories.engine.client.http_json import NotUnderstood
from memories.engine.client.prompt_fence import remove_unencodable
from memories.engine.client.stream_events import Delta, ReasoningSplitter
from memories.engine.client.streaming import StreamingProvider, StreamTimeouts
from memories.engine.protocols import AnswerUseless

# No model has tokens of more characters: a longer answer exceeds the limit of tokens.
_CHARACTERS_A_TOKEN = 16
_TOO_LONG = ("context length", "context_length", "maximum context", "context window")


class SpeakingModel(ChatModel):
    def __init__(self, provider: StreamingProvider, name: str, output_tokens: int) -> None:
        super().__init__(provider, name, output_tokens)
        self._speaker = provider

    async def say(
        self, question: ModelRequest, timeouts: StreamTimeouts
    ) -> AsyncGenerator[AnswerPiece, None]:
        """The pieces of the answer, the last of them its end.

        Raises `ProviderUnavailable`, `ProviderRefused`, `AnswerTooLong`, and `AnswerUseless` when the answer was
        filtered or nothing of it was said. What was spent is counted however it ends.
        """
        speech = _Speech(_CHARACTERS_A_TOKEN * (question.output_tokens or self._output_tokens))
        try:
            async with aclosing(self._deltas(question, timeouts)) as deltas:
                async for delta in deltas:
                    for piece in speech.split_delta(delta):
                        yield piece
                    if speech.is_full:
                        break
            for piece in speech.end():
                yield piece
        finally:
            if speech.has_begun:
                metering.record_usage(self._count_spent(question, {"usage": speech.usage}, speech.text))

    async def _deltas(self, question: ModelRequest, timeouts: StreamTimeouts) -> AsyncGenerator[Delta, None]:
        dialect = self._dialect
        while True:
            body = self._build_body(question, dialect) | {"stream": True}
            if dialect.counts_streams:
                body["stream_options"] = {"include_usage": True}
            try:
                async with aclosing(self._speaker.stream("/chat/completions", body, timeouts)) as deltas:
                    async for delta in deltas:
                        yield delta
            except NotUnderstood as complaint:
                if any(sign in complaint.detail for sign in _TOO_LONG):
                    raise AnswerTooLong from None
                simpler = dialect.simpler(complaint.detail, has_schema=False)
                if simpler is None:
                    raise
                dialect = simpler
            else:
                self._dialect = dialect
                return


class _Speech:
    """Text of the answer until now."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._splitter = ReasoningSplitter()
        self._finish = ""
        self._shown = self._reasoning = 0
        self._texts: list[str] = []
        self.usage: Any = None
        self.has_begun = False

    @property
    def text(self) -> str:
        return "".join(self._texts)

    @property
    def is_full(self) -> bool:
        return max(self._shown, self._reasoning) > self._longest

    def split_delta(self, delta: Delta) -> Iterator[AnswerPiece]:
        self.has_begun = self.has_begun or delta.is_speech
        self.usage = delta.usage or self.usage
        self._finish = delta.finish or self._finish
        if delta.reasoning:
            yield self._keep_piece(AnswerPiece(PieceKind.REASONING, delta.reasoning))
        for piece in self._splitter.split(delta.text) if delta.text else ():
            yield self._keep_piece(piece)

    def end(self) -> Iterator[AnswerPiece]:
        for piece in self._splitter.rest():
            yield self._keep_piece(piece)
        if self._finish == "content_filter":
            raise AnswerUseless("filtered")
        is_cut = self._finish == "length" or self.is_full
        if not self._shown:
            raise AnswerUseless(CUT_SHORT if is_cut else "empty answer")
        yield AnswerPiece(PieceKind.END, CUT_SHORT if is_cut else "")

    def _keep_piece(self, piece: AnswerPiece) -> AnswerPiece:
        self._texts.append(piece.text)
        if piece.kind == PieceKind.REASONING:
            self._reasoning += len(piece.text)
        else:
            self._shown += len(piece.text.strip())
        return AnswerPiece(piece.kind, remove_unencodable(piece.text))
