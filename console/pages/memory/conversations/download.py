"""The messages of a conversation as a file, as `get/message` answers them or as OpenAI's clients send them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from console.pages.memory.conversations.conversation import get_conversation
from console.pages.shell.access import project_view
from memories.api.answers import build_message_item
from memories.models import Conversation, Message
from memories.retrieval.browse.conversations import MESSAGES, list_messages_from
from skills.catalogue.archive import Download, read_archive_pieces
from skills.catalogue.download_views import build_attachment_response
from tenancy.models import Project

# A longer conversation is read with the API.
MOST_MESSAGES = 5_000
OPENAI_FIELDS = ("name", "tool_calls", "tool_call_id")


def build_openai_item(message: Message) -> dict[str, Any]:
    """One message in the shape of OpenAI's chat completions; a file is named by its reference."""
    extra = {name: message.extra[name] for name in OPENAI_FIELDS if message.extra.get(name)}
    return {"role": message.role, "content": message.content, **extra}


FORMATS: dict[str, Callable[[Message], dict[str, Any]]] = {
    "json": build_message_item,
    "openai": build_openai_item,
}


@project_view("read_words")
@require_safe
def conversation_download(request: HttpRequest, project: Project, conversation_id: UUID) -> HttpResponseBase:
    """The first 5,000 messages, oldest first; those past their retention have no content."""
    form = request.GET.get("format", "json")
    if form not in FORMATS:
        raise Http404
    opened = get_conversation(project, conversation_id)
    content = _write_json_file(_iterate_messages(project, opened), FORMATS[form])
    return build_attachment_response(
        Download(f"conversation-{opened.pk}-{form}.json", "application/json", read_archive_pieces(content))
    )


def _iterate_messages(project: Project, opened: Conversation) -> Iterator[Message]:
    for start in range(0, min(opened.message_count, MOST_MESSAGES), MESSAGES):
        yield from list_messages_from(project, opened, start)


def _write_json_file(messages: Iterator[Message], item: Callable[[Message], dict[str, Any]]) -> IO[bytes]:
    """A JSON list on disk, at its beginning: no more of it in memory than one page of messages."""
    content = TemporaryFile()  # noqa: SIM115  # closed by the response
    content.write(b"[")
    for message in messages:
        text = json.dumps(item(message), indent=2, ensure_ascii=False)
        content.write(f"{',' if content.tell() > 1 else ''}\n{text}".encode())
    content.write(b"\n]\n")
    content.seek(0)
    return content
