"""Coroutines, run where no loop is running yet."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: the browser's tests leave their loop running in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
