"""Request bodies of the skill memory contract. Null is absent; unknown fields are ignored unless something is
overwritten.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers

from skills.api.query import parse_uuid
from skills.merge_meta import refuse_large
from skills.models.user_rows import MAX_IDENTIFIER
from tenancy.api.bodies.forms import FormFile
from tenancy.api.serializing import ChangingContract, Contract, FieldRefused, Flag, Json, Text
from tenancy.errors import InvalidParameters


class Object(Json):
    """A JSON object of the client, of limited size."""

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(dict,), wanted="an object", **options)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        value: dict[str, Any] = super().to_internal_value(data)
        try:
            refuse_large(value, str(self.field_name))
        except InvalidParameters as refusal:
            raise FieldRefused(InvalidParameters, refusal.detail.partition(": ")[2]) from None
        return value


class Id(Text):
    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid"}

    def to_internal_value(self, data: Any) -> UUID:  # type: ignore[override]  # the text is what it is made of
        try:
            return parse_uuid(super().to_internal_value(data), "")
        except InvalidParameters:
            raise FieldRefused(InvalidParameters, "must be a UUID") from None


class PersonField(Text):
    """The client's identifier of a person; empty means none."""

    def __init__(self) -> None:
        super().__init__(most=MAX_IDENTIFIER, blank=True, required=False, default=None)


class SpaceBody(Contract):
    user = PersonField()
    meta = Object(required=False, default=None)


class MetaBody(ChangingContract):
    meta = Object()


class LearnBody(Contract):
    session_id = Id()


class IncludeBody(Contract):
    skill_id = Id()


class SessionBody(Contract):
    user = PersonField()
    disable_task_tracking = Flag(
        required=False, default=False, help_text="Whether messages are stored and never read."
    )
    configs = Object(required=False, default=None)
    use_uuid = Id(required=False, default=None, help_text="The id that the session shall have.")


class ConfigsBody(ChangingContract):
    configs = Object()


class StoreMessageBody(Contract):
    blob = Json(types=(dict,), wanted="an object")
    format = Text(required=False, default="openai")
    meta = Object(required=False, default=dict)


class File(Json):
    """A file of a form."""

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(FormFile,), wanted="a file", **options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "contentMediaType": "application/octet-stream"}


class UploadBody(Contract):
    """The body of an upload form, whose fields are all texts."""

    user = PersonField()
    meta = Object(required=False, default=None)
    # In our words: DRF's are translated to the language that the client accepts.
    file = serializers.ListField(child=File(), max_length=1, error_messages={"max_length": "send one file"})

    def validate_file(self, files: list[FormFile]) -> FormFile:
        if not files:
            raise FieldRefused(InvalidParameters, "send one file")
        if not files[0].name.lower().endswith(".zip"):
            raise FieldRefused(InvalidParameters, "its name must end in .zip")
        return files[0]
