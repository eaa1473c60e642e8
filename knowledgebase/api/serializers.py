"""Request bodies of the knowledge base operations."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from knowledgebase.uploads.accepted_types import MAX_FILES, refuse_name
from knowledgebase.uploads.receive_uploads import OfferedFile
from knowledgebase.values import FileType
from memories.api.serializers.fields import TextList
from memories.files.file_types import clean_name
from tenancy.api.bodies.files_in_json import LongText
from tenancy.api.bodies.forms import FormFile
from tenancy.api.serializing import (
    CLIENT_LABELS,
    ChangingContract,
    Contract,
    FieldRefused,
    Json,
    Text,
    WholeNumber,
)
from tenancy.errors import (
    CatalogueError,
    EmptyList,
    InvalidParameters,
    RequiredFieldEmpty,
    TooManyFiles,
    UnsupportedFileType,
    UnsupportedType,
)
from tenancy.runtime.address_guard import MAX_URL

MAX_NAME, MAX_DESCRIPTION = 100, 1000
MAX_ID = 200
MAX_PAGE_SIZE = 100
# page times page_size: deeper than this nobody reads, and the database would.
MAX_DEPTH = 100_000


class Type(Text):
    """document or skill; an empty string counts as absent."""

    refusals = (UnsupportedType,)

    def __init__(self) -> None:
        super().__init__(blank=True, required=False)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [*map(str, FileType), ""]}

    def to_internal_value(self, data: Any) -> FileType | None:  # type: ignore[override]  # a word of the text's
        name = super().to_internal_value(data)
        if name and name not in set(FileType):
            raise FieldRefused(UnsupportedType, f"{name[:40]} (use {' or '.join(FileType)})")
        return FileType(name) if name else None


class CreateBaseBody(Contract):
    knowledgebase_name = Text(most=MAX_NAME)
    knowledgebase_description = Text(most=MAX_DESCRIPTION, blank=True, required=False, default="")


class BaseBody(ChangingContract):
    knowledgebase_id = Text(most=MAX_ID)


class DocumentContent(Json):
    """A URL, a Base64 text, or a file of a form."""

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(str, LongText, FormFile), wanted="a URL or a Base64 text", **options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1}

    def to_internal_value(self, data: Any) -> Any:
        content = super().to_internal_value(data)
        if isinstance(content, str) and not content.strip():
            raise FieldRefused(RequiredFieldEmpty)
        if isinstance(content, str) and len(content) > MAX_URL:
            raise FieldRefused(InvalidParameters, f"an address has at most {MAX_URL} characters")
        return content


class FileBody(Contract):
    name = Text(blank=True, required=False, help_text="The name with its extension.")
    file_name = Text(blank=True, required=False)
    mime_type = Text(blank=True, required=False)
    type = Type()
    content = DocumentContent(help_text="An address, a data URL or Base64.")


class FileList(serializers.ListField):
    child = FileBody()
    refusals = (EmptyList, TooManyFiles)

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=1, max_length=MAX_FILES, **options)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list):
            raise FieldRefused(InvalidParameters, "must be a list of files")
        if not data:
            raise FieldRefused(EmptyList)
        if len(data) > MAX_FILES:
            raise FieldRefused(TooManyFiles, f"{len(data)}, at most {MAX_FILES}")
        for number, file in enumerate(data):
            if not isinstance(file, dict):
                raise FieldRefused(InvalidParameters, f"file {number} must be an object")
        return super().to_internal_value(data)


class AddFilesBody(Contract):
    """The top-level `type` applies to every file without one of its own."""

    refusals = (UnsupportedFileType,)

    knowledgebase_id = Text(most=MAX_ID)
    type = Type()
    file = FileList()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        offered = [
            _build_offered_file(file, attrs.get("type") or FileType.DOCUMENT) for file in attrs["file"]
        ]
        for number, file in enumerate(offered):
            try:
                refuse_name(file.name, file.type)
            except CatalogueError as refusal:
                raise FieldRefused(type(refusal), f"file[{number}]: {file.name}: {refusal.detail}") from None
        return attrs | {"file": offered}


def _build_offered_file(file: dict[str, Any], type: FileType) -> OfferedFile:
    content = file["content"]
    return OfferedFile(
        name=clean_name(file.get("name", "")) or clean_name(file.get("file_name", "")),
        type=file.get("type") or type,
        url=content if isinstance(content, str) else "",
        text=content if isinstance(content, LongText) else None,
        content=content.pieces() if isinstance(content, FormFile) else None,
        media_type=file.get("mime_type", "").partition(";")[0].strip().lower(),
    )


class FileIdsBody(ChangingContract):
    """`knowledgebase_id` is sent by a published client and ignored."""

    extras = CLIENT_LABELS | {"knowledgebase_id"}
    file_ids = TextList(most_items=1000, holds=True)


class GetFilesBody(Contract):
    """Exactly one of `file_ids` and `knowledgebase_id`."""

    file_ids = TextList(required=False, most_items=1000, holds=True, help_text="These files.")
    knowledgebase_id = Text(most=MAX_ID, required=False, help_text="The files of this base, page by page.")
    type = Type()
    page = WholeNumber(least=1, most=MAX_DEPTH, required=False, default=1)
    page_size = WholeNumber(least=1, most=MAX_PAGE_SIZE, required=False, default=20)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        named = {"file_ids", "knowledgebase_id"} & attrs.keys()
        if len(named) > 1:
            raise FieldRefused(InvalidParameters, "pass file_ids or knowledgebase_id, not both")
        if not named:
            raise FieldRefused(RequiredFieldEmpty, "file_ids or knowledgebase_id")
        if attrs["page"] * attrs["page_size"] > MAX_DEPTH:
            raise FieldRefused(InvalidParameters, f"page times page_size: at most {MAX_DEPTH}")
        return attrs
