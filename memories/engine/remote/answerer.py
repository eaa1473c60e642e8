"""Answers of a chat model from what is remembered."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from memories.engine.answering import Answer, Briefing, Manner, Piece, PieceKind, Remembered
from memories.engine.client.chat import Question
from memories.engine.client.http_json import Deadline, on_the_loop
from memories.engine.client.prompt_fence import remove_unencodable
from memories.engine.client.streaming import StreamTimeouts
from memories.engine.metering import estimated_tokens
from memories.engine.prompts import read_prompt
from memories.engine.protocols import AnswerUseless, ProviderUnavailable
from memories.engine.remote.chat_stream import SpeakingModel
from memories.values import Kind, Turn

PROMPT = "chat-1"
PURPOSE = "chat"
PERSONA = "You are an assistant who has known the user for a long time. You answer to the point and in a friendly way."
# Of the tokens for what is known, so much is for what was said before in this conversation.
_SHARE_EARLIER = 0.4
_SPEAKERS = frozenset({"user", "assistant"})
_LISTS: dict[Kind, str] = {
    Kind.FACT: "facts",
    Kind.PREFERENCE: "preferences",
    Kind.TOOL_SCHEMA: "tools",
    Kind.TOOL_TRAJECTORY: "tools",
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """`seconds` for a whole answer that somebody waits for; tokens of what is known, and of an answer at most."""

    seconds: float
    known_tokens: int
    answer_tokens: int
    timeouts: StreamTimeouts = StreamTimeouts()


class RemoteAnswerer:
    """`models` by the names that callers may choose; any other name means the first of them."""

    def __init__(self, models: Mapping[str, SpeakingModel], bounds: Bounds) -> None:
        self._models = models
        self._bounds = bounds

    def name(self, manner: Manner) -> str:
        return f"{self._model(manner).name} ({PROMPT})"

    def left_out(self, briefing: Briefing) -> Mapping[str, int]:
        remembered, earlier = _capacities(self._bounds)
        memories = _memories(briefing)
        spoken = [turn for turn in briefing.earlier if turn.role in _SPEAKERS and turn.text.strip()]
        counts = {
            "memories_left_out": len(memories) - len(_fitting(memories, remembered)),
            "messages_left_out": len(spoken) - len(_earlier(briefing.earlier, earlier)),
        }
        return {name: count for name, count in counts.items() if count}

    def answer(self, briefing: Briefing) -> Answer:
        seconds = self._bounds.seconds - _spent(briefing)
        if seconds <= 0:
            raise ProviderUnavailable("timed out")
        return on_the_loop(self._whole(briefing, seconds), Deadline.after(seconds))

    def stream(self, briefing: Briefing) -> AsyncGenerator[Piece, None]:
        timeouts, spent = self._bounds.timeouts, _spent(briefing)
        left = replace(
            timeouts, first=max(0.0, timeouts.first - spent), whole=max(0.0, timeouts.whole - spent)
        )
        return self._said(briefing, left)

    async def _said(self, briefing: Briefing, timeouts: StreamTimeouts) -> AsyncGenerator[Piece, None]:
        question, mark = question_for(briefing, self._bounds)
        guard = MarkGuard(mark)
        async with aclosing(self._model(briefing.manner).say(question, timeouts)) as pieces:
            async for piece in pieces:
                if piece.kind == PieceKind.END and (rest := guard.rest()):
                    yield Piece(PieceKind.TEXT, rest)
                if piece.kind != PieceKind.TEXT:
                    yield piece
                elif text := guard.pass_on(piece.text):
                    yield Piece(PieceKind.TEXT, text)

    async def _whole(self, briefing: Briefing, seconds: float) -> Answer:
        said: list[str] = []
        ended = ""
        async with aclosing(self._said(briefing, StreamTimeouts(seconds, seconds, seconds))) as pieces:
            async for piece in pieces:
                if piece.kind == PieceKind.TEXT:
                    said.append(piece.text)
                elif piece.kind == PieceKind.END:
                    ended = piece.text
        return Answer("".join(said).strip(), {"ended": ended} if ended else {})

    def _model(self, manner: Manner) -> SpeakingModel:
        first = next(iter(self._models.values()))
        return self._models.get(manner.model, first)


def _spent(briefing: Briefing) -> float:
    """Seconds since the request began: a search before the model takes of its time."""
    return time.monotonic() - briefing.started


class MarkGuard:
    """Ends an answer that repeats the mark around its data: a model that recites its prompt answers nothing."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._held = ""

    def pass_on(self, text: str) -> str:
        """The text but for an end that may be the beginning of the mark. Raises `AnswerUseless`."""
        self._held += text
        if self._mark in self._held:
            raise AnswerUseless("repeated its prompt")
        keep = next((n for n in range(len(self._mark) - 1, 0, -1) if self._held.endswith(self._mark[:n])), 0)
        passed = self._held[: len(self._held) - keep]
        self._held = self._held[len(self._held) - keep :]
        return passed

    def rest(self) -> str:
        held, self._held = self._held, ""
        return held


def question_for(briefing: Briefing, bounds: Bounds) -> tuple[Question, str]:
    """The question, and the mark around its data."""
    manner = briefing.manner
    mark = secrets.token_hex(8)
    instructions = remove_unencodable(briefing.instructions).strip() or PERSONA
    # The developer's words come last into the prompt: no place in them is filled.
    instruction = read_prompt(PROMPT).replace("{mark}", mark).replace("{instructions}", instructions)
    for_memories, for_earlier = _capacities(bounds)
    earlier = _earlier(briefing.earlier, for_earlier)
    known = json.dumps(_known(briefing, for_memories), ensure_ascii=False)
    now = f"{mark}\n{known}\n{mark}\n\n{remove_unencodable(briefing.query)}"
    wanted = min(manner.tokens or bounds.answer_tokens, bounds.answer_tokens)
    question = Question(
        PURPOSE,
        [{"role": "system", "content": instruction}, *_alternating([*earlier, ("user", now)])],
        output_tokens=wanted,
        temperature=0.7 if manner.temperature is None else manner.temperature,
        top_p=manner.top_p,
    )
    return question, mark


def _capacities(bounds: Bounds) -> tuple[int, int]:
    """Tokens for what is remembered, and for what was said before."""
    return int(bounds.known_tokens * (1 - _SHARE_EARLIER)), int(bounds.known_tokens * _SHARE_EARLIER)


def _known(briefing: Briefing, capacity: int) -> dict[str, Any]:
    known: dict[str, Any] = {"now": f"{briefing.now:%Y-%m-%d %H:%M, %A}"}
    lists: dict[str, list[dict[str, str]]] = {"facts": [], "preferences": [], "documents": [], "tools": []}
    for one in _fitting(_memories(briefing), capacity):
        lists[_LISTS.get(one.kind, "documents")].append(_item(one))
    return known | {name: items for name, items in lists.items() if items or name == "facts"}


def _memories(briefing: Briefing) -> list[Remembered]:
    """Each text once."""
    return list({one.text: one for one in (*briefing.known, *briefing.remembered)}.values())


def _fitting(memories: Sequence[Remembered], capacity: int) -> list[Remembered]:
    """The most relevant memories that fit the prompt, of any kind; in their own order where all fit."""
    best = sorted(enumerate(memories), key=lambda place: -place[1].relativity)
    kept = set()
    for at, one in best:
        capacity -= estimated_tokens(one.text) + 20
        if capacity < 0:
            break
        kept.add(at)
    return [one for at, one in enumerate(memories) if at in kept]


def _item(one: Remembered) -> dict[str, str]:
    item = {"text": remove_unencodable(one.dated_text)}
    if one.day:
        item["day"] = one.day
    if one.source:
        item["source"] = remove_unencodable(one.source)
    return item


def _earlier(turns: Sequence[Turn], capacity: int) -> list[tuple[str, str]]:
    """The last of what user and assistant said, as far as it fits the prompt."""
    said: list[tuple[str, str]] = []
    for turn in reversed(turns):
        capacity -= estimated_tokens(turn.text) + 10
        if capacity < 0:
            break
        if turn.role in _SPEAKERS and turn.text.strip():
            said.insert(0, (turn.role, remove_unencodable(turn.text)))
    return said


def _alternating(said: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Many models take talks only that the user begins and in which the two take turns."""
    messages: list[dict[str, str]] = []
    for role, text in said:
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += f"\n\n{text}"
        elif messages or role == "user":
            messages.append({"role": role, "content": text})
    return messages
