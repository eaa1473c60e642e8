"""Parse one event of a streamed completion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memories.engine.answering import AnswerPiece, PieceKind
from memories.engine.client.http_json import Busy

OPENED, CLOSED = "<think>", "</think>"
_OPENING = re.compile(r"\A\s*<think>")


@dataclass(frozen=True, slots=True)
class Delta:
    """`finish` is why the model stopped ("" while it goes on), `usage` the provider's count of tokens."""

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    usage: Any = None

    @property
    def is_speech(self) -> bool:
        return bool(self.text or self.reasoning)


def read_delta(event: Any) -> Delta:
    """Raises `Busy` for what is no part of a completion, such as an error that a server reports in its stream."""
    if not isinstance(event, dict) or event.get("error"):
        raise Busy("answered an error" if isinstance(event, dict) else "answered no completion")
    choices = event.get("choices")
    if not choices:  # the last event of some servers: nothing but the count
        return Delta(usage=event.get("usage"))
    try:
        choice = choices[0]
        # A server that does not stream sends the whole message at once.
        message = choice.get("delta") or choice.get("message") or {}
        text = message.get("content") or message.get("refusal")
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        finish = choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Busy("answered no completion") from None
    return Delta(_get_text(text), _get_text(reasoning), _get_text(finish), event.get("usage"))


def _get_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


class ReasoningSplitter:
    """Takes a thought that some models put in front of their answer, between two tags, out of the text."""

    def __init__(self) -> None:
        self._held = ""
        self._place = "before"

    def split(self, text: str) -> Iterator[AnswerPiece]:
        self._held += text
        if self._place == "before":
            self._look_for_opening()
        if self._place == "inside":
            yield from self._take_reasoning()
        if self._place == "behind":
            yield from self._take_rest()

    def rest(self) -> Iterator[AnswerPiece]:
        """Return what was held back when the model stopped: the beginning of a tag that never came."""
        kind = PieceKind.REASONING if self._place == "inside" else PieceKind.TEXT
        if self._held:
            yield AnswerPiece(kind, self._held)
        self._held = ""

    def _look_for_opening(self) -> None:
        if opening := _OPENING.match(self._held):
            self._held, self._place = self._held[opening.end() :], "inside"
        elif not OPENED.startswith(self._held.lstrip()):
            self._place = "behind"

    def _take_reasoning(self) -> Iterator[AnswerPiece]:
        reasoning, closing, behind = self._held.partition(CLOSED)
        if closing:
            self._held, self._place = behind.lstrip(), "behind"
        else:
            # The end of it may be the beginning of the tag.
            keep = next((n for n in range(len(CLOSED) - 1, 0, -1) if reasoning.endswith(CLOSED[:n])), 0)
            self._held = reasoning[len(reasoning) - keep :]
            reasoning = reasoning[: len(reasoning) - keep]
        if reasoning:
            yield AnswerPiece(PieceKind.REASONING, reasoning)

    def _take_rest(self) -> Iterator[AnswerPiece]:
        if self._held:
            yield AnswerPiece(PieceKind.TEXT, self._held)
        self._held = ""
