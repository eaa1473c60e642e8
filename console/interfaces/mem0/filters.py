"""The filters of mem0's contract as conditions of a query. What is not known is refused by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from django.db.models import F, Func, Q, TextField, Value
from django.db.models.functions import Trunc
from django.db.models.lookups import IContains, In

from console.interfaces.mem0.parsing import (
    ANY,
    ENTITIES,
    get_day_bounds,
    is_day,
    parse_day,
    parse_id,
    parse_texts,
    parse_time,
    parse_uuid,
)
from memories.lifecycle.entities import is_about, is_about_any, is_about_one_of
from memories.retrieval.queries.filters import build_info_contains
from memories.values import OwnerKind
from tenancy.errors import InvalidParameters, RequiredFieldEmpty

MAX_DEPTH, MAX_CONDITIONS, MAX_VALUES, MAX_TEXT = 8, 100, 1_000, 1_000
TIMES = {"created_at": "created_at", "timestamp": "created_at", "updated_at": "updated_at"}
TIME_WORDS = ("gt", "gte", "lt", "lte", "ne", "in")
DAY = "expiration_date"
WORDS = {"contains": "text__contains", "icontains": "text__icontains"}
FIELDS = (*ENTITIES, *TIMES, DAY, "categories", "metadata", "keywords", "text", "memory_ids")
_NOBODY = Q(pk__in=[])
Unit = Literal["day", "second", "microsecond"]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Conditions of the memories that are meant. `user` is set where all of them are one end user's, and `within`
    leaves that out."""

    everything: Q
    user: str = ""
    within: Q | None = None


def parse_filters(raw: Any, *, more: Q | None = None) -> Narrowed:
    """Raises `InvalidParameters` that names what is wrong, and `RequiredFieldEmpty` where no entity is named.

    `more` are further conditions that hold in any case.
    """
    if raw is None or raw == {}:
        raise RequiredFieldEmpty(f"filters: name at least one of {', '.join(ENTITIES)}")
    if not isinstance(raw, Mapping):
        raise InvalidParameters("filters: must be an object")
    everything = _Compiler().node(raw, "filters", 1) & (more or Q())
    if not _names_entity(raw):
        raise RequiredFieldEmpty(
            f"filters: name at least one of {', '.join(ENTITIES)}, in each branch of an OR, and not in NOT"
        )
    user = _find_only_user(raw)
    within = _Compiler(known_user=user).node(raw, "filters", 1) & (more or Q()) if user else None
    return Narrowed(everything, user, within)


def _names_entity(node: Any) -> bool:
    """Return whether every memory that meets the node is about some entity that it names."""
    return isinstance(node, Mapping) and any(_names(name, value) for name, value in node.items())


def _names(name: str, value: Any) -> bool:
    if name.upper() == "AND":
        return any(map(_names_entity, value))
    if name.upper() == "OR":
        return all(map(_names_entity, value))
    if name not in ENTITIES:
        return False
    return not isinstance(value, Mapping) or bool({"eq", "in"} & value.keys())


def _find_only_user(node: Mapping[str, Any]) -> str:
    """The end user to whom the node's own conditions, or those of an AND in it, narrow it; "" for none."""
    for name, value in node.items():
        if name == "user_id" and (user := _get_single_value(value)):
            return user
        if name.upper() == "AND":
            for child in value:
                if user := _find_only_user(child):
                    return user
    return ""


def _get_single_value(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("eq", value.get("in"))
    if isinstance(value, list) and len(set(value)) == 1:
        value = value[0]
    return value if isinstance(value, str) and value != ANY else ""


class _Compiler:
    """Walks one filter and counts its conditions. What says no more than the known user's id is left out."""

    def __init__(self, known_user: str = "") -> None:
        self.conditions = 0
        self._known_user = known_user

    def node(self, raw: Any, where: str, depth: int) -> Q:
        if depth > MAX_DEPTH:
            raise InvalidParameters(f"{where}: at most {MAX_DEPTH} levels")
        if not isinstance(raw, Mapping) or not raw:
            raise InvalidParameters(f"{where}: must be an object with a condition in it")
        joined = Q()
        for name, value in raw.items():
            joined &= self._compile_member(name, value, f"{where}.{name[:60]}", depth)
        return joined

    def _compile_member(self, name: str, value: Any, where: str, depth: int) -> Q:
        word = name.upper()
        if word == "NOT":
            nodes = value if isinstance(value, list) else [value]
            # Nothing may be left out here: an empty condition means "any", and so does its negation to Django.
            known, self._known_user = self._known_user, ""
            joined = self._join_nodes(nodes, where, depth, is_and=False)
            self._known_user = known
            return ~joined
        if word in {"AND", "OR"}:
            return self._join_nodes(value, where, depth, is_and=word == "AND")
        self.conditions += 1
        if self.conditions > MAX_CONDITIONS:
            raise InvalidParameters(f"filters: at most {MAX_CONDITIONS} conditions")
        is_alone = not isinstance(value, Mapping) or len(value) == 1
        if (
            name == "user_id"
            and is_alone
            and self._known_user
            and _get_single_value(value) == self._known_user
        ):
            return Q()
        return _build_condition(name, value, where)

    def _join_nodes(self, nodes: Any, where: str, depth: int, *, is_and: bool) -> Q:
        if not isinstance(nodes, list) or not nodes:
            raise InvalidParameters(f"{where}: must be a list of at least one condition")
        parts = [self.node(node, f"{where}[{number}]", depth + 1) for number, node in enumerate(nodes)]
        joined = parts[0]
        for part in parts[1:]:
            # An empty part meets everything; Django's `|` would drop it.
            if is_and:
                joined = joined & part
            else:
                joined = Q() if not joined or not part else joined | part
        return joined


def _build_condition(name: str, value: Any, where: str) -> Q:
    if name in ENTITIES:
        return _build_entity_condition(name, value, where)
    if name in TIMES:
        return _build_time_condition(TIMES[name], value, where)
    if name == DAY:
        return _build_day_condition(value, where)
    if name == "categories":
        return _build_categories_condition(value, where)
    if name == "metadata":
        return _build_metadata_condition(value, where)
    if name in {"keywords", "text"}:
        return _build_keywords_condition(value, where)
    if name == "memory_ids":
        keys = _require_operators(value, ("in",), where) if isinstance(value, Mapping) else {"in": value}
        return Q(pk__in=[parse_uuid(key, where) for key in _check_list(keys["in"], where)])
    raise InvalidParameters(f"{where}: no such field (known are {', '.join(FIELDS)})")


def _require_operators(value: Mapping[str, Any], words: tuple[str, ...], where: str) -> Mapping[str, Any]:
    """Raises `InvalidParameters` for an operator that is not among the words."""
    if not value:
        raise InvalidParameters(f"{where}: an operator is missing")
    for word in value:
        if word not in words:
            raise InvalidParameters(f"{where}.{word[:60]}: no such operator (known are {', '.join(words)})")
    return value


def _check_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidParameters(f"{where}: must be a list")
    if len(value) > MAX_VALUES:
        raise InvalidParameters(f"{where}: at most {MAX_VALUES} values")
    return value


def _parse_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InvalidParameters(f"{where}: must be a string")
    if not value or len(value) > MAX_TEXT:
        raise InvalidParameters(f"{where}: 1 to {MAX_TEXT} characters")
    return value


def _build_entity_condition(name: str, value: Any, where: str) -> Q:
    kind = ENTITIES[name]
    if isinstance(value, list):
        value = {"in": value}
    if not isinstance(value, Mapping):
        return _build_about_condition(kind, value, where)
    joined = Q()
    for word, operand in _require_operators(value, ("eq", "ne", "in"), where).items():
        if word == "in":
            part = _build_about_one_condition(kind, _check_list(operand, f"{where}.in"), f"{where}.in")
        else:
            part = _build_about_condition(kind, operand, f"{where}.{word}")
        joined &= ~part if word == "ne" else part
    return joined


def _build_about_condition(kind: OwnerKind, value: Any, where: str) -> Q:
    return is_about_any(kind) if value == ANY else is_about(kind, parse_id(value, where))


def _build_about_one_condition(kind: OwnerKind, values: Sequence[Any], where: str) -> Q:
    names = [value if value == ANY else parse_id(value, where) for value in values]
    is_about_one = is_about_one_of(kind, names)
    return is_about_any(kind) | is_about_one if ANY in names else is_about_one


def _build_time_condition(column: str, value: Any, where: str) -> Q:
    if not isinstance(value, Mapping):
        return _build_instant_condition(column, value, where)
    joined = Q()
    for word, operand in _require_operators(value, TIME_WORDS, where).items():
        inner = f"{where}.{word}"
        if word == "in":
            part = _build_one_instant_condition(column, _check_list(operand, inner), inner)
        elif word == "ne":
            part = ~_build_instant_condition(column, operand, inner)
        else:
            first, after = _parse_span(operand, inner)
            part = {
                "gt": Q(**{f"{column}__gte": after}),
                "gte": Q(**{f"{column}__gte": first}),
                "lt": Q(**{f"{column}__lt": first}),
                "lte": Q(**{f"{column}__lt": after}),
            }[word]
        joined &= part
    return joined


def _build_instant_condition(column: str, value: Any, where: str) -> Q:
    first, after = _parse_span(value, where)
    return Q(**{f"{column}__gte": first, f"{column}__lt": after})


def _build_one_instant_condition(column: str, values: Sequence[Any], where: str) -> Q:
    """In one of these days, seconds or instants: each kind is one comparison, however many there are of it."""
    first_of: dict[Unit, list[datetime]] = defaultdict(list)
    for value in values:
        first, _ = _parse_span(value, where)
        first_of[_get_unit(value, first)].append(first)
    part = _NOBODY
    for unit, beginnings in first_of.items():
        when = Trunc(column, unit, tzinfo=UTC) if unit != "microsecond" else F(column)
        part |= Q(In(when, beginnings))
    return part


def _get_unit(value: str, first: datetime) -> Unit:
    """Return how long a written day or time is: as long as its last digit."""
    if is_day(value):
        return "day"
    return "microsecond" if "." in value or first.microsecond else "second"


def _parse_span(value: Any, where: str) -> tuple[datetime, datetime]:
    """Parse a time as a half-open interval: a date is the whole day, a time the whole of its last written digit."""
    if not isinstance(value, str):
        raise InvalidParameters(f"{where}: must be a day or a time in ISO 8601")
    if is_day(value):
        return get_day_bounds(parse_day(value.strip(), where))
    first = parse_time(value, where)
    try:
        return first, first + timedelta(**{f"{_get_unit(value, first)}s": 1})
    except OverflowError:
        return first, datetime.max.replace(tzinfo=UTC)


def _build_day_condition(value: Any, where: str) -> Q:
    if not isinstance(value, Mapping):
        return Q(expires_on=_parse_day_in(value, where))
    joined = Q()
    for word, operand in _require_operators(value, TIME_WORDS, where).items():
        inner = f"{where}.{word}"
        if word == "in":
            joined &= Q(expires_on__in=[_parse_day_in(day, inner) for day in _check_list(operand, inner)])
        elif word == "ne":
            joined &= ~Q(expires_on=_parse_day_in(operand, inner))
        else:
            joined &= Q(**{f"expires_on__{word}": _parse_day_in(operand, inner)})
    return joined


def _parse_day_in(value: Any, where: str) -> date:
    return parse_day(value.strip(), where) if is_day(value) else parse_time(value, where).date()


def _build_categories_condition(value: Any, where: str) -> Q:
    if not isinstance(value, Mapping):
        return match_any_category(value, where)
    joined = Q()
    for word, operand in _require_operators(value, ("in", "contains"), where).items():
        if word == "in":
            joined &= match_any_category(_check_list(operand, f"{where}.in"), f"{where}.in")
            continue
        names = Func(F("tags"), Value("\x1f"), function="array_to_string", output_field=TextField())
        joined &= Q(IContains(names, _parse_text(operand, f"{where}.contains")))
    return joined


def match_any_category(value: Any, where: str) -> Q:
    names = parse_texts(value, where, MAX_VALUES)
    return Q(tags__overlap=names) if names else _NOBODY


def _build_metadata_condition(value: Any, where: str) -> Q:
    if not isinstance(value, Mapping) or not value:
        raise InvalidParameters(f"{where}: must be an object with a key in it")
    joined = Q()
    for key, wanted in value.items():
        inner = f"{where}.{key[:60]}"
        if not isinstance(wanted, Mapping):
            joined &= _equals(key, wanted, inner)
            continue
        for word, operand in _require_operators(wanted, ("eq", "ne", "contains"), inner).items():
            if word == "contains":
                joined &= build_info_contains(key, operand, inner)
            else:
                joined &= _equals(key, operand, inner) if word == "eq" else ~_equals(key, operand, inner)
    return joined


def _equals(key: str, value: Any, where: str) -> Q:
    if isinstance(value, dict | list):
        raise InvalidParameters(f"{where}: is compared with one value")
    return Q(info__contains={key: value})


def _build_keywords_condition(value: Any, where: str) -> Q:
    if not isinstance(value, Mapping):
        raise InvalidParameters(f"{where}: use contains or icontains")
    joined = Q()
    for word, operand in _require_operators(value, tuple(WORDS), where).items():
        joined &= Q(**{WORDS[word]: _parse_text(operand, f"{where}.{word}")})
    return joined


def match_all_pairs(metadata: Mapping[str, Any]) -> Q:
    """Every pair of the object is in the memory's metadata, whatever its value is."""
    return Q(info__contains=dict(metadata)) if metadata else Q()
