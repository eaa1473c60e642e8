"""A logged request as a call that can be sent again: its address, its body, as curl."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.urls import resolve

from console.http.openapi.apis import APIS
from console.ui.snippets import snippet_text
from tenancy.api.bodies.parsing import parse_object
from tenancy.api.operations import Operation
from tenancy.errors import InvalidParameters
from tenancy.models import RequestLog
from tenancy.requests.log import MAX_BODY_KEPT

BODILESS = frozenset({"GET", "HEAD", "DELETE"})


@dataclass(frozen=True, slots=True)
class Call:
    """What was sent. `body` is the object that the API read, None where it read none; `text` is what the log has."""

    operation: Operation
    path: str
    text: str
    body: dict[str, Any] | None

    @property
    def is_object(self) -> bool:
        """Whether it is a JSON object after all, whatever in it the API refused."""
        try:
            return self.body is not None or isinstance(json.loads(self.text), dict)
        except (ValueError, RecursionError):
            return False

    def as_curl(self, body: dict[str, Any] | None = None) -> str:
        """With another body where one is given."""
        wanted = self.body if body is None else body
        sent = self.text if wanted is None else json.dumps(wanted, ensure_ascii=False, indent=2)
        has_body = self.operation.method not in BODILESS
        return snippet_text(
            "request_curl",
            method=self.operation.method,
            address=settings.PUBLIC_URL.rstrip("/") + self.path,
            # Inside single quotes of a shell.
            sent=sent.replace("'", "'\\''") if has_body else "",
        )


def call_of(entry: RequestLog) -> Call | None:
    """None for what cannot be sent again as it stands: of another protocol, about ids in the address, or cut off."""
    found = _operations().get((entry.endpoint, entry.method))
    if found is None or len(entry.request_body) >= MAX_BODY_KEPT:
        return None
    path, operation = found
    if not entry.request_body and operation.method not in BODILESS:
        return None  # erased, or never kept
    return Call(operation, path, entry.request_body, body_of(entry))


def body_of(entry: RequestLog) -> dict[str, Any] | None:
    """The object that was sent, None for all that the API would not read, which may not even be JSON."""
    try:
        return parse_object(entry.request_body.encode())
    except InvalidParameters:
        return None


@lru_cache(maxsize=1)
def _operations() -> dict[tuple[str, str], tuple[str, Operation]]:
    """Paths and operations by the name in the log and the method, of those without ids in their address."""
    return {
        (str(resolve(api.base + one.path).url_name), one.method): (api.base + one.path, one)
        for api in APIS
        for one in api.operations
        if "{" not in one.path
    }
