"""Meters model usage: the tokens of every call are recorded for the project that the work is for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from memories.engine.provider_choice import working_for
from tenancy.isolation.scoping import Scope
from tenancy.metering.model_usage import Spent, record_model_usage, record_model_usage_later

_current: ContextVar[list[Spent] | None] = ContextVar("spent", default=None)


@contextmanager
def collecting_usage() -> Iterator[list[Spent]]:
    """Collect the usage of all model calls inside, also when they fail."""
    spent: list[Spent] = []
    token = _current.set(spent)
    try:
        yield spent
    finally:
        _current.reset(token)


@contextmanager
def metering_usage(scope: Scope) -> Iterator[list[Spent]]:
    """Record the usage of all model calls inside for this project, also when the work fails.

    In a transaction of its own: tokens are spent, even if the work they were spent for is rolled back.
    """
    with collecting_usage() as spent, working_for(scope):
        try:
            yield spent
        finally:
            record_model_usage(scope, spent)


@contextmanager
def metering_usage_later(scope: Scope) -> Iterator[list[Spent]]:
    """The same for requests: recorded in the background, so that the answer does not wait."""
    with collecting_usage() as spent, working_for(scope):
        try:
            yield spent
        finally:
            record_model_usage_later(scope, spent)


def record_usage(spent: Spent) -> None:
    """Add the usage of one model call. Outside of the two context managers above it is dropped."""
    collected = _current.get()
    if collected is not None:
        collected.append(spent)


def estimate_prompt_tokens(text: str) -> int:
    """Rather too many: a Chinese character is one token or less, an English token four letters or more.

    The tokenizer would know better, and would cost the worker 100 MB.
    """
    letters = sum(map(str.isascii, text))
    return math.ceil(letters / 3.5) + len(text) - letters
