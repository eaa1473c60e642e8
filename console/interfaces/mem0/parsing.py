"""Parse values that mem0's clients send: ids, dates, numbers, and alternative spellings of one field."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from memories.api.serializers.fields import MAX_ID
from memories.api.serializers.messages import MAX_INFO
from memories.values import OwnerKind, Subject
from tenancy.api.bodies.parsing import MAX_DIGITS, MAX_LEVELS, refuse_unstorable
from tenancy.errors import InvalidParameters, RequiredFieldEmpty, UserIdTooLong

# Names of ids, by what they are the id of. Who is named first owns what is stored.
ENTITIES = {
    "user_id": OwnerKind.END_USER,
    "agent_id": OwnerKind.AGENT,
    "app_id": OwnerKind.APP,
    "run_id": OwnerKind.RUN,
}
# As paths and lists name them.
TYPES = {
    "user": OwnerKind.END_USER,
    "agent": OwnerKind.AGENT,
    "app": OwnerKind.APP,
    "run": OwnerKind.RUN,
}
ANY = "*"
# Where a project keeps what mem0's clients set.
SETTING = "mem0"
MAX_ITEMS = 1_000
MAX_LITERAL = 20_000
# A Python literal may write a number in hexadecimal digits, of which a body's limit does not know.
LARGEST = 10**MAX_DIGITS
DEEPEST = 1_000_000
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def parse_id(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise InvalidParameters(f"{name}: must be a string")
    if not value.strip():
        raise RequiredFieldEmpty(name)
    if len(value) > MAX_ID:
        raise UserIdTooLong(f"{name}: at most {MAX_ID} characters, not {len(value)}")
    refuse_unstorable(value)
    return value


def parse_entities(sent: Mapping[str, Any]) -> dict[str, str]:
    """The ids that stand at the top of a body, or in its `filters`, where the same id at the top wins."""
    inner = sent.get("filters")
    if inner is not None and not isinstance(inner, Mapping):
        raise InvalidParameters("filters: must be an object")
    for name in inner or {}:
        if name not in ENTITIES:
            raise InvalidParameters(f"filters.{name}: here only {', '.join(ENTITIES)}")
    given = {**(inner or {}), **{name: sent[name] for name in ENTITIES if sent.get(name) is not None}}
    ids = {name: parse_id(given[name], name) for name in ENTITIES if given.get(name) is not None}
    for name, value in ids.items():
        if value == ANY:
            raise InvalidParameters(f"{name}: {ANY} means any, and is nobody's id")
    if not ids:
        raise RequiredFieldEmpty(f"one of {', '.join(ENTITIES)}")
    return ids


def get_owner(entities: Mapping[str, str]) -> Subject:
    """The owner of memories: the first entity that is named, in the order of `ENTITIES`."""
    name = next(name for name in ENTITIES if name in entities)
    return Subject(ENTITIES[name], entities[name])


def parse_uuid(value: Any, name: str) -> UUID:
    try:
        return UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise InvalidParameters(f"{name}: must be a UUID") from None


def parse_day(value: Any, name: str) -> date:
    """A day as `YYYY-MM-DD`, and nothing else."""
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise InvalidParameters(f"{name}: must be a day such as 2026-12-31")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise InvalidParameters(f"{name}: there is no such day") from None


def get_day_bounds(day: date) -> tuple[datetime, datetime]:
    """Return when the day begins in UTC, and when it is over; the last day that there is never is."""
    first = datetime.combine(day, time(), UTC)
    return first, first + timedelta(days=1) if day < date.max else datetime.max.replace(tzinfo=UTC)


def parse_unix_seconds(value: Any, name: str) -> datetime:
    """Unix seconds, whole or not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidParameters(f"{name}: must be Unix seconds")
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidParameters(f"{name}: out of range") from None


def parse_time(value: Any, name: str) -> datetime:
    """Unix seconds, a day, or a time in ISO 8601; in UTC, also where it has no zone."""
    return parse_zoned_time(value, name).astimezone(UTC)


def parse_zoned_time(value: Any, name: str) -> datetime:
    """The same in the zone that it was sent with."""
    if not isinstance(value, str):
        return parse_unix_seconds(value, name)
    try:
        timestamp = datetime.fromisoformat(value.strip())
        timestamp.astimezone(UTC)  # out of range at the ends of the calendar
        return timestamp.replace(tzinfo=UTC) if timestamp.tzinfo is None else timestamp
    except (ValueError, OverflowError):
        raise InvalidParameters(f"{name}: must be a day, a time in ISO 8601 or Unix seconds") from None


def is_day(value: Any) -> bool:
    return isinstance(value, str) and bool(_DAY.fullmatch(value.strip()))


def parse_number(value: Any, name: str, least: int, most: int) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidParameters(f"{name}: must be a whole number")
    if not least <= value <= most:
        raise InvalidParameters(f"{name}: must be from {least} to {most}")
    return value


def parse_page(query: Mapping[str, Any], default: int, most: int) -> tuple[int, int]:
    """Return which page, and how many rows it has."""
    return (
        parse_number(query.get("page", 1), "page", 1, DEEPEST),
        parse_number(query.get("page_size", default), "page_size", 1, most),
    )


def parse_flag(value: Any, name: str, default: bool) -> bool:
    """Parse a boolean, or its name as in query strings."""
    if value is None:
        return default
    named = {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(named, bool):
        raise InvalidParameters(f"{name}: must be true or false")
    return named


def parse_texts(value: Any, name: str, most: int = MAX_ITEMS) -> list[str]:
    """A list of strings; one string stands for a list of it."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(text, str) for text in items):
        raise InvalidParameters(f"{name}: must be a list of strings")
    if len(items) > most:
        raise InvalidParameters(f"{name}: at most {most} items")
    return items


def parse_json_object(value: Any, name: str) -> dict[str, Any]:
    """An object, or one as JSON text, or as the Python literal that a published client sends in queries.

    Anything else, and a text that is neither, raises `InvalidParameters`: what is not understood must narrow nothing.
    """
    if isinstance(value, str):
        value = _parse_literal(value, name)
        if not _is_json(value):
            raise InvalidParameters(f"{name}: holds what JSON cannot hold")
        refuse_unstorable(value, name)
    if not isinstance(value, dict):
        raise InvalidParameters(f"{name}: must be an object")
    return value


def parse_metadata(sent: Mapping[str, Any], place: str = "") -> dict[str, Any] | None:
    """The `metadata` of a body, or of what stands at a place in it; None where it has none."""
    if sent.get("metadata") is None:
        return None
    metadata = parse_json_object(sent["metadata"], f"{place}metadata")
    if len(json.dumps(metadata)) > MAX_INFO:
        raise InvalidParameters(f"{place}metadata: at most {MAX_INFO} characters of JSON")
    return metadata


def parse_categories(value: Any) -> list[str]:
    """The names in a list of `{name: description}`."""
    if not isinstance(value, list):
        raise InvalidParameters("custom_categories: must be a list of objects")
    for number, category in enumerate(value):
        if not isinstance(category, dict) or not all(isinstance(text, str) for text in category.values()):
            raise InvalidParameters(
                f"custom_categories[{number}]: must be an object of a name and its description"
            )
    names = list(dict.fromkeys(name for category in value for name in category if name.strip()))
    if any(len(name) > MAX_ID for name in names):
        raise InvalidParameters(f"custom_categories: names have at most {MAX_ID} characters")
    return names


def _parse_literal(text: str, name: str) -> Any:
    if len(text) > MAX_LITERAL:
        raise InvalidParameters(f"{name}: at most {MAX_LITERAL} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise InvalidParameters(f"{name}: neither JSON nor a Python literal") from None


def _is_json(value: Any, level: int = 0) -> bool:
    """Return whether JSON can hold it, no deeper than bodies may be."""
    if level > MAX_LEVELS:
        return False
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_json(item, level + 1) for name, item in value.items())
    if isinstance(value, list):
        return all(_is_json(item, level + 1) for item in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return -LARGEST < value < LARGEST
    return value is None or isinstance(value, str)
