"""Base class of the views of mem0's contract: key, scope, rate and log as everywhere, errors in its own form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.mem0.errors import answer_failure
from console.interfaces.mem0.parsing import ENTITIES, parse_json_object
from tenancy.api.base import ContractView, parse_query
from tenancy.api.bodies.parsing import refuse_unstorable
from tenancy.errors import InvalidParameters
from tenancy.models import RequestLog
from tenancy.requests.log import MAX_SUBJECTS, name_subject

ORIGIN = "mem0"
MAX_ORIGIN = 20
SCOPES = {"GET": "read", "HEAD": "read", "DELETE": "delete"}


class Mem0View(ContractView):
    """`reads` marks what only reads though it is a POST.

    What a DELETE said is not kept in the log, unless it was not understood: that deleted nothing, so it is kept as
    other refused calls are, query and all, until whom it names is erased.
    """

    reads: ClassVar[bool] = False
    # By method what the log calls it, where one address has several.
    named: ClassVar[dict[str, str]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        method = request.method or ""
        self.scope = "read" if self.reads else SCOPES.get(method, "write")  # type: ignore[misc]  # by method
        self.logs_subjects = method != "DELETE"  # type: ignore[misc]
        super().initial(request, *args, **kwargs)
        refuse_unstorable(dict(request.query_params.lists()))

    def get_exception_handler(self) -> Any:
        return answer_failure

    @property
    def sent(self) -> Mapping[str, Any]:
        """The body."""
        body: Any = self.request.data
        return body or {}

    def segment(self, name: str) -> str:
        """A part of the path, decoded: it may have a slash in it. Raises `InvalidParameters` for what no text has."""
        decoded = unquote(str(self.kwargs[name]), errors="surrogateescape")
        refuse_unstorable(decoded, name)
        return decoded

    def repeated_as(self) -> str:
        """With method and query, which say here what is done."""
        return f"{self.request.method} {self.request.get_full_path()}"

    def answer(self, data: Any, status: int = 200) -> Response:
        headers = {"Idempotent-Replayed": "true"} if self.replayed else None
        return Response(data, status=status, headers=headers)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if getattr(request, "_auth", None) is not None and isinstance(response.data, list):
            self.log(request, response.status_code, {"results": response.data})
        return response

    def _subjects(self, sent: Any, refused: bytes = b"") -> list[str]:
        """The subjects of a call, also those that filters and queries name: an erasure must find its log row."""
        body_subjects = super()._subjects(sent, refused)
        lists = self.request.query_params.lists()
        query = {name: [_read_object(value) for value in values] for name, values in lists}
        named = [*_list_entities_in(sent), *_list_entities_in(query)]
        subjects = [*body_subjects, *(name_subject(ENTITIES[name], value) for name, value in named)]
        return list(dict.fromkeys(subjects))[:MAX_SUBJECTS]

    def _parse_address(self, request: Request, status: int) -> dict[str, Any]:
        body = getattr(request, "_full_data", None)  # no dict where nobody read it
        has_body = bool(getattr(request, "refused_body", b"") or (isinstance(body, dict) and body))
        if request.method == "DELETE" and status == InvalidParameters.status and not has_body:
            return parse_query(request)
        return super()._parse_address(request, status)

    def _log_row(
        self, request: Request, status: int, answered: dict[str, Any], is_silent: bool
    ) -> RequestLog:
        if status == InvalidParameters.status:
            self.logs_subjects = True  # type: ignore[misc]  # by method
        row = super()._log_row(request, status, answered, is_silent)
        if (operation := self.named.get(request.method or "")) is not None:
            row.endpoint = f"{ORIGIN}/{operation}"
        body = getattr(request, "_full_data", None)
        sent = body.get("source") if isinstance(body, dict) else None
        named = request.headers.get("X-Mem0-Source") or request.query_params.get("source") or sent
        row.origin = (named if isinstance(named, str) and named.isprintable() else ORIGIN)[:MAX_ORIGIN]
        return row


def _read_object(text: str) -> Any:
    """Return what a parameter of a query holds, where that is an object."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return parse_json_object(text, "filters")
    except InvalidParameters:
        return text


def _list_entities_in(value: Any, depth: int = 0) -> list[tuple[str, str]]:
    """The ids of entities in a body or its filters, whatever they stand in."""
    if depth > 12:
        return []
    if isinstance(value, list):
        return [pair for item in value[:MAX_SUBJECTS] for pair in _list_entities_in(item, depth + 1)]
    if not isinstance(value, dict):
        return []
    pairs: list[tuple[str, str]] = []
    for name, item in value.items():
        if name in ENTITIES:
            pairs += [(name, text) for text in _list_texts_in(item)]
        elif name not in {"messages", "metadata"}:
            pairs += _list_entities_in(item, depth + 1)
    return pairs


def _list_texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _list_texts_in(item)]
    items = value if isinstance(value, list) else [value]
    return [item for item in items[:MAX_SUBJECTS] if isinstance(item, str) and item and item != "*"]
