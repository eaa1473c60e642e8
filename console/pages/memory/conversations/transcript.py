"""Prepare a message for display: text, tool calls, results, files, and the memories made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.template.defaultfilters import filesizeformat

from console.pages.memory.memories.memory import get_shown_status
from console.pages.shell.session_messages import ShownPart, indent_json, show_text_part
from console.ui.texts.api_words import translate_detail
from memories.models import Attachment, Memory, Message
from memories.values import MemoryStatus

TOOL = "tool"


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """`speaker` is a name that the client gave, "" for none; `is_cleared` where the words are past their retention.

    `memories` are what came of it, each with its status, "" for what holds.
    """

    message: Message
    speaker: str
    parts: list[ShownPart]
    memories: list[tuple[Memory, str]]

    @property
    def is_cleared(self) -> bool:
        return self.message.cleared_at is not None


def build_turns(
    messages: Sequence[Message], memories: dict[UUID, list[Memory]], files: dict[UUID, list[Attachment]]
) -> list[TranscriptTurn]:
    return [
        _build_turn(message, memories.get(message.pk, []), files.get(message.pk, [])) for message in messages
    ]


def _build_turn(message: Message, memories: list[Memory], files: list[Attachment]) -> TranscriptTurn:
    made = [
        (memory, "" if (status := get_shown_status(memory)) == MemoryStatus.ACTIVATED else status)
        for memory in memories
    ]
    extra = message.extra if isinstance(message.extra, dict) else {}
    speaker = str(extra.get("role_name") or extra.get("role_id") or extra.get("name") or "")
    return TranscriptTurn(
        message,
        speaker,
        [*_list_shown_texts(message), *_iterate_shown_calls(extra), *_iterate_shown_files(files)],
        made,
    )


def _list_shown_texts(message: Message) -> list[ShownPart]:
    if not message.text.strip():
        return []
    if message.role == TOOL:
        return [show_text_part("result", indent_json(message.text))]
    return [show_text_part("text", message.text)]


def _iterate_shown_calls(extra: dict[str, Any]) -> Iterable[ShownPart]:
    """The tools that it calls, each with what is passed to it."""
    calls = extra.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield show_text_part(
                "call", indent_json(function.get("arguments")), str(function.get("name") or "")
            )


def _iterate_shown_files(files: Sequence[Attachment]) -> Iterable[ShownPart]:
    for file in files:
        facts = [file.kind, filesizeformat(file.size) if file.size else "", translate_detail(file.error_text)]
        yield show_text_part("file", " · ".join(filter(None, facts)), file.name)
