"""What an answer tells the page around it, beside its own fragment."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse


def tell_page(response: HttpResponse, events: dict[str, dict[str, Any]]) -> HttpResponse:
    """Makes htmx raise these events on the body.

    By itself it raises them on the element that asked. That may be replaced while the answer is under way, and what
    is raised on a removed element reaches no listener.
    """
    response["HX-Trigger"] = json.dumps(
        {name: {**detail, "target": "body"} for name, detail in events.items()}
    )
    return response


def say_on_page(response: HttpResponse, message: str) -> HttpResponse:
    """A fragment that is refused is not swapped: there it is said beside the page."""
    return tell_page(response, {"toast": {"text": message, "kind": "bad"}})
