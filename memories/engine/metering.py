"""What asking models costs: every answer is written down for whoever asked for the work, and whose models are asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from memories.engine.provider_choice import working_for
from tenancy.isolation.scoping import Scope
from tenancy.metering.model_usage import Spent, count, count_later

_current: ContextVar[list[Spent] | None] = ContextVar("spent", default=None)


@contextmanager
def collecting_usage() -> Iterator[list[Spent]]:
    """Collects what is spent inside, on whatever comes of it."""
    spent: list[Spent] = []
    token = _current.set(spent)
    try:
        yield spent
    finally:
        _current.reset(token)


@contextmanager
def metering_usage(scope: Scope) -> Iterator[list[Spent]]:
    """Whatever is spent inside is counted for this project at the end, be the work finished or not.

    In a transaction of its own: tokens are spent, even if the work they were spent for is rolled back.
    """
    with collecting_usage() as spent, working_for(scope):
        try:
            yield spent
        finally:
            count(scope, spent)


@contextmanager
def metering_usage_later(scope: Scope) -> Iterator[list[Spent]]:
    """The same for requests, whose answer does not wait for the counting."""
    with collecting_usage() as spent, working_for(scope):
        try:
            yield spent
        finally:
            count_later(scope, spent)


def record_usage(spent: Spent) -> None:
    """What nobody collects is not counted: a question outside of any tenant's work."""
    collected = _current.get()
    if collected is not None:
        collected.append(spent)


def estimated_tokens(text: str) -> int:
    """Rather too many: a Chinese character is one token or less, an English token four letters or more.

    The tokenizer would know better, and would cost the worker 100 MB.
    """
    letters = sum(map(str.isascii, text))
    return math.ceil(letters / 3.5) + len(text) - letters
