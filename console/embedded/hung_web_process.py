"""Detect a web process that runs but does not answer, from a thread, so that nothing waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread

MISSES = 3
# A process that has not answered yet is still starting; for so long at least.
START_SECONDS = 300.0


class HungWatch:
    """Counts what was not answered in a row, of one process at a time."""

    def __init__(
        self, answers: Callable[[float], bool], hung_seconds: float, start_seconds: float = START_SECONDS
    ) -> None:
        """`answers` gets the time that it may take. Half of `hung_seconds` is spent asking, half between; 0: never."""
        self._answers = answers
        self._seconds = hung_seconds / MISSES / 2
        self._start_seconds = max(start_seconds, hung_seconds)
        self._lock = Lock()
        self._stop = Event()
        self._begin_watching(None)

    def _begin_watching(self, process: int | None) -> None:
        self._process, self._began = process, time.monotonic()
        self._has_answered, self._misses = False, 0

    def start(self) -> None:
        if self._seconds:
            Thread(target=self._ask_repeatedly, name="hung-watch", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    @property
    def last_answering_pid(self) -> int | None:
        """The process that answered, and is hung once it does not any more."""
        with self._lock:
            return self._process if self._has_answered else None

    def is_hung(self, process: int | None) -> bool:
        """Return whether this process answered once and not any more, or never. Another number is a new process."""
        with self._lock:
            if process != self._process:
                self._begin_watching(process)
            if process is None or self._misses < MISSES:
                return False
            return self._has_answered or time.monotonic() - self._began > self._start_seconds

    def _ask_repeatedly(self) -> None:
        while not self._stop.wait(self._seconds):
            asked = self._process
            is_answered = self._answers(self._seconds)
            with self._lock:
                if asked == self._process:  # else it was another one that answered, or did not
                    self._count_answer(is_answered)

    def _count_answer(self, is_answered: bool) -> None:
        if is_answered:
            self._has_answered, self._misses = True, 0
        else:
            self._misses += 1
