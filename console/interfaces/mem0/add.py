"""`add` as mem0's clients send it: messages for the entities named, refined in the background or stored as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.mem0.answers import FAILED, PENDING, SUCCEEDED, build_event_rows, build_result_row
from console.interfaces.mem0.base import Mem0View
from console.interfaces.mem0.parsing import (
    SETTING,
    get_owner,
    parse_categories,
    parse_day,
    parse_entities,
    parse_flag,
    parse_metadata,
    parse_unix_seconds,
    parse_zoned_time,
)
from memories.api.serializers.messages import AddMessageBody, MessagesParser
from memories.files.message_files import receive_files
from memories.files.storage import UncommittedFiles, delete_uncommitted_files
from memories.ingest.accept_messages import add_messages
from memories.ingest.verbatim import embed_spoken, store_verbatim
from memories.jobs.status import find_task, wait_for
from memories.lifecycle.entities import UNNAMED
from memories.text.content import has_attachment, list_texts_in
from memories.values import NewMessages
from tenancy.errors import EmptyList, InvalidParameters, RequiredFieldEmpty
from tenancy.ids import uuid7
from tenancy.metering.meters import Meter
from tenancy.models import Project

# How mem0 calls a file of a message, and what that is here.
FILES = ("pdf_url", "mdx_url", "txt_url")
KINDS_OF_FILES = ("image_url", *FILES)
MOST_CATEGORIES = 100
# Of a message. Programs hand over whole talks with a model, in which an assistant that calls tools may say nothing.
PARTS = ("role", "content", "name", "tool_calls", "tool_call_id")
QUEUED = "Memory processing has been queued for background execution"
STORED = "Memories stored as they were sent"
REFINED, NOTHING = "Memories made from what was sent", "No memory was made from what was sent"


class Mem0MessagesParser(MessagesParser):
    # One message, and one part of a message, stand for lists of them.
    places = MessagesParser.places | frozenset(
        ("messages", *message, "content", *part, kind, "url")
        for kind in KINDS_OF_FILES
        for message in ((), ("*",))
        for part in ((), ("*",))
    )


def read_add(sent: Mapping[str, Any], project: Project) -> NewMessages:
    """The checked request. Raises what is wrong with it, under the names that the client knows."""
    entities = parse_entities(sent)
    metadata = parse_metadata(sent) or {}
    said_at = sent.get("timestamp")
    created_at = None if said_at is None else parse_unix_seconds(said_at, "timestamp")
    observed = next(
        (sent[name] for name in ("observation_datetime", "observation_date") if sent.get(name)), None
    )
    spoken_at = created_at if observed is None else parse_zoned_time(observed, "observation_datetime")
    last_day = sent.get("expiration_date")
    body = AddMessageBody(
        data={
            "user_id": get_owner(entities).id,
            "messages": _convert_messages(sent.get("messages"), spoken_at.isoformat() if spoken_at else None),
            "info": metadata,
        },
        context={"project": project},
    )
    body.is_valid(raise_exception=True)
    return replace(
        body.build_value(),
        subjects=(get_owner(entities),),
        conversation_id=entities.get("run_id") or f"{UNNAMED}{uuid7().hex}",
        agent_id=entities.get("agent_id", ""),
        app_id=entities.get("app_id", ""),
        tags=_list_categories(sent.get("custom_categories"), project),
        is_frozen=parse_flag(sent.get("immutable"), "immutable", default=False),
        expires_on=None if last_day is None else parse_day(last_day, "expiration_date"),
        created_at=created_at,
    )


def _list_categories(sent: Any, project: Project) -> tuple[str, ...]:
    """Names that the extractor may choose from: the call's, or else the project's."""
    listed = project.settings.get(SETTING, {}).get("custom_categories") if sent is None else sent
    names = parse_categories(listed or [])
    if len(names) > MOST_CATEGORIES:
        raise InvalidParameters(f"custom_categories: at most {MOST_CATEGORIES}")
    return tuple(names)


def _convert_messages(sent: Any, said_at: str | None) -> list[Any]:
    """As `add/message` has them; one text or one message stands for a list of it."""
    if sent is None:
        raise RequiredFieldEmpty("messages")
    if isinstance(sent, str):
        sent = [{"role": "user", "content": sent}]
    listed = [sent] if isinstance(sent, dict) else sent
    if not isinstance(listed, list):
        raise InvalidParameters("messages: must be a list of messages")
    if not listed:
        raise EmptyList("messages")
    return [_convert_message(message, said_at) for message in listed]


def _convert_message(sent: Any, said_at: str | None) -> Any:
    if not isinstance(sent, dict):
        return sent  # refused with its number
    kept = {name: sent[name] for name in PARTS if sent.get(name) is not None}
    kept.setdefault("role", "user")
    content = kept.get("content")
    if isinstance(content, dict):
        kept["content"] = [_convert_part(content)]
    elif isinstance(content, list):
        kept["content"] = [_convert_part(part) for part in content]
    return kept | ({"chat_time": said_at} if said_at else {})


def _convert_part(sent: Any) -> Any:
    """Files of all kinds are one kind here."""
    kind = sent.get("type") if isinstance(sent, dict) else None
    if kind not in FILES:
        return sent
    inner = sent.get(kind)
    value = inner.get("url") if isinstance(inner, dict) else None
    return {"type": "file", "file": {"file_data": value}}


def _describe_event(event: Mapping[str, Any]) -> str:
    """Describe what became of messages that were to be refined."""
    if event["status"] == FAILED:
        return f"Memory processing failed: {event['error']}"
    if event["status"] == SUCCEEDED:
        return REFINED if event["results"] else NOTHING
    return QUEUED


class AddView(Mem0View):
    meter = Meter.ADD
    parser_classes = [Mem0MessagesParser]

    def post(self, request: Request, **_: Any) -> Response:
        sent = self.sent
        new = read_add(sent, self.project)
        infers = parse_flag(sent.get("infer"), "infer", default=True)
        waits = parse_flag(sent.get("async_mode"), "async_mode", default=True) is False
        self.charge([text for message in new.messages for text in list_texts_in(message)])
        if not infers:
            return self.answer(self.formed(self._store_verbatim(new)))
        data = self.find_stored_answer() or self._receive(new)
        if waits and not any(has_attachment(message.content) for message in new.messages):
            data = self._wait_for_event(data["event_id"])
        return self.answer(self.formed(data))

    def _receive(self, new: NewMessages) -> dict[str, Any]:
        with delete_uncommitted_files() as kept:
            received = receive_files(self.project, new, kept)
            return self.run_once(lambda: self._add_messages(received, kept))

    def _add_messages(self, new: NewMessages, kept: UncommittedFiles) -> dict[str, Any]:
        task = add_messages(self.project, new, self.bill.cost)
        kept.keep_on_commit()
        return {"message": QUEUED, "status": PENDING, "event_id": str(task.pk)}

    def _wait_for_event(self, event_id: str) -> dict[str, Any]:
        """The answer when the work is done, or after half a minute when it is not."""
        wait_for(self.project, event_id)
        (event,) = build_event_rows(self.project, [find_task(self.project, event_id)])
        is_over = event["status"] in {SUCCEEDED, FAILED}
        results = {"results": event["results"]} if is_over else {}
        return {"message": _describe_event(event), "status": event["status"], "event_id": event_id, **results}

    def _store_verbatim(self, new: NewMessages) -> dict[str, Any]:
        """Word for word what says something; a call of a tool alone does not."""
        for number, message in enumerate(new.messages):
            if not isinstance(message.content, str | None):
                raise InvalidParameters(f"messages[{number}].content: with infer false only text is stored")
        messages = tuple(message for message in new.messages if message.content)
        new = replace(new, messages=messages or new.messages)
        vectors = embed_spoken(new)
        run = "" if new.conversation_id.startswith(UNNAMED) else new.conversation_id
        scope_key = "\x1f".join((new.agent_id, new.app_id, run))
        return self.run_once(lambda: self._store_messages(new, vectors, scope_key))

    def _store_messages(
        self, new: NewMessages, vectors: dict[str, list[float]], scope_key: str
    ) -> dict[str, Any]:
        stored = store_verbatim(self.project, new, vectors, scope_key)
        return {
            "message": STORED,
            "status": SUCCEEDED,
            "event_id": str(stored.task.pk),
            "results": [
                build_result_row(memory, "NOOP" if memory.pk in stored.known else "ADD")
                for memory in stored.memories
            ],
        }

    def formed(self, data: dict[str, Any]) -> Any:
        return data


class OldAddView(AddView):
    """`POST /v1/memories/` of older clients: a list of rows, bare unless they ask for version 1.1 of the format."""

    def formed(self, data: dict[str, Any]) -> Any:
        if "results" in data:
            rows = [
                {**row, "memory": row["data"]["memory"], "event_id": data["event_id"]}
                for row in data["results"]
            ]
        else:
            rows = [{name: data[name] for name in ("message", "status", "event_id")}]
        return {"results": rows} if self.sent.get("output_format") == "v1.1" else rows
