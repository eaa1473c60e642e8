"""Pages for viewers of a project that shows them metadata only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import HttpRequest

from tenancy.isolation.private_fields import hide_private_fields

# What lists can be searched for: a search for a word would tell whether somebody said it.
SEARCHES = ("q", "question", "tag", "info")


@contextmanager
def hide_content(request: Any) -> Iterator[None]:
    """Mask all texts of people that are read in the block; searches do not find them either."""
    request.GET = _remove_searches(request)
    with hide_private_fields():
        yield


def _remove_searches(request: HttpRequest) -> Any:
    asked = request.GET.copy()
    for name in SEARCHES:
        asked.pop(name, None)
    return asked
