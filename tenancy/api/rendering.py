"""Every answer is the envelope, whatever a client accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import JSONRenderer


class EnvelopeRenderer(JSONRenderer):
    """JSON in UTF-8, non-ASCII letters as they are."""

    charset = "utf-8"


class AlwaysJSON(BaseContentNegotiation):
    """No `Accept` header is refused: clients send all kinds, and the answer is JSON anyway."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


def envelope(data: Any) -> dict[str, Any]:
    """A success: `message` is exactly "ok", which two clients compare."""
    return {"code": 0, "data": data, "message": "ok"}


def refusal(code: int, message: str) -> Mapping[str, Any]:
    return {"code": code, "data": None, "message": message}
