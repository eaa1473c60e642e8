"""Renderers: every response is the JSON envelope, whatever a client accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import JSONRenderer


class EnvelopeRenderer(JSONRenderer):
    """JSON in UTF-8; non-ASCII letters are not escaped."""

    charset = "utf-8"


class AlwaysJSON(BaseContentNegotiation):
    """Ignore the `Accept` header: the answer is always JSON."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


def wrap_success(data: Any) -> dict[str, Any]:
    """The envelope of a success: `message` is exactly "ok", which two published clients compare."""
    return {"code": 0, "data": data, "message": "ok"}


def build_refusal(code: int, message: str) -> Mapping[str, Any]:
    return {"code": code, "data": None, "message": message}
