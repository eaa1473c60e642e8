"""A logged request as a call that can be sent again: its address, its body, as curl."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings

from console.pages.monitoring.logs.call_form import CallForm
from console.pages.monitoring.logs.forms_by_operation import find_form, get_body_to_correct
from console.ui.texts.snippets import render_snippet
from tenancy.api.bodies.parsing import parse_object
from tenancy.errors import InvalidParameters
from tenancy.models import RequestLog
from tenancy.requests.log import MAX_BODY_KEPT

_SLOT = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """Call that was sent, in its protocol's own words. `body` is the object that the API read, or the query of what
    only reads, None where it read none; `text` is what the log has."""

    form: CallForm
    text: str
    body: dict[str, Any] | None

    @property
    def is_object(self) -> bool:
        """Return whether it is a JSON object after all, whatever in it the API refused."""
        try:
            return self.body is not None or isinstance(json.loads(self.text), dict)
        except (ValueError, RecursionError):
            return False

    def as_curl(self, body: dict[str, Any] | None = None) -> str:
        """With another body where one is given."""
        form, wanted = self.form, self.body if body is None else body
        sent, headers = self.text, form.headers(wanted or {})
        address = settings.PUBLIC_URL.rstrip("/") + form.path
        if form.deletes_by == "path":
            address = _SLOT.sub(lambda slot: quote(str((wanted or {})[slot[1]]), safe=""), address)
        if form.has_query and wanted:
            address = shlex.quote(f"{address}?{urlencode(as_query(wanted), doseq=True)}")
        elif wanted is not None:
            sent = json.dumps(form.content(wanted), ensure_ascii=False, indent=2)
        named = [shlex.quote(f"{name}: {value}") for name, value in headers.items()]
        return render_snippet(
            "request_curl",
            method=form.method,
            address=address,
            scheme=form.scheme,
            headers="".join(f" \\\n  -H {header}" for header in named),
            # Inside single quotes of a shell.
            sent=sent.replace("'", "'\\''") if form.has_body else "",
        )


def as_query(body: dict[str, Any]) -> dict[str, Any]:
    return {
        name: json.dumps(value) if isinstance(value, dict | bool) else value for name, value in body.items()
    }


def build_call(entry: RequestLog) -> LoggedCall | None:
    """Build the call of a log entry; None if it cannot be sent again: unknown form, texts not stored, or cut off."""
    if len(entry.request_body) >= MAX_BODY_KEPT:
        return None
    sent = parse_request_body(entry)
    form = find_form(entry, sent)
    if form is None or not _keeps_what_was_said(form, entry, sent or {}):
        return None
    return LoggedCall(
        form, entry.request_body, None if sent is None else get_body_to_correct(form, entry, sent)
    )


def _keeps_what_was_said(form: CallForm, entry: RequestLog, sent: dict[str, Any]) -> bool:
    """Return whether the entry still has its texts: not after an erasure, and of a deletion only if it was refused."""
    if form.deletes_by in {"query", "path"} and entry.http_status != InvalidParameters.status:
        return False
    if form.deletes_by == "path" and not form.names <= sent.keys():
        return False
    return bool(entry.request_body) or (form.method == "DELETE" and not form.deletes_by)


def parse_request_body(entry: RequestLog) -> dict[str, Any] | None:
    """The object that was sent, None for all that the API would not read, which may not even be JSON."""
    try:
        return parse_object(entry.request_body.encode())
    except InvalidParameters:
        return None
