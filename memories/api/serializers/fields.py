"""Fields that several bodies share."""

from __future__ import annotations

import re
from typing import Any

from memories.values import OwnerKind, Subject
from tenancy.api.serializing import FieldRefused, Json, Text
from tenancy.errors import (
    ConversationIdTooLong,
    EmptyList,
    InvalidParameters,
    RelativityOutOfRange,
    RequiredFieldEmpty,
    UserIdTooLong,
)

MAX_ID = 100
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,40})?")
MAX_SUBJECTS = 20
MAX_TIMESTAMP = 200


def build_user_id_field(**options: Any) -> Text:
    return Text(most=MAX_ID, too_long=UserIdTooLong, help_text="The end user.", **options)


def build_conversation_id_field(**options: Any) -> Text:
    return Text(most=MAX_ID, too_long=ConversationIdTooLong, help_text="The thread of talk.", **options)


def build_agent_id_field() -> Text:
    """Build the field `agent_id`: the subject of a request that names no user, and a label of one that does."""
    about = "The agent: a label beside a user, or the subject where no user is named."
    return Text(most=MAX_ID, too_long=UserIdTooLong, blank=True, required=False, help_text=about)


class Channel(Text):
    """The client's own name for itself, kept for statistics: never a reason to refuse a request."""

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def to_internal_value(self, data: Any) -> str:
        return data[: self.most] if isinstance(data, str) else ""


def build_short_text_field(most: int = MAX_ID, **options: Any) -> Text:
    """An optional label; empty is as good as absent."""
    return Text(most=most, blank=True, required=False, **options)


class TextList(Json):
    """A list of strings. Empty means absent, unless the field says it must hold something."""

    def __init__(
        self, *, most_items: int = 100, most: int = MAX_ID, holds: bool = False, **options: Any
    ) -> None:
        self.most_items, self.most, self.holds = most_items, most, holds
        self.refusals = (*type(self).refusals, *((EmptyList,) if holds else ()))
        super().__init__(types=(list,), wanted="a list of strings", **options)

    def json_schema(self) -> dict[str, Any]:
        least = {"minItems": 1} if self.holds else {}
        items = {"type": "string", "minLength": 1, "maxLength": self.most}
        return {"type": "array", "items": items, **least, "maxItems": self.most_items}

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        items = super().to_internal_value(data)
        if self.holds and not items:
            raise FieldRefused(EmptyList)
        if len(items) > self.most_items:
            raise FieldRefused(InvalidParameters, f"at most {self.most_items} items")
        for item in items:
            if not isinstance(item, str):
                raise FieldRefused(InvalidParameters, "must be a list of strings")
            if not item.strip():
                raise FieldRefused(RequiredFieldEmpty, "an item is empty")
            if len(item) > self.most:
                raise FieldRefused(InvalidParameters, f"items have at most {self.most} characters")
        return tuple(items)


class KnowledgeBaseIds(TextList):
    """Ids of knowledge bases, or the word "all": alone or as the only item of a list."""

    def json_schema(self) -> dict[str, Any]:
        return {"anyOf": [super().json_schema(), {"const": "all"}]}

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        return ("all",) if data == "all" else super().to_internal_value(data)


class SubjectIds(Json):
    """One id, or a list of ids for group talk."""

    refusals = (EmptyList, UserIdTooLong)

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(str, list), wanted="a string or a list of strings", **options)

    def json_schema(self) -> dict[str, Any]:
        id_schema = {"type": "string", "minLength": 1, "maxLength": MAX_ID}
        return {
            "anyOf": [
                id_schema,
                {"type": "array", "items": id_schema, "minItems": 1, "maxItems": MAX_SUBJECTS},
            ]
        }

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        value = super().to_internal_value(data)
        ids = [value] if isinstance(value, str) else value
        if not ids:
            raise FieldRefused(EmptyList)
        if len(ids) > MAX_SUBJECTS:
            raise FieldRefused(InvalidParameters, f"at most {MAX_SUBJECTS} ids")
        return tuple(dict.fromkeys(self._check_id(subject_id) for subject_id in ids))

    @staticmethod
    def _check_id(subject_id: Any) -> str:
        if not isinstance(subject_id, str):
            raise FieldRefused(InvalidParameters, "must be a string or a list of strings")
        if not subject_id.strip():
            raise FieldRefused(RequiredFieldEmpty)
        if len(subject_id) > MAX_ID:
            raise FieldRefused(UserIdTooLong, f"at most {MAX_ID} characters, not {len(subject_id)}")
        return subject_id


class Relativity(Json):
    """A number from 0 to 1; digits in a string count, because forms send them."""

    refusals = (RelativityOutOfRange,)

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(int, float, str), wanted="a number from 0 to 1", **options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": 1}

    def to_internal_value(self, data: Any) -> float:
        value = super().to_internal_value(data)
        if isinstance(value, bool) or isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
            raise FieldRefused(InvalidParameters, "must be a number from 0 to 1")
        if not 0 <= (float(value) if isinstance(value, str) else value) <= 1:
            raise FieldRefused(RelativityOutOfRange, str(value)[:40])
        return float(value)


class TimestampField(Json):
    """A time in any spelling; what cannot be read is kept as text, never refused."""

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(str, int, float), wanted="a time", **options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": ["string", "number"], "maxLength": MAX_TIMESTAMP}

    def to_internal_value(self, data: Any) -> Any:
        value = super().to_internal_value(data)
        if isinstance(value, bool):
            raise FieldRefused(InvalidParameters, "must be a time")
        if isinstance(value, str) and len(value) > MAX_TIMESTAMP:
            raise FieldRefused(InvalidParameters, f"at most {MAX_TIMESTAMP} characters")
        return value


def choose_subject(attributes: dict[str, Any]) -> Subject:
    """The subject of a request: its user, or an agent that is named without one."""
    if attributes.get("user_id"):
        return Subject(OwnerKind.END_USER, attributes["user_id"])
    if attributes.get("agent_id"):
        return Subject(OwnerKind.AGENT, attributes["agent_id"])
    raise FieldRefused(RequiredFieldEmpty, "user_id")
