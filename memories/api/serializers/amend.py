"""update/memory."""

from __future__ import annotations

from typing import Any

from memories.api.serializers.fields import TextList
from memories.api.serializers.messages import Info
from memories.lifecycle.edit import Amendment
from memories.values import MemoryStatus
from tenancy.api.serializing import ChangingContract, FieldRefused, Text
from tenancy.errors import InvalidParameters, RequiredFieldEmpty

MAX_CONTENT, MAX_TITLE = 20_000, 500
BY_HAND = (MemoryStatus.ACTIVATED, MemoryStatus.ARCHIVED)
CHANGEABLE = ("content", "title", "status", "tags", "info")


class HandStatus(Text):
    """The states that a client may set; the others are the engine's."""

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [str(status) for status in BY_HAND]}

    def to_internal_value(self, data: Any) -> MemoryStatus:
        name = super().to_internal_value(data)
        if name not in BY_HAND:
            raise FieldRefused(InvalidParameters, f"use one of {', '.join(BY_HAND)}")
        return MemoryStatus(name)


class UpdateMemoryBody(ChangingContract):
    memory_id = Text(most=200)
    content = Text(most=MAX_CONTENT, required=False, help_text="What the memory says from now on.")
    title = Text(most=MAX_TITLE, required=False)
    status = HandStatus(required=False, help_text="archived is recalled no more.")
    tags = TextList(required=False)
    info = Info(required=False)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            is_absent: dict[str, Any] = {"tags": [], "info": {}}
            data = {name: value for name, value in data.items() if value != is_absent.get(name, ...)}
        return super().to_internal_value(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not any(name in attrs for name in CHANGEABLE):
            raise FieldRefused(RequiredFieldEmpty, "content, title, status, tags or info")
        return attrs

    def build_value(self) -> Amendment:
        sent = self.validated_data
        return Amendment(
            memory_id=sent["memory_id"],
            text=sent.get("content"),
            title=sent.get("title"),
            status=sent.get("status"),
            tags=sent.get("tags"),
            info=sent.get("info"),
        )
