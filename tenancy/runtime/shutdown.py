"""Graceful shutdown: whether this process was asked to stop, and for how long it still answers."""

from __future__ import annotations

import signal
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from types import FrameType

Handler = Callable[[int, FrameType | None], object]

_is_asked = False
_since: float | None = None


def is_asked_to_stop() -> bool:
    """Return whether a stop was requested: load balancers should send requests elsewhere."""
    return _is_asked


def get_seconds_since_stop() -> float:
    """Seconds since the drain time ended and the process began to stop; 0 before."""
    return 0.0 if _since is None else time.monotonic() - _since


def install_shutdown_signals(loop: AbstractEventLoop, drain_seconds: float) -> None:
    """Delay SIGTERM and SIGINT by the drain time; call it in the main thread after their handlers are installed.

    A second signal ends the waiting.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        handler = signal.getsignal(number)
        if callable(handler):
            signal.signal(number, _wrap_stop_handler(handler, loop, drain_seconds))


def _wrap_stop_handler(handler: Handler, loop: AbstractEventLoop, drain_seconds: float) -> Handler:
    def stop(number: int) -> None:
        global _since
        _since = _since or time.monotonic()
        handler(number, None)

    def noted(number: int, frame: FrameType | None) -> None:
        global _is_asked
        if _is_asked or not drain_seconds:
            _is_asked = True
            stop(number)
        else:
            _is_asked = True
            loop.call_soon_threadsafe(loop.call_later, drain_seconds, stop, number)

    return noted
