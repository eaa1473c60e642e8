"""Return memory that long request bodies took to the operating system.

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

# So long after a long body: others may follow it.
TRIM_SECONDS = 5.0


class FreedMemory:
    """Trims the heap some seconds after it is asked. For the event loop only; does nothing without `malloc_trim`."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._trim: Callable[[int], int] | None = getattr(library, "malloc_trim", None)
        self._is_due = False
        self._last: Future[Any] | None = None

    def release_soon(self) -> None:
        if self._trim is not None and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(TRIM_SECONDS, self._release_memory)

    def _release_memory(self) -> None:
        self._is_due = False
        if self._trim is not None:
            self._last = asyncio.get_running_loop().run_in_executor(None, _collect_and_trim, self._trim)


def _collect_and_trim(trim: Callable[[int], int]) -> None:
    """Collect garbage, then trim the heap.

    The exception that refused a body refers to it in a reference cycle, which only the collector frees; in an idle
    process that would not run.
    """
    gc.collect()
    trim(0)
