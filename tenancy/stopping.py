"""Whether this process was asked to stop: what lasts long must come to an end by itself then."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import FrameType

_since: float | None = None


def seconds_since_stop() -> float:
    """0 while nobody asked."""
    return 0.0 if _since is None else time.monotonic() - _since


def watch() -> None:
    """Notes the signal on its way to whoever handles it. In the main thread, once that is set up."""
    for number in (signal.SIGTERM, signal.SIGINT):
        handler = signal.getsignal(number)
        if callable(handler):
            signal.signal(number, _noting(handler))


def _noting(handler: Callable[[int, FrameType | None], object]) -> Callable[[int, FrameType | None], None]:
    def noted(number: int, frame: FrameType | None) -> None:
        global _since
        _since = _since or time.monotonic()
        handler(number, frame)

    return noted
