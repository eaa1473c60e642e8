"""Answers for errors in pages, and for those of the API that occur outside of a view."""

from __future__ import annotations

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language_from_request, gettext, override
from django.views.defaults import bad_request

from console.interfaces.error_bodies import find_error_body
from console.ui.htmx_triggers import show_toast
from console.ui.texts.api_words import translate_detail, translate_remedy
from tenancy.api.bodies.body_limit import ErrorBody
from tenancy.api.failures import TRANSACTION_TIMEOUTS, as_catalogue
from tenancy.audit.request_context import name_request
from tenancy.errors import (
    CatalogueError,
    InternalError,
    InvalidParameters,
    MemoryUnavailable,
    OperationFailed,
)

# SQLSTATE: a statement was stopped at its time limit; a lock was not given, or two transactions waited for each other.
TOO_SLOW = frozenset({"57014", *TRANSACTION_TIMEOUTS})
IN_THE_WAY = frozenset({"55P03", "40P01", "40001"})


def answer_refused_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What Django refuses before any view sees it, such as a Host header that is not ours."""
    if write := find_error_body(request.path):
        return _build_answer(request, write, InvalidParameters("the request's headers or address"))
    response = bad_request(request, exception)
    response["X-Request-Id"] = name_request(request)
    return response


def answer_server_error(request: HttpRequest) -> HttpResponse:
    """Answer what a view could not: that the database is busy or away, or else that something is wrong with us.

    The clients of each protocol get its error body even then.
    """
    fault = sys.exception()
    entry = as_catalogue(fault) if isinstance(fault, Exception) else InternalError()
    if not isinstance(entry, MemoryUnavailable):
        entry = InternalError()
    write = find_error_body(request.path)
    response = _build_answer(request, write, entry) if write else _render_error_page(request, fault, entry)
    if entry.retry_after is not None:
        response["Retry-After"] = str(round(entry.retry_after))
    return response


def answer_busy_page(request: HttpRequest, refusal: CatalogueError) -> HttpResponse | None:
    """The error page for a request that had to wait too long for its turn; None below an API's address."""
    if find_error_body(request.path):
        return None
    with override(get_language_from_request(request)):
        explanation = f"{translate_detail(refusal.detail)}. {translate_remedy(OperationFailed.remedy)}"
        words = {"code": refusal.status, "heading": gettext(refusal.message), "explanation": explanation}
        response = _render_words(request, words, refusal.status)
    if refusal.retry_after is not None:
        response["Retry-After"] = str(round(refusal.retry_after))
    return response


def _build_answer(request: HttpRequest, write: ErrorBody, entry: CatalogueError) -> HttpResponse:
    status, body = write(entry)
    headers = {"X-Request-Id": name_request(request), "X-Engram-Remedy": entry.cure}
    return HttpResponse(body, status=status, content_type="application/json; charset=utf-8", headers=headers)


def _render_error_page(
    request: HttpRequest, fault: BaseException | None, entry: CatalogueError
) -> HttpResponse:
    """Render an error page without the request: its session or member may be what cannot be read."""
    return _render_words(request, _build_wording(fault, entry), entry.status)


def _render_words(request: HttpRequest, words: dict[str, Any], status: int) -> HttpResponse:
    request_id = name_request(request)
    page = render_to_string("500.html", words | {"request_id": request_id})
    response = HttpResponse(page, status=status)
    response["X-Request-Id"] = request_id
    message = f"{words['explanation']} ({request_id})"
    return show_toast(response, message) if "HX-Request" in request.headers else response


def _build_wording(fault: BaseException | None, entry: CatalogueError) -> dict[str, Any]:
    """Return what happened, and what to do about it."""
    if not isinstance(entry, MemoryUnavailable):
        heading = gettext("Something went wrong on our side")
        what = gettext("The error has been logged. Try again in a moment. Nothing was partly saved.")
        return {"code": entry.status, "heading": heading, "explanation": what}
    state = getattr(getattr(fault, "__cause__", None), "sqlstate", "")
    if state in TOO_SLOW:
        heading = gettext("This took too long")
        what = gettext(
            "The database stopped it after some seconds. Nothing was partly saved. Try again, and if it stays, "
            "choose less: narrower filters, a shorter time."
        )
    elif state in IN_THE_WAY:
        heading = gettext("Something else is changing the same data")
        what = gettext("It did not end within some seconds. Nothing was partly saved. Try again in a moment.")
    else:
        heading = gettext("The database cannot be reached")
        what = gettext(
            "It is overloaded or is being restarted. Nothing was partly saved. Try again in a moment."
        )
    return {"code": entry.status, "heading": heading, "explanation": what}
