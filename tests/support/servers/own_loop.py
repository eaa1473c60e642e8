"""Coroutines in a thread with a loop of its own: the browser's tests leave theirs running in the main thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, asyncio.run, work).result()
