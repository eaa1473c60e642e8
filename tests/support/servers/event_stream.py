"""Server-sent events, read strictly, and read as the published SDK does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import httpx

from tests.support.api_client import Api


class Event(NamedTuple):
    type: str
    data: str


def iterate_events(answer: httpx.Response) -> Iterator[Event]:
    """As they arrive. Each is one line with its name above it; comments are passed over."""
    name = ""
    for line in iterate_lines(answer):
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            assert name == "message"
            fields = json.loads(line[6:])
            assert set(fields) == {"type", "data"}
            assert isinstance(fields["data"], str)
            yield Event(**fields)
        else:
            assert not line or line.startswith(": "), line
            name = "" if not line else name


def iterate_lines(answer: httpx.Response) -> Iterator[str]:
    """Cut at line feeds only, as the standard has it."""
    rest = b""
    for piece in answer.iter_raw():
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.decode() for line in lines)
    assert not rest


def read_like_the_sdk(api: Api, body: dict[str, Any]) -> list[str]:
    """What follows `data:` in each line, for a reader that takes every kind of line end for one."""
    with api.stream("POST", "chat", json=body) as answer:
        assert answer.status_code == 200
        lines = answer.read().decode().splitlines()
    return [line[5:].lstrip() for line in lines if line.startswith("data:")]


def join_text(events: Iterable[Event]) -> str:
    return "".join(event.data for event in events if event.type == "text")
