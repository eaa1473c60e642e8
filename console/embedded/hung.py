"""A web process that runs and does not answer. It is asked from a thread, so that nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

MISSES = 3


class HungWatch:
    """Counts what was not answered in a row. A process that never answered yet is still starting."""

    def __init__(self, answers: Callable[[float], bool], hung_seconds: float) -> None:
        """`answers` gets the time that it may take. Half of `hung_seconds` is spent asking, half between; 0: never."""
        self._answers = answers
        self._seconds = hung_seconds / MISSES / 2
        self._process: int | None = None
        self._has_answered = False
        self._misses = 0
        self._stop = Event()

    def start(self) -> None:
        if self._seconds:
            Thread(target=self._run, name="hung-watch", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def is_hung(self, process: int | None) -> bool:
        """Whether this process answered once, and not any more. Another number is a new process."""
        if process != self._process:
            self._process, self._has_answered, self._misses = process, False, 0
        return process is not None and self._has_answered and self._misses >= MISSES

    def _run(self) -> None:
        while not self._stop.wait(self._seconds):
            if self._answers(self._seconds):
                self._has_answered, self._misses = True, 0
            else:
                self._misses += 1
