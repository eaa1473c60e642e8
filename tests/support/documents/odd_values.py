"""Bodies with one place spoiled: each value in them, of whatever depth, in turn replaced by values nobody thinks of."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    [],
    {"a": {"b": []}},
    True,
    1e308,
    10**350,  # a body may hold numbers of 400 digits
    "0001-01-01",
    "{'a': 0x" + "f" * 4_000 + "}",  # as a Python literal, which a published client sends
)


def spoil(body: Any) -> Iterator[tuple[str, Any]]:
    """Where it was spoiled and with what, and the whole body."""
    for steps in _list_places(body):
        for odd in ODD:
            spoiled = copy.deepcopy(body)
            place = spoiled
            for step in steps[:-1]:
                place = place[step]
            place[steps[-1]] = odd
            yield f"{'.'.join(map(str, steps))} = {str(odd)[:40]}", spoiled


def _list_places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if steps:
        yield steps
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for step, member in members:
        yield from _list_places(member, (*steps, step))
