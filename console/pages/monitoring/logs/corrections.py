"""A refused call as it would have been accepted: which fields to change, and the whole call.

The body is checked by what refused it, whatever protocol it was sent by. Each fault names its field; a change of that
field that removes the fault is kept, until none is left. So what is shown is known to pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from typing import Any

from django.utils.translation import gettext as _

from console.interfaces.mem0.search import BELONGS_INTO_FILTERS
from console.pages.monitoring.logs.call_form import CallForm
from console.pages.monitoring.logs.calls import LoggedCall
from tenancy.errors import CatalogueError, KnowledgeBaseNotLinked, KnowledgeBaseUnknown
from tenancy.models import Project

MOST_CHANGES = 12
LONGEST_VALUE = 80
# Of two names, as `difflib` counts it.
LEAST_LIKENESS = 0.8
_FIELD = re.compile(r"[A-Za-z_]\w*(?:\[\d+\]|\.\w+)*")
_STEP = re.compile(r"\[(\d+)\]|(\w+)")
_AT_MOST = re.compile(r"at most (\d+) characters")
_BOUNDS = re.compile(r"from (-?\d+) to (-?\d+)$")
_CHOICES = re.compile(r"must be one of ([\w, -]+)$")
_MISSING: Any = object()
BASES = "knowledgebase_ids"

Steps = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A body with one change at `steps`. `drops` says that the change leaves that item of a list out."""

    steps: Steps
    body: dict[str, Any]
    drops: bool = False


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field's change in words: `text` says what to do."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class CallCorrection:
    """The changes, and the call with them as curl and as its `body`. Without changes the same call is right to be sent
    again."""

    changes: list[FieldChange]
    curl: str
    body: dict[str, Any] | None


def correct_call(
    call: LoggedCall, project: Project, code: int, http_status: int, linked: list[str]
) -> CallCorrection | None:
    """`linked` are the ids of the project's knowledge bases. None where nobody can say what is meant instead."""
    if http_status == 429 or http_status >= 500:
        return CallCorrection([], call.as_curl(), call.body)
    body, changes = _start_body(call, code, linked)
    form = call.form
    if form.check is None or body is None:
        return None
    fault = form.fault(body, project)
    dropped: list[Steps] = []
    while fault is not None and len(changes) < MOST_CHANGES:
        improvement = _find_improvement(form, project, body, fault)
        if improvement is None:
            return None
        attempt, fault = improvement
        changes = [*changes, _describe_change(body, attempt, dropped)]
        body = attempt.body
        if attempt.drops:
            dropped.append(attempt.steps)
    if not changes or fault is not None:
        return None
    return CallCorrection(_keep_last_of_each_field(changes), call.as_curl(body), body)


def _start_body(
    call: LoggedCall, code: int, linked: list[str]
) -> tuple[dict[str, Any] | None, list[FieldChange]]:
    if call.body is None:
        if call.is_object:  # a name twice, half a character: nobody can say what was meant
            return None, []
        example = dict(call.form.example) or None
        return example, [
            FieldChange("", _("The body is not a JSON object. This one is, from the API reference."))
        ]
    if code not in {KnowledgeBaseUnknown.code, KnowledgeBaseNotLinked.code} or BASES not in call.body:
        return call.body, []
    steps: Steps = (BASES,)
    new = _with(call.body, steps, linked) if linked else _remove_value_at(call.body, steps)
    return new, [_describe_change(call.body, Attempt(steps, new), [])]


def _find_improvement(
    form: CallForm, project: Project, body: dict[str, Any], fault: CatalogueError
) -> tuple[Attempt, CatalogueError | None] | None:
    """The first change after which nothing is wrong with its field any more, else one after which less is; and what is
    wrong after it."""
    second_best = None
    for attempt in _iterate_attempts(form, body, fault):
        left = form.fault(attempt.body, project)
        # After an item is left out, the next one has its place.
        if left is None or attempt.drops or not left.detail.startswith(fault.detail.partition(":")[0]):
            return attempt, left
        if second_best is None and left.text != fault.text:
            second_best = attempt, left
    return second_best


def _iterate_attempts(form: CallForm, body: dict[str, Any], fault: CatalogueError) -> Iterator[Attempt]:
    """Yield attempts from the smallest change to the largest.

    First the value itself, then the example's, then nothing; after that its list item, and its whole field.
    """
    names = re.split(r",| or |^one of |[()]", fault.detail.partition(": ")[0])
    named = [steps for steps in map(_parse_steps, names) if steps]
    if fault.detail.endswith(BELONGS_INTO_FILTERS) and named:
        yield Attempt(named[0], _move_into_filters(body, named[0]))
    for steps in named:
        yield from _iterate_renamed(form, body, steps)
        value = _get_value_at(body, steps)
        if value is not _MISSING:
            wanted = _get_value_at_example(form, steps)
            nearest = [*_iterate_nearest_values(value, fault), *_iterate_objects_of(value, wanted)]
            yield from (Attempt(steps, _with(body, steps, new)) for new in nearest)
    yield from _iterate_by_example(form, body, named)
    for item in map(_get_item_steps, named) if form.lists_orders else ():
        if item and len(_get_value_at(body, item[:-1])) > 1:
            yield Attempt(item, _remove_value_at(body, item), drops=True)
    yield from _iterate_by_example(form, body, [steps[:1] for steps in named if len(steps) > 1])


def _iterate_by_example(form: CallForm, body: dict[str, Any], named: list[Steps]) -> Iterator[Attempt]:
    for steps in named:
        wanted = _get_value_at_example(form, steps)
        if wanted is not _MISSING:
            yield Attempt(steps, _with(body, steps, wanted))
        if form.may_leave_out and _get_value_at(body, steps) is not _MISSING:
            yield Attempt(steps, _remove_value_at(body, steps))


def _get_value_at_example(form: CallForm, steps: Steps) -> Any:
    """Get the value at these steps of the example; of a list, that of its only item."""
    return _get_value_at(form.example, tuple(0 if isinstance(step, int) else step for step in steps))


def _get_item_steps(steps: Steps) -> Steps:
    """The steps to the innermost list item that the field is in; empty when it is in no list."""
    last = max((place for place, step in enumerate(steps) if isinstance(step, int)), default=-1)
    return steps[: last + 1]


def _iterate_objects_of(value: Any, wanted: Any) -> Iterator[dict[str, Any]]:
    """Return where an object is wanted: one that has the text as the value of one of its fields."""
    if isinstance(value, str) and isinstance(wanted, dict):
        yield from ({name: value} for name in wanted)


def _move_into_filters(body: dict[str, Any], steps: Steps) -> dict[str, Any]:
    filters, named = body.get("filters"), {str(steps[0]): _get_value_at(body, steps)}
    joined = named if not filters else {"AND": [named, filters]}
    return _with(_remove_value_at(body, steps), ("filters",), joined)


def _iterate_renamed(form: CallForm, body: dict[str, Any], steps: Steps) -> Iterator[Attempt]:
    """A field that nothing knows takes the name of the missing one, or of one that is known, if that is almost its
    own."""
    holder, name = _get_value_at(body, steps[:-1]), steps[-1]
    if not isinstance(holder, dict) or not isinstance(name, str):
        return
    wanted = _get_value_at_example(form, steps[:-1])
    known = form.names if len(steps) == 1 else frozenset(wanted if isinstance(wanted, dict) else ())
    if name in holder:
        pairs = [(name, free) for free in known - holder.keys()] if name not in known else []
    else:
        pairs = [(unknown, name) for unknown in holder if unknown not in known]
    likeness = {pair: _compare_names(*pair) for pair in pairs}
    if (best := max(pairs, key=lambda pair: likeness[pair], default=None)) and likeness[
        best
    ] >= LEAST_LIKENESS:
        old, new = ((*steps[:-1], field) for field in best)
        yield Attempt(new, _with(_remove_value_at(body, old), new, _get_value_at(body, old)))


def _compare_names(given: str, wanted: str) -> float:
    """Similarity of two names, 0 to 1; `id` is as good as `memory_id`."""
    if wanted.endswith(f"_{given}"):
        return 1.0
    return SequenceMatcher(None, _normalise_name(given), _normalise_name(wanted)).ratio()


def _normalise_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _iterate_nearest_values(value: Any, fault: CatalogueError) -> Iterator[Any]:
    """Values that keep what was meant."""
    if isinstance(value, str) and (match := _AT_MOST.search(fault.detail)):
        yield value[: int(match[1])]
    if isinstance(value, str) and (choices := _CHOICES.search(fault.detail)):
        named = {choice.lower(): choice for choice in choices[1].split(", ")}
        yield from (named[key] for key in get_close_matches(value.lower(), named, 1, LEAST_LIKENESS))
    bounds = _BOUNDS.search(fault.detail) or _BOUNDS.search("from 0 to 1")
    number = _parse_number(value)
    if number is not None and bounds:
        yield min(max(number, int(bounds[1])), int(bounds[2]))
        yield int(number)
    if isinstance(value, str) and value.strip().lower() in {"true", "false", "yes", "no", "1", "0"}:
        yield value.strip().lower() in {"true", "yes", "1"}
    if isinstance(value, int):
        yield bool(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    if isinstance(value, list) and len(value) == 1:
        yield value[0]
    if not isinstance(value, list):
        yield [value]
        yield [{"role": "user", "content": value}]


def _parse_number(value: Any) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, int):  # of more digits than a float holds, too
        return value
    try:
        number = float(value)
    except ValueError:
        return None
    if number != number or number in {float("inf"), float("-inf")}:
        return None
    return int(number) if number.is_integer() else number


def _parse_steps(name: str) -> Steps:
    """No steps for what is no field's name."""
    match = _FIELD.match(name.strip())
    return tuple(int(step[1]) if step[1] else step[2] for step in _STEP.finditer(match[0])) if match else ()


def _get_value_at(value: Any, steps: Steps) -> Any:
    for step in steps:
        if isinstance(value, str):  # its letters are no places
            return _MISSING
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return value


def _with(body: dict[str, Any], steps: Steps, value: Any) -> dict[str, Any]:
    """A copy with this value; the body itself where the place cannot be reached."""
    new = deepcopy(body)
    holder, last = _get_value_at(new, steps[:-1]), steps[-1]
    if isinstance(holder, dict) or (isinstance(holder, list) and isinstance(last, int)):
        holder[last] = deepcopy(value)  # type: ignore[index]
    return new


def _remove_value_at(body: dict[str, Any], steps: Steps) -> dict[str, Any]:
    new = deepcopy(body)
    del _get_value_at(new, steps[:-1])[steps[-1]]
    return new


def _describe_change(before: dict[str, Any], attempt: Attempt, dropped: list[Steps]) -> FieldChange:
    """`dropped` are the items that were left out before: fields are named by their places in what was sent."""
    after, steps = attempt.body, attempt.steps
    old, new = _get_value_at(before, steps), _get_value_at(after, steps)
    field = _format_steps(_find_place_in_sent(steps, dropped))
    values = {"field": field, "old": _shorten_value(old), "new": _shorten_value(new)}
    if attempt.drops:
        return FieldChange(
            field, _("Remove %(old)s from %(list)s.") % (values | {"list": _format_steps(steps[:-1])})
        )
    renamed = _list_names_at(before, steps[:-1]) - _list_names_at(after, steps[:-1])
    if renamed and "filters" in after and field != "filters" and before.get("filters") != after["filters"]:
        return FieldChange(field, _("Move %(field)s into filters.") % values)
    if renamed and new is not _MISSING:
        return FieldChange(field, _("Rename %(old)s to %(field)s.") % (values | {"old": renamed.pop()}))
    if new is _MISSING:
        return FieldChange(field, _("Remove %(field)s.") % values)
    if old is _MISSING or old in ("", None, [], {}):
        return FieldChange(field, _("Add %(field)s, for example %(new)s.") % values)
    return FieldChange(field, _("Change %(field)s from %(old)s to %(new)s.") % values)


def _find_place_in_sent(steps: Steps, dropped: list[Steps]) -> Steps:
    for item in reversed(dropped):
        depth = len(item) - 1
        if depth < len(steps) and steps[:depth] == item[:depth] and int(steps[depth]) >= int(item[depth]):
            steps = (*steps[:depth], int(steps[depth]) + 1, *steps[depth + 1 :])
    return steps


def _format_steps(steps: Steps) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")


def _list_names_at(body: dict[str, Any], steps: Steps) -> set[str]:
    holder = _get_value_at(body, steps)
    return set(holder) if isinstance(holder, dict) else set()


def _keep_last_of_each_field(changes: list[FieldChange]) -> list[FieldChange]:
    return list({change.field: change for change in changes}.values())


def _shorten_value(value: Any) -> str:
    text = "" if value is _MISSING else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST_VALUE:
        return text
    shown = f"{text[: LONGEST_VALUE - 1]}…"
    return (
        f"{shown} ({_('%(count)s characters') % {'count': len(value)}})" if isinstance(value, str) else shown
    )
