"""Timed stages of a request, for the waterfall in the console."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Trace:
    """Timed stages in the order they began. `notes` hold counts and reasons, never secrets.

    `started`: a time of `time.perf_counter()`, in seconds.
    """

    started: float = field(default_factory=time.perf_counter)
    stages: list[dict[str, Any]] = field(default_factory=list)

    def get_milliseconds(self) -> float:
        return (time.perf_counter() - self.started) * 1000


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def begin_trace() -> Trace:
    trace = Trace()
    _current.set(trace)
    return trace


def resume_trace(trace: Trace) -> None:
    """Continue the trace of a request in another thread or task."""
    _current.set(trace)


@contextmanager
def trace_stage(name: str) -> Iterator[dict[str, Any]]:
    """Time one stage; what is put into the yielded dict becomes its note."""
    note: dict[str, Any] = {}
    began = time.perf_counter()
    try:
        yield note
    finally:
        trace = _current.get()
        if trace is not None:
            trace.stages.append(
                {
                    "stage": name,
                    "at": round((began - trace.started) * 1000, 3),
                    "ms": round((time.perf_counter() - began) * 1000, 3),
                    "note": note,
                }
            )
