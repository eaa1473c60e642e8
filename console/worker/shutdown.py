"""Start and shutdown of a worker: it finishes the tasks of its children, and releases those that take too long."""

from __future__ import annotations

import gc
import logging
import os
import time
from typing import Any

from celery.apps.worker import Worker
from django.db import DatabaseError, close_old_connections

# Celery asks for the worker's class before it loads Django's apps, hence the imports inside the functions.
log = logging.getLogger(__name__)

LOOK_SECONDS = 0.1


class PatientWorker(Worker):
    """Celery's worker, which would wait its whole time while anything runs, and release nothing afterwards."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Load all apps without garbage collection, which would take a tenth of the start (`benchmarks.load_time`)."""
        gc.disable()
        super().__init__(*args, **kwargs)

    def on_init_blueprint(self) -> None:
        """Load the handlers of its queues before the children fork: they share the memory, and an import error ends
        the start."""
        from memories.jobs.registry import load_handlers
        from memories.values import Queue

        super().on_init_blueprint()
        for queue in self.app.amqp.queues.consume_from:
            load_handlers(Queue(queue))

    def wait_for_soft_shutdown(self) -> None:
        until = time.monotonic() + self.app.conf.worker_soft_shutdown_timeout
        while time.monotonic() < until and _is_at_work():
            time.sleep(LOOK_SECONDS)

    def terminate(self, in_sighandler: bool = False) -> None:
        super().terminate(in_sighandler)
        release_tasks()


def _is_at_work() -> bool:
    from memories.jobs.outbox import list_held_by
    from memories.tasks import get_worker_family

    close_old_connections()
    try:
        return bool(list_held_by(get_worker_family(os.getpid())))
    except DatabaseError:
        return False


def release_tasks() -> None:
    """Release the tasks of this worker, so that others need not wait for its leases to end."""
    from memories.jobs.outbox import release_all
    from memories.tasks import get_worker_family

    close_old_connections()
    try:
        release_all(get_worker_family(os.getpid()))
    except DatabaseError as error:
        log.warning("leases_run_out", extra={"fault": type(error).__name__})
