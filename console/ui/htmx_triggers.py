"""Events that a response raises on the page around its own fragment, by the header `HX-Trigger` of htmx."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse


def trigger_events(response: HttpResponse, events: dict[str, dict[str, Any]]) -> HttpResponse:
    """Make htmx raise these events on the body.

    By itself it raises them on the element that asked. That may be replaced while the answer is under way, and what
    is raised on a removed element reaches no listener.
    """
    response["HX-Trigger"] = json.dumps(
        {name: {**detail, "target": "body"} for name, detail in events.items()}
    )
    return response


def show_toast(response: HttpResponse, message: str) -> HttpResponse:
    """A fragment that is refused is not swapped: there its message is shown in a toast."""
    return trigger_events(response, {"toast": {"text": message, "kind": "bad"}})
