"""Parse upload bodies: JSON with embedded files, or a multipart form; both give the same object."""

from __future__ import annotations

from typing import IO, Any

from knowledgebase.uploads.accepted_types import MAX_FILES
from tenancy.api.bodies.files_in_json import FilesJSONParser
from tenancy.api.bodies.forms import is_form, read_form
from tenancy.api.bodies.parsing import refuse_unstorable
from tenancy.requests.trace import trace_stage

PART = "file"
ABOUT = ("knowledgebase_id", "type")


class FilesParser(FilesJSONParser):
    """Parses a form whose other parameters come from the query string or the fields; the query string wins."""

    places = frozenset({("file", "*", "content")})
    most_files = MAX_FILES

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {}).get("request")
        if request is None or not is_form(request.content_type or ""):
            return super().parse(stream, media_type, parser_context)
        with trace_stage("parse"):
            form = read_form(request.META, stream, PART)
            address = {name: request.query_params.get(name) for name in ABOUT}
            refuse_unstorable({name: value for name, value in address.items() if value is not None})
        body: dict[str, Any] = {name: address[name] or form.fields.get(name) or None for name in ABOUT}
        if form.files:
            body["file"] = [
                {"name": file.name, "mime_type": file.media_type, "content": file} for file in form.files
            ]
        return body
