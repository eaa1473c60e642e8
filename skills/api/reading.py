"""The form in which a skill is uploaded, as an object like the other bodies."""

from __future__ import annotations

from typing import IO, Any

from rest_framework.parsers import BaseParser

from tenancy.api.forms import is_form, read_form
from tenancy.api.parsing import parse_object
from tenancy.errors import InvalidParameters
from tenancy.trace import stage

PART = "file"


class SkillFormParser(BaseParser):
    media_type = "multipart/form-data"

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {})["request"]
        if not is_form(request.content_type or ""):
            raise InvalidParameters("send the package as multipart/form-data, in the field file")
        with stage("parse"):
            form = read_form(request.META, stream, PART)
        meta = form.fields.get("meta")
        return {"user": form.fields.get("user"), "meta": _meta(meta) if meta else None, PART: form.files}


def _meta(text: str) -> dict[str, Any]:
    try:
        return parse_object(text.encode())
    except InvalidParameters as fault:
        raise InvalidParameters(f"meta: {fault.detail}") from None
