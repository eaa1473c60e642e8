"""The filter language: JSON conditions become parameters of a query, never SQL text.

A group is `{"and": [...]}` or `{"or": [...]}`; a condition `{field: value}` or
`{field: {"contains" | "gte" | "lte" | "gt" | "lt": value}}`; groups nest. A root may instead name the sources
`user`, `public` and `knowledgebase`, each with a group of its own. Fields are agent_id, app_id, tags,
create_time, update_time, conversation_id and whatever the client wrote into `info`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import F, Func, JSONField, Q, TextField, Value
from django.db.models.lookups import (
    Contains,
    Exact,
    GreaterThan,
    GreaterThanOrEqual,
    LessThan,
    LessThanOrEqual,
)

from memories.text.time.timestamps import parse_timestamp
from tenancy.errors import InvalidParameters

MAX_DEPTH = 4
MAX_CONDITIONS = 100
MAX_TEXT = 1_000
SOURCES = ("user", "public", "knowledgebase")
LOOKUPS: dict[str, type[Any]] = {
    "gte": GreaterThanOrEqual,
    "lte": LessThanOrEqual,
    "gt": GreaterThan,
    "lt": LessThan,
}
COMPARISONS = frozenset(LOOKUPS)
TIMES = {"create_time": "created_at", "update_time": "updated_at"}
TEXTS = {"agent_id": "agent_id", "app_id": "app_id", "conversation_id": "conversation_key"}


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Conditions that narrow each source of memories; an empty `Q` narrows nothing."""

    user: Q
    public: Q
    knowledgebase: Q

    @classmethod
    def everything(cls) -> MemoryFilter:
        return cls(Q(), Q(), Q())


def parse_filter(raw: Any) -> MemoryFilter:
    """Raises `InvalidParameters` that says where the filter is wrong. None and {} narrow nothing."""
    if raw is None or raw == {}:
        return MemoryFilter.everything()
    if not isinstance(raw, dict):
        raise InvalidParameters("filter must be an object")
    compiler = _Compiler()
    if set(raw) & set(SOURCES):
        return _compile_by_source(raw, compiler)
    everywhere = compiler.group(raw, "filter", 1)
    return MemoryFilter(everywhere, everywhere, everywhere)


def _compile_by_source(raw: dict[str, Any], compiler: _Compiler) -> MemoryFilter:
    for name in raw:
        if name not in SOURCES:
            raise InvalidParameters(f"filter.{name}: use either and/or, or user, public and knowledgebase")
    parts = {name: _compile_source(raw.get(name), name, compiler) for name in SOURCES}
    return MemoryFilter(**parts)


def _compile_source(group: Any, name: str, compiler: _Compiler) -> Q:
    if group is None or group == {}:
        return Q()
    return compiler.group(group, f"filter.{name}", 1)


class _Compiler:
    """Walks one filter and counts its conditions."""

    def __init__(self) -> None:
        self.conditions = 0

    def group(self, raw: Any, where: str, depth: int) -> Q:
        if depth > MAX_DEPTH:
            raise InvalidParameters(f"{where}: groups nest at most {MAX_DEPTH} deep")
        if not isinstance(raw, dict) or not raw or set(raw) - {"and", "or"}:
            raise InvalidParameters(f"{where} must be an object with `and` or `or`")
        joined = Q()
        for word, members in raw.items():
            joined &= self._compile_members(word, members, f"{where}.{word}", depth)
        return joined

    def _compile_members(self, word: str, members: Any, where: str, depth: int) -> Q:
        if not isinstance(members, list):
            raise InvalidParameters(f"{where} must be a list of conditions")
        parts = [self._compile_member(member, f"{where}[{n}]", depth) for n, member in enumerate(members)]
        if not parts:
            return Q()
        joined = parts[0]
        for part in parts[1:]:
            joined = joined & part if word == "and" else joined | part
        return joined

    def _compile_member(self, raw: Any, where: str, depth: int) -> Q:
        if not isinstance(raw, dict) or not raw:
            raise InvalidParameters(f"{where} must be an object with a field and its value")
        if set(raw) <= {"and", "or"}:
            return self.group(raw, where, depth + 1)
        joined = Q()
        for name, value in raw.items():
            self.conditions += 1
            if self.conditions > MAX_CONDITIONS:
                raise InvalidParameters(f"filter: at most {MAX_CONDITIONS} conditions")
            joined &= _build_condition(name, value, f"{where}.{name}")
        return joined


def _build_condition(name: str, value: Any, where: str) -> Q:
    if name in {"user_id", "and", "or", *SOURCES}:
        raise InvalidParameters(f"{where} cannot be used inside a filter")
    if not name or len(name) > 100:
        raise InvalidParameters(f"{where}: field names have 1 to 100 characters")
    if name in TIMES:
        return _build_time_condition(TIMES[name], value, where)
    if name == "tags":
        return _build_tags_condition(value, where)
    if name in TEXTS:
        return Q(**{TEXTS[name]: _require_text(_require_scalar(value, where), where)})
    return _build_info_condition(name, value, where)


def _require_scalar(value: Any, where: str) -> Any:
    if isinstance(value, dict | list):
        raise InvalidParameters(f"{where} is compared with a single value")
    return value


def _require_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InvalidParameters(f"{where} must be a string")
    if len(value) > MAX_TEXT:
        raise InvalidParameters(f"{where}: at most {MAX_TEXT} characters")
    return value


def _build_tags_condition(value: Any, where: str) -> Q:
    if isinstance(value, dict):
        if set(value) != {"contains"}:
            raise InvalidParameters(f"{where} knows only `contains`")
        value = value["contains"]
    wanted = value if isinstance(value, list) else [value]
    if not wanted:
        return Q()  # an empty list is absent, as everywhere; the database would let every memory through
    return Q(tags__contains=[_require_text(tag, where) for tag in wanted])


def _build_time_condition(column: str, value: Any, where: str) -> Q:
    if not isinstance(value, dict) or not value or set(value) - COMPARISONS:
        raise InvalidParameters(f"{where} is compared with gte, lte, gt or lt")
    joined = Q()
    for word, raw in value.items():
        joined &= Q(**{f"{column}__{word}": _parse_timestamp(raw, word, where)})
    return joined


_WHOLE_DAY = re.compile(
    r"""
    \d{4}[-/.]\d{1,2}[-/.]\d{1,2} | (?:19|20)\d{6} | \d{4}年\d{1,2}月\d{1,2}日
    | [A-Za-z]{3,9}\.?\ \d{1,2},?\ \d{4} | \d{1,2}\ [A-Za-z]{3,9}\.?,?\ \d{4}
    """,
    re.VERBOSE,
)


def _parse_timestamp(raw: Any, word: str, where: str) -> datetime:
    """A date alone is its whole day: `lte` a day includes it, `gt` a day begins after it."""
    timestamp = parse_timestamp(raw)
    if timestamp is None:
        raise InvalidParameters(f"{where} must be a date or a time such as 2025-12-10 or 2025-12-10 08:00:00")
    if not isinstance(raw, str) or not _WHOLE_DAY.fullmatch(raw.strip()):
        return timestamp
    begins = timestamp.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    is_its_end = word in {"lte", "gt"}
    return begins + timedelta(days=1) - timedelta(microseconds=1) if is_its_end else begins


def _build_info_condition(name: str, value: Any, where: str) -> Q:
    if name == "info":
        raise InvalidParameters(f"{where}: write info's fields by their own names")
    if not isinstance(value, dict):
        return Q(info__contains={name: _require_single_value(value, where)})
    if not value or set(value) - {"contains", *COMPARISONS}:
        raise InvalidParameters(f"{where} knows contains, gte, lte, gt and lt")
    joined = Q()
    for word, raw in value.items():
        joined &= (
            build_info_contains(name, raw, where)
            if word == "contains"
            else _build_comparison(name, word, raw, where)
        )
    return joined


def _require_single_value(value: Any, where: str) -> Any:
    if isinstance(value, dict | list):
        raise InvalidParameters(f"{where} is compared with a single value")
    return _require_text(value, where) if isinstance(value, str) else value


def build_info_contains(name: str, value: Any, where: str) -> Q:
    """A list of the client's that holds the value, or a text that holds the piece."""
    holds = Q(info__contains={name: [_require_single_value(value, where)]})
    if not isinstance(value, str):
        return holds
    return holds | _is_a(name, "string") & Q(Contains(_build_member(name, as_text=True), value))


def _build_comparison(name: str, word: str, value: Any, where: str) -> Q:
    """Numbers with numbers and texts with texts; what is of another type does not match."""
    if isinstance(value, str):
        operand: Any = Value(_require_text(value, where), output_field=TextField())
        return _is_a(name, "string") & Q(LOOKUPS[word](_build_member(name, as_text=True), operand))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidParameters(f"{where} is compared with a number or a text")
    # As JSON on both sides: a cast would break on the first row that holds something else.
    operand = Value(value, output_field=JSONField())
    return _is_a(name, "number") & Q(LOOKUPS[word](_build_member(name), operand))


def _is_a(name: str, kind: str) -> Q:
    json_type = Func(_build_member(name), function="jsonb_typeof", output_field=TextField())
    return Q(Exact(json_type, Value(kind)))


def _build_member(name: str, *, as_text: bool = False) -> Func:
    """The member of `info`; its name is a parameter, and a name of digits is a name."""
    function = "jsonb_extract_path_text" if as_text else "jsonb_extract_path"
    output = TextField() if as_text else JSONField()
    return Func(F("info"), Value(name), function=function, output_field=output)
