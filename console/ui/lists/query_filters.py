"""Read filters from the query string; invalid ones are recorded by name and ignored."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.http import QueryDict

from console.ui.lists.query_values import parse_choice, parse_search_words, parse_uuids

# Of a value that is dropped so much is shown.
SHOWN = 60


@dataclass(frozen=True, slots=True)
class Dropped:
    """A filter that was asked for and is not valid: its label and what it was set to."""

    name: str
    label: Any
    value: str


@dataclass(slots=True)
class FilterReader:
    """Reads the fields of a list's filter bar; `dropped` fills up with what could not be read."""

    query: QueryDict
    dropped: list[Dropped] = field(default_factory=list)

    def words(self, name: str, longest: int, label: Any = "") -> str:
        """Words to look for; what is longer than any such value is dropped where it has a label, else cut."""
        text = self.query.get(name, "").replace("\0", "").strip()
        if label and len(text) > longest:
            return self.drop(name, label, text)
        return parse_search_words(text, longest)

    def choice(self, name: str, allowed: Container[str], label: Any) -> str:
        text = self.query.get(name, "")
        return parse_choice(text, allowed) or (self.drop(name, label, text) if text else "")

    def uuid(self, name: str, label: Any) -> UUID | None:
        text = self.query.get(name, "").strip()
        key = next(iter(parse_uuids([text])), None)
        if text and key is None:
            self.drop(name, label, text)
        return key

    def digits(self, name: str, longest: int, label: Any) -> str:
        text = self.query.get(name, "").strip()
        is_number = text.isascii() and text.isdecimal() and len(text) <= longest
        return text if is_number or not text else self.drop(name, label, text)

    def drop(self, name: str, label: Any, value: str) -> str:
        """Leaves a filter out, by name; what is left of it is ""."""
        shown = value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
        self.dropped.append(Dropped(name, label, shown))
        return ""


def remove_from_query(query: QueryDict, names: Iterable[str]) -> str:
    """The address's query without these fields, so that it says what the page shows."""
    kept = query.copy()
    for name in names:
        kept.pop(name, None)
    return kept.urlencode()
