"""Gives memory back to the system that long request bodies took for a moment.

glibc keeps what is freed in the middle of its heaps for later: after some hundred bodies of 10 MB a web process stayed
100 to 200 MB larger. `malloc_trim` returns those pages; it takes 10 to 50 ms, without the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
from asyncio import Future
from collections.abc import Callable
from typing import Any

# After a long body, so that those which follow it are waited for.
TRIM_SECONDS = 5.0


class FreedMemory:
    """For the event loop alone. Does nothing where the C library has no `malloc_trim`."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._trim: Callable[[int], int] | None = getattr(library, "malloc_trim", None)
        self._is_due = False
        self._last: Future[Any] | None = None

    def give_back_soon(self) -> None:
        if self._trim is not None and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(TRIM_SECONDS, self._give_back)

    def _give_back(self) -> None:
        self._is_due = False
        if self._trim is not None:
            self._last = asyncio.get_running_loop().run_in_executor(None, _collect_and_trim, self._trim)


def _collect_and_trim(trim: Callable[[int], int]) -> None:
    """A body that was refused hangs on its exception, in a circle that only the collector frees, and when nobody asks
    any more that does not run."""
    gc.collect()
    trim(0)
