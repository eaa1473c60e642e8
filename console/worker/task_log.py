"""Log a line for each periodic task; tasks that rows stand for are logged by `memories.tasks`."""

from __future__ import annotations

import logging
import time
from typing import Any

from console.configuration.logs import describe_exception

log = logging.getLogger(__name__)

_began = 0.0  # a process does one at a time


def note_start(**_: Any) -> None:
    global _began
    _began = time.monotonic()


def note_end(task: Any, state: str | None = None, **_: Any) -> None:
    from memories.jobs.outbox import WORK_TASK_NAME  # needs the apps, which are loaded after this module

    if task.name != WORK_TASK_NAME:
        took = round((time.monotonic() - _began) * 1000)
        log.info("round_done", extra={"kind": task.name, "ms": took, "outcome": str(state).lower()})


def note_failure(sender: Any, exception: BaseException, **_: Any) -> None:
    """Log a failed periodic task in place of Celery's own line, which quotes the exception."""
    log.error("round_broke", extra={"kind": sender.name, **describe_exception(exception)})
