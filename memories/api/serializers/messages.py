"""add/message, get/message, get/status and add/feedback."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from memories.api.serializers.fields import (
    Channel,
    KnowledgeBaseIds,
    SubjectIds,
    TextList,
    TimestampField,
    build_agent_id_field,
    build_conversation_id_field,
    build_short_text_field,
    build_user_id_field,
    choose_subject,
)
from memories.files.file_types import refuse_name
from memories.files.message_files import PLACES, iterate_file_parts
from memories.files.values import MAX_FILES
from memories.text.content import get_plain_text, has_attachment
from memories.text.time.timestamps import TimestampReader, is_given, parse_timestamp
from memories.values import DatedBy, NewFeedback, NewMessage, NewMessages, OwnerKind, Subject
from tenancy.api.bodies.files_in_json import FilesJSONParser, LongText
from tenancy.api.serializing import (
    CLIENT_LABELS,
    ChangingContract,
    Contract,
    FieldRefused,
    Flag,
    Json,
    Text,
    WholeNumber,
)
from tenancy.errors import (
    CatalogueError,
    ConversationIdTooLong,
    EmptyList,
    InvalidParameters,
    RequiredFieldEmpty,
    TooManyFiles,
    TooManyMessages,
    UnsupportedFileType,
    UnsupportedType,
)
from tenancy.runtime.address_guard import parse_target

ROLES = ("user", "assistant", "system", "tool")
PARTS = {"text", *PLACES}
MAX_MESSAGES = 500
MAX_INFO = 16_000
MAX_TIME = 200
EXTRAS = ("tool_calls", "tool_call_id", "role_id", "role_name", "tools", "name")


class MessagesParser(FilesJSONParser):
    places = frozenset(("messages", "*", "content", "*", *place) for place in PLACES.values())
    most_files = MAX_FILES


class RoleField(Text):
    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(ROLES)}

    def to_internal_value(self, data: Any) -> str:
        role = super().to_internal_value(data)
        if role not in ROLES:
            raise FieldRefused(InvalidParameters, f"must be one of {', '.join(ROLES)}")
        return role


def _build_file_schema(inner: str) -> dict[str, Any]:
    """An image or a file of a message: an address, a data URL or Base64."""
    return {"type": "object", "required": [inner], "properties": {inner: {"type": "string"}}}


class MessageContent(Json):
    """A string, or a list of parts: text, image_url, file."""

    refusals = (UnsupportedType, UnsupportedFileType, EmptyList)

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(str, list), wanted="a string or a list of parts", **options)

    def json_schema(self) -> dict[str, Any]:
        files = {name: _build_file_schema(inner) for name, inner in PLACES.values()}
        part = {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"enum": sorted(PARTS)}, "text": {"type": "string"}, **files},
        }
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": part}]}

    def to_internal_value(self, data: Any) -> Any:
        content = super().to_internal_value(data)
        if isinstance(content, list):
            for number, part in enumerate(content):
                self._check_part(part, number)
            self._check_files(content)
        return content

    def _check_part(self, part: Any, number: int) -> None:
        if not isinstance(part, dict):
            raise FieldRefused(InvalidParameters, f"part {number} must be an object with a type")
        kind = part.get("type")
        if not isinstance(kind, str):
            raise FieldRefused(InvalidParameters, f"part {number} has no type")
        if kind not in PARTS:
            raise FieldRefused(UnsupportedType, f"part {number}: {kind[:40]} (use {', '.join(PARTS)})")
        self._check_value(part, kind, number)
        self._refuse_files_of_other_kinds(part, kind, number)

    @staticmethod
    def _check_value(part: dict[str, Any], kind: str, number: int) -> None:
        place = PLACES.get(kind)
        inner = part.get(place[0]) if place else part
        name = place[1] if place else "text"
        value = inner.get(name) if isinstance(inner, dict) else None
        if not isinstance(value, str if place is None else str | LongText):
            raise FieldRefused(InvalidParameters, f"part {number}: {kind} needs the string {name}")

    @staticmethod
    def _refuse_files_of_other_kinds(part: dict[str, Any], kind: str, number: int) -> None:
        """Refuse parts with files of another kind, which would neither be read nor stored."""
        for name, inner in part.items():
            members = inner.values() if isinstance(inner, dict) else ()
            if name != kind and any(isinstance(member, LongText) for member in members):
                raise FieldRefused(InvalidParameters, f"part {number}: {kind} takes no {name[:40]}")

    @staticmethod
    def _check_files(content: list[Any]) -> None:
        for part in iterate_file_parts(content):
            try:
                refuse_name(part.name)
                if isinstance(part.value, str):
                    parse_target(part.value)
            except CatalogueError as refusal:
                raise FieldRefused(type(refusal), f"part {part.index}: {refusal.detail}") from None


class ToolCalls(Json):
    """As an assistant sends them; each names a function and holds its arguments as a string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(list,), wanted="a list of tool calls", **options)

    def json_schema(self) -> dict[str, Any]:
        arguments = {"type": ["string", "object"]}
        function = {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "arguments": arguments},
        }
        call = {
            "type": "object",
            "required": ["function"],
            "properties": {"id": {}, "type": {}, "function": function},
        }
        return {"type": "array", "items": call}

    def to_internal_value(self, data: Any) -> Any:
        calls = super().to_internal_value(data)
        for number, call in enumerate(calls):
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict) or not isinstance(function.get("name"), str):
                raise FieldRefused(InvalidParameters, f"call {number} needs function.name")
            if not isinstance(function.get("arguments", ""), str | dict):
                raise FieldRefused(
                    InvalidParameters, f"call {number}: function.arguments must be a JSON string"
                )
        return calls


def _may_be_silent(attrs: dict[str, Any]) -> bool:
    """Return whether a message may be without text: one that calls a tool, or the result of a tool."""
    is_result = attrs["role"] == "tool" and attrs.get("tool_call_id") and "content" in attrs
    return bool(attrs.get("tool_calls") or is_result)


class MessageBody(Contract):
    role = RoleField()
    content = MessageContent(
        required=False, help_text="A text, or parts of the types text, image_url and file."
    )
    chat_time = TimestampField(
        required=False,
        help_text="When it was said: 2025-07-01 10:00:00, ISO 8601 or epoch; now where it is absent.",
    )
    tool_call_id = build_short_text_field(200, help_text="Of a tool: the call that it answers.")
    tool_calls = ToolCalls(required=False, help_text="Of an assistant: the tools that it calls.")
    role_id = build_short_text_field()
    role_name = build_short_text_field(help_text="The name of the person who speaks.")
    tools = Json(
        types=(list, dict, str),
        wanted="a list of tools",
        required=False,
        help_text="Schemas of the tools at hand.",
    )
    name = build_short_text_field()

    def validate(self, attrs: dict[str, Any]) -> NewMessage:
        content = attrs.get("content")
        text = get_plain_text(content)
        if not text.strip() and not has_attachment(content) and not _may_be_silent(attrs):
            raise FieldRefused.of_field("content", RequiredFieldEmpty)
        sent = attrs.get("chat_time")
        timestamp = self._times.read(sent)
        return NewMessage(
            role=attrs["role"],
            content=content,
            text=text,
            said_at=timestamp or timezone.now(),
            chat_time=str(attrs.get("chat_time", ""))[:MAX_TIME],
            extra={name: attrs[name] for name in EXTRAS if attrs.get(name)},
            dated_by=DatedBy.ARRIVAL if timestamp is None and is_given(sent) else None,
        )

    @property
    def _times(self) -> TimestampReader:
        """One for all messages of a request."""
        shared: Any = self.context
        reader: TimestampReader = shared.setdefault("times", TimestampReader())
        return reader


def date_by_neighbours(messages: Sequence[NewMessage]) -> list[NewMessage]:
    """Date messages whose time cannot be read by the last message before that has one, else by the next."""
    given = [
        None if message.dated_by or not is_given(message.chat_time) else message.said_at
        for message in messages
    ]
    following = _carry_times_on(given[::-1])[::-1]
    times = [before or after for before, after in zip(_carry_times_on(given), following, strict=True)]
    return [
        replace(message, said_at=at, dated_by=DatedBy.NEIGHBOURS) if message.dated_by and at else message
        for message, at in zip(messages, times, strict=True)
    ]


def _carry_times_on(times: Sequence[datetime | None]) -> list[datetime | None]:
    """Each time, or the last one before it."""
    carried_times: list[datetime | None] = []
    for at in times:
        carried_times.append(at or (carried_times[-1] if carried_times else None))
    return carried_times


class MessageList(serializers.ListField):
    child = MessageBody()
    refusals = (EmptyList, TooManyMessages, TooManyFiles)

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=1, max_length=MAX_MESSAGES, **options)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list):
            raise FieldRefused(InvalidParameters, "must be a list of messages")
        if not data:
            raise FieldRefused(EmptyList)
        if len(data) > MAX_MESSAGES:
            raise FieldRefused(TooManyMessages, f"{len(data)}, at most {MAX_MESSAGES}")
        for number, message in enumerate(data):
            if not isinstance(message, dict):
                raise FieldRefused(InvalidParameters, f"message {number} must be an object")
        messages = date_by_neighbours(super().to_internal_value(data))
        files = sum(1 for message in messages for _ in iterate_file_parts(message.content))
        if files > MAX_FILES:
            raise FieldRefused(TooManyFiles, f"{files}, at most {MAX_FILES}")
        return messages


class Info(Json):
    """Free key-value data, kept as it is and filterable by its names."""

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(dict,), wanted="an object", **options)

    def to_internal_value(self, data: Any) -> Any:
        info = super().to_internal_value(data)
        if len(json.dumps(info)) > MAX_INFO:
            raise FieldRefused(InvalidParameters, f"at most {MAX_INFO} characters of JSON")
        return info


class AddMessageBody(Contract):
    user_id = SubjectIds(
        required=False, help_text="The end user, or up to 20 of them; needed unless agent_id is given."
    )
    agent_id = SubjectIds(
        required=False, help_text="The agent: a label beside a user, or the subject where no user is named."
    )
    app_id = build_short_text_field(help_text="A label to filter by.")
    conversation_id = build_conversation_id_field(required=False)
    messages = MessageList(help_text="In the order they were said.")
    tags = TextList(required=False, help_text="Labels to filter by.")
    info = Info(required=False, help_text="Free key-value data to filter by.")
    allow_public = Flag(
        required=False, help_text="Whether all end users of the project may find the memories."
    )
    allow_knowledgebase_ids = KnowledgeBaseIds(
        required=False, help_text="Knowledge bases that the messages may correct."
    )
    allow_memory_view = TextList(required=False)
    async_mode = Flag(
        required=False,
        help_text="False: the answer waits until the memories are made, up to 25 seconds. True where it is absent.",
    )
    source = Channel(most=60, required=False, help_text="The name of the calling client, for statistics.")  # type: ignore[assignment]  # the metaclass takes fields off the class

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and data.get("agent_id") == "":
            data = {name: value for name, value in data.items() if name != "agent_id"}
        if isinstance(data, dict) and data.get("user_id") is None and data.get("agent_id") is None:
            raise FieldRefused.of_field("user_id", RequiredFieldEmpty)
        return super().to_internal_value(data)

    def build_value(self) -> NewMessages:
        sent = self.validated_data
        users, agents = sent.get("user_id", ()), sent.get("agent_id", ())
        kind = OwnerKind.END_USER if users else OwnerKind.AGENT
        return NewMessages(
            subjects=tuple(Subject(kind, subject_id) for subject_id in users or agents),
            conversation_id=sent.get("conversation_id", ""),
            messages=tuple(sent["messages"]),
            agent_id=agents[0] if agents else "",
            app_id=sent.get("app_id", ""),
            tags=sent.get("tags", ()),
            info=sent.get("info", {}),
            allow_public=sent.get("allow_public", False),
            knowledge_bases=sent.get("allow_knowledgebase_ids", ()),
            source=sent.get("source", ""),
        )

    @property
    def waits(self) -> bool:
        """Return whether the caller wants the answer after the work; never with files, which take their time."""
        wants = self.validated_data.get("async_mode", True) is False
        return wants and not any(
            has_attachment(message.content) for message in self.validated_data["messages"]
        )


class GetMessageBody(Contract):
    user_id = build_user_id_field(required=False)
    agent_id = build_agent_id_field()
    conversation_id = Text(most=100, too_long=ConversationIdTooLong)
    message_limit_number = WholeNumber(
        least=1, most=50, required=False, help_text="How many of the last messages; 6 where it is absent."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs | {"subject": choose_subject(attrs)}


class GetStatusBody(Contract):
    task_id = Text(most=200)


class AddFeedbackBody(ChangingContract):
    """Feedback corrects and deletes: what is meant to say which memories is refused, unless it is a field of these.
    `async_mode` comes from the environment of a published client; feedback is applied in the background anyhow."""

    extras = CLIENT_LABELS | {"async_mode"}

    user_id = build_user_id_field(required=False)
    agent_id = build_agent_id_field()
    app_id = build_short_text_field()
    conversation_id = Text(most=100, too_long=ConversationIdTooLong, required=False)
    feedback_content = Text(help_text="What is wrong, and what is right.")
    feedback_time = TimestampField(required=False, help_text="When it was said.")
    allow_public = Flag(required=False)
    allow_knowledgebase_ids = KnowledgeBaseIds(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs | {"subject": choose_subject(attrs)}

    def build_value(self) -> NewFeedback:
        sent = self.validated_data
        timestamp = parse_timestamp(sent.get("feedback_time"))
        return NewFeedback(
            subject=sent["subject"],
            conversation_id=sent.get("conversation_id", ""),
            text=sent["feedback_content"],
            said_at=timestamp or timezone.now(),
            feedback_time=str(sent.get("feedback_time") or "")[:MAX_TIME],
            agent_id=sent.get("agent_id", ""),
            app_id=sent.get("app_id", ""),
            allow_public=sent.get("allow_public", False),
            knowledge_bases=sent.get("allow_knowledgebase_ids", ()),
            dated_by=DatedBy.ARRIVAL if timestamp is None and is_given(sent.get("feedback_time")) else None,
        )
