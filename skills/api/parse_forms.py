"""Parse multipart forms with skills or messages into the same objects as JSON bodies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import IO, Any

from rest_framework.parsers import BaseParser

from tenancy.api.bodies.forms import FormFile, is_form, read_form
from tenancy.api.bodies.parsing import StrictJSONParser, parse_object
from tenancy.errors import InvalidParameters
from tenancy.requests.trace import trace_stage

PART = "file"


class SkillFormParser(BaseParser):
    media_type = "multipart/form-data"

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {})["request"]
        if not is_form(request.content_type or ""):
            raise InvalidParameters("send the package as multipart/form-data, in the field file")
        with trace_stage("parse"):
            form = read_form(request.META, stream, PART)
        meta = form.fields.get("meta")
        return {
            "user": form.fields.get("user"),
            "meta": _parse_meta(meta) if meta else None,
            PART: form.files,
        }


class MessageBodyObject(dict[str, Any]):
    """The body of a message; `files` came beside it in a form, by the names of their fields."""

    files: Mapping[str, FormFile] = MappingProxyType({})


class MessageParser(StrictJSONParser):
    """JSON, or a form that holds the JSON in its field `payload` and files beside it."""

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {})["request"]
        if not is_form(request.content_type or ""):
            return MessageBodyObject(super().parse(stream, media_type, parser_context))
        with trace_stage("parse"):
            form = read_form(request.META, stream, None)
        try:
            body = MessageBodyObject(parse_object(form.fields.get("payload", "").encode()))
        except InvalidParameters as refusal:
            raise InvalidParameters(f"payload: {refusal.detail}") from None
        body.files = {file.part: file for file in form.files}
        if len(body.files) < len(form.files):
            raise InvalidParameters("each form field holds one file")
        return body


def _parse_meta(text: str) -> dict[str, Any]:
    try:
        return parse_object(text.encode())
    except InvalidParameters as refusal:
        raise InvalidParameters(f"meta: {refusal.detail}") from None
