"""A streamed answer as chunks of a chat completion."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from console.interfaces.openai.errors import build_error_body
from memories.api.chat_stream import ChatStream
from memories.engine.answering import CUT_SHORT, PieceKind
from tenancy.errors import OperationFailed
from tenancy.metering.count_tokens import count_charged_tokens

DONE = b"data: [DONE]\n\n"


def finish_reason(ended: str) -> str:
    return "length" if ended == CUT_SHORT else "stop"


@dataclass(slots=True)
class ChunkFields:
    """Fields that all chunks of an answer share. `prompt_tokens` are counted as the limits count them."""

    id: str
    model: str
    prompt_tokens: int
    created: int = field(default_factory=lambda: int(time.time()))

    def usage(self, text: str) -> dict[str, int]:
        answered = count_charged_tokens([text]) if text else 0
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": answered,
            "total_tokens": self.prompt_tokens + answered,
        }

    def whole(self, text: str, ended: str) -> dict[str, Any]:
        """`ended` as in `memories.engine.answering.Answer`."""
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason(ended)}
        return {**self._build_head("chat.completion"), "choices": [choice], "usage": self.usage(text)}

    def build_chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._build_head("chat.completion.chunk"), "choices": [choice]}

    def build_last_chunk(self, text: str) -> dict[str, Any]:
        return {**self._build_head("chat.completion.chunk"), "choices": [], "usage": self.usage(text)}

    def _build_head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


class CompletionStream(ChatStream):
    """The first chunk names the role; the last ones the reason for the end and, if asked for, the usage."""

    completion: ChunkFields
    wants_usage = False
    _has_begun = False
    _text = ""

    def encode(self, kind: str, data: str) -> bytes:
        if kind == "error":
            return _write_line(build_error_body(self._trouble or OperationFailed(data)))
        if kind == PieceKind.END:
            closing = _write_line(self.completion.build_chunk({}, finish_reason(self._ended)))
            if self.wants_usage:
                closing += _write_line(self.completion.build_last_chunk(self._text))
            return closing + DONE
        name = "reasoning_content" if kind == PieceKind.REASONING else "content"
        delta = {name: data} if self._has_begun else {"role": "assistant", name: data}
        self._has_begun = True
        self._text += data if kind == PieceKind.TEXT else ""
        return _write_line(self.completion.build_chunk(delta))


def _write_line(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
