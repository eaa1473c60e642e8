"""Answers of a chat model from what is remembered."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace

from memories.engine.answering import Answer, AnswerPiece, Briefing, Manner, PieceKind
from memories.engine.client.http_json import Deadline, run_on_loop
from memories.engine.client.streaming import StreamTimeouts
from memories.engine.protocols import AnswerUseless, ProviderUnavailable
from memories.engine.remote.chat_prompt import (
    PROMPT,
    SPEAKERS,
    Bounds,
    build_question,
    compute_capacities,
    list_distinct_memories,
    select_earlier_turns,
    select_fitting_memories,
)
from memories.engine.remote.chat_stream import SpeakingModel

# A sentence of the instructions that no answer has a reason to say.
RECITED = "The last message of the user begins with a line that holds a random mark."


class RemoteAnswerer:
    """`models` by the names that callers may choose; any other name means the first of them."""

    def __init__(self, models: Mapping[str, SpeakingModel], bounds: Bounds) -> None:
        self._models = models
        self._bounds = bounds

    def name(self, manner: Manner) -> str:
        return f"{self._get_model(manner).name} ({PROMPT})"

    def build_prompt(self, briefing: Briefing) -> str:
        question, _ = build_question(briefing, self._bounds)
        return "\n\n".join(f"{message['role']}\n{message['content']}" for message in question.messages)

    def count_left_out(self, briefing: Briefing) -> Mapping[str, int]:
        remembered, earlier = compute_capacities(self._bounds, briefing)
        memories = list_distinct_memories(briefing)
        spoken = [turn for turn in briefing.earlier if turn.role in SPEAKERS and turn.text.strip()]
        counts = {
            "memories_left_out": len(memories) - len(select_fitting_memories(memories, remembered)),
            "messages_left_out": len(spoken) - len(select_earlier_turns(briefing.earlier, earlier)),
        }
        return {name: count for name, count in counts.items() if count}

    def answer(self, briefing: Briefing) -> Answer:
        seconds = self._bounds.seconds - _get_spent_seconds(briefing)
        if seconds <= 0:
            raise ProviderUnavailable("timed out")
        return run_on_loop(self._answer_whole(briefing, seconds), Deadline.after(seconds))

    def stream(self, briefing: Briefing) -> AsyncGenerator[AnswerPiece, None]:
        timeouts, spent = self._bounds.timeouts, _get_spent_seconds(briefing)
        left = replace(
            timeouts, first=max(0.0, timeouts.first - spent), whole=max(0.0, timeouts.whole - spent)
        )
        return self._stream_said(briefing, left)

    async def _stream_said(
        self, briefing: Briefing, timeouts: StreamTimeouts
    ) -> AsyncGenerator[AnswerPiece, None]:
        question, marks = build_question(briefing, self._bounds)
        guard = MarkGuard(*marks, RECITED)
        async with aclosing(self._get_model(briefing.manner).say(question, timeouts)) as pieces:
            async for piece in pieces:
                if piece.kind == PieceKind.END and (rest := guard.rest()):
                    yield AnswerPiece(PieceKind.TEXT, rest)
                if piece.kind != PieceKind.TEXT:
                    yield piece
                elif text := guard.pass_on(piece.text):
                    yield AnswerPiece(PieceKind.TEXT, text)

    async def _answer_whole(self, briefing: Briefing, seconds: float) -> Answer:
        texts: list[str] = []
        ended = ""
        async with aclosing(self._stream_said(briefing, StreamTimeouts(seconds, seconds, seconds))) as pieces:
            async for piece in pieces:
                if piece.kind == PieceKind.TEXT:
                    texts.append(piece.text)
                elif piece.kind == PieceKind.END:
                    ended = piece.text
        return Answer("".join(texts).strip(), ended=ended)

    def _get_model(self, manner: Manner) -> SpeakingModel:
        first = next(iter(self._models.values()))
        return self._models.get(manner.model, first)


def _get_spent_seconds(briefing: Briefing) -> float:
    """Seconds since the request began: a search before the model takes of its time."""
    return time.monotonic() - briefing.started


class MarkGuard:
    """Ends an answer that repeats one of these marks of its prompt: a model that recites its prompt answers nothing."""

    def __init__(self, *marks: str) -> None:
        self._marks = marks
        self._held = ""

    def pass_on(self, text: str) -> str:
        """The text but for an end that may be the beginning of a mark. Raises `AnswerUseless`."""
        self._held += text
        if any(mark in self._held for mark in self._marks):
            raise AnswerUseless("repeated its prompt")
        keep = max(_count_common_end(self._held, mark) for mark in self._marks)
        passed = self._held[: len(self._held) - keep]
        self._held = self._held[len(self._held) - keep :]
        return passed

    def rest(self) -> str:
        held, self._held = self._held, ""
        return held


def _count_common_end(text: str, mark: str) -> int:
    """Count how many characters at the end of the text may be the beginning of the mark."""
    return next((n for n in range(len(mark) - 1, 0, -1) if text.endswith(mark[:n])), 0)
