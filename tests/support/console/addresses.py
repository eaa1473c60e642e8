"""The map of the console's addresses, as tests walk it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.urls import get_resolver, reverse

MADE_UP = {
    "uuid": lambda: str(uuid4()),
    "int": lambda: "987654321",
    "slug": lambda: "made-up",
    "str": lambda: "made-up",
    "path": lambda: "made-up/page",
    "userid": lambda: "made-up",
}


@dataclass(frozen=True)
class Address:
    """A named page. `needs` is what its guard says: whose page, the action to see it, the one to post to it."""

    name: str
    parameters: dict[str, str]
    needs: tuple[str, str, str] | None

    def path(self, **known: Any) -> str:
        """With what is known; everything else is made up."""
        values = {name: str(known.get(name) or MADE_UP[kind]()) for name, kind in self.parameters.items()}
        return reverse(f"console:{self.name}", kwargs=values)


def addresses() -> list[Address]:
    return list(_walk(get_resolver().url_patterns, {}, is_ours=False))


def _walk(patterns: Any, outer: dict[str, str], *, is_ours: bool) -> Iterator[Address]:
    for pattern in patterns:
        converters = {
            name: _kind(converter) for name, converter in getattr(pattern.pattern, "converters", {}).items()
        }
        parameters = outer | converters
        if hasattr(pattern, "url_patterns"):
            yield from _walk(
                pattern.url_patterns, parameters, is_ours=is_ours or pattern.namespace == "console"
            )
        elif is_ours and pattern.name:
            yield Address(pattern.name, parameters, getattr(pattern.callback, "needs", None))


def _kind(converter: Any) -> str:
    return type(converter).__name__.removesuffix("Converter").lower().replace("string", "str")
