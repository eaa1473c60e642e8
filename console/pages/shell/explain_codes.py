"""Explain an error code with the sentence and remedy that the API and the documentation use.

The API answers in English; pages translate the catalogue, whose texts the translations name one by one, and what an
answer says behind the catalogue's sentence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.utils.translation import gettext

from console.ui.texts.api_words import find_error, join_sentence, translate_detail
from tenancy.errors import CatalogueError, InvalidParameters
from tenancy.models import RequestLog


@dataclass(frozen=True, slots=True)
class Explained:
    """`detail` is what the answer itself named: the field at fault and what is wrong with it."""

    look: str
    title: str
    remedy: str
    detail: str = ""


def explain_status(entry: RequestLog) -> Explained:
    look = "bad" if entry.http_status >= 500 else "warn"
    message = _read_message(entry.response_body)
    pair = find_error(entry.code, message)
    if pair is None:
        return Explained(look, str(entry.code), message)
    error, rest = pair
    title = f"{entry.code} · {gettext(error.message)}"
    return Explained(look, title, gettext(error.remedy), translate_detail(rest))


def describe_failure(failure: CatalogueError) -> str:
    """A failure beside a form's field: what is wrong, without the API's own heading where that says nothing more."""
    message = gettext(failure.message).format(**failure.values)
    if failure.detail:
        detail = translate_detail(failure.detail)
        has_own_words = failure.message != InvalidParameters.message and " " not in failure.detail
        message = join_sentence(message, detail) if has_own_words else detail
    sentence = f"{message[:1].upper()}{message[1:].rstrip('.')}"
    return gettext("%(sentence)s.") % {"sentence": sentence}


def _read_message(body: str) -> str:
    """Read the message of an error body of any of the APIs: native, mem0's, OpenAI's, or that of skills."""
    try:
        answer = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(answer, dict):
        return ""
    named = (answer.get(field) for field in ("message", "detail", "msg"))
    return next((text for text in named if isinstance(text, str) and text), "")
