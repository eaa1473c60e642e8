"""A code in words: the catalogue's sentence and remedy, the same that the API and the documentation use.

The API answers in English; pages translate the catalogue, whose texts the translations name one by one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.utils.translation import gettext

from tenancy.errors import CatalogueError, InvalidParameters, list_errors
from tenancy.models import RequestLog


@dataclass(frozen=True, slots=True)
class Explained:
    """`said` is what the answer itself named: the field at fault."""

    look: str
    title: str
    remedy: str
    said: str = ""


def explain(entry: RequestLog) -> Explained:
    look = "bad" if entry.http_status >= 500 else "warn"
    said = _message(entry.response_body)
    for failure in list_errors():
        if failure.code == entry.code:
            meaning, remedy = gettext(failure.message), gettext(failure.remedy)
            return Explained(look, f"{entry.code} · {meaning}", remedy, said)
    return Explained(look, str(entry.code), said)


def in_words(failure: CatalogueError) -> str:
    """A failure beside a form's field: what is wrong, without the API's own heading where that says nothing more."""
    said = gettext(failure.message).format(**failure.values)
    if failure.detail:
        has_own_words = failure.message != InvalidParameters.message and " " not in failure.detail
        said = f"{said}: {failure.detail}" if has_own_words else failure.detail
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."


def _message(body: str) -> str:
    try:
        answer = json.loads(body)
    except ValueError:
        return ""
    return str(answer.get("message", "")) if isinstance(answer, dict) else ""
