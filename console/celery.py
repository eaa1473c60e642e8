"""Celery application of the workers: messages are only notifications, the task rows hold the work."""

from __future__ import annotations

import gc
import logging
import os
import sys
from logging.config import dictConfig
from typing import Any

from celery import Celery, bootsteps
from celery.signals import (
    celeryd_init,
    setup_logging,
    task_failure,
    task_postrun,
    task_prerun,
    worker_before_create_process,
    worker_init,
    worker_process_shutdown,
    worker_shutdown,
)
from django.db import close_old_connections
from django.utils.functional import cached_property

from console.configuration import environment, logs
from console.worker import celery_settings, task_log
from console.worker.kombu_qos_patch import patch_kombu_qos
from memories.values import Queue
from tenancy.runtime.background_writer import flush_all_writers

FILES_NICER = 5

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")


class Engram(Celery):
    @cached_property
    def Worker(self) -> Any:
        return self.subclass_with_self("console.worker.shutdown:PatientWorker")


app = Engram("engram")
app.conf.update(
    celery_settings.build_celery_settings(),
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_soft_time_limit=120,
    task_time_limit=150,
    worker_prefetch_multiplier=1,
    worker_max_memory_per_child=600_000,
    worker_cancel_long_running_tasks_on_connection_loss=True,
    worker_soft_shutdown_timeout=20,
    # Celery would close the connections before and after every task: to open one takes longer than many tasks work.
    # `_keep_connections` lets go of those that are broken or old.
    CELERY_DB_REUSE_MAX=sys.maxsize,
)
app.autodiscover_tasks(["tenancy", "memories", "skills", "knowledgebase", "console"])


@worker_init.connect
def _patch_qos(**_: Any) -> None:
    patch_kombu_qos()


@worker_init.connect
def _lower_own_priority(**_: Any) -> None:
    """Where all share processors, answers come before refinements, and these before files; the children inherit it."""
    reads_files = Queue.FILES in app.amqp.queues.consume_from
    os.nice(min(19, environment.read_number("WORKER_NICE", 10, 0, 19) + (FILES_NICER if reads_files else 0)))


@worker_init.connect
def _load_models(**_: Any) -> None:
    """Load the local models before the children fork: every child needs them, and so they are in memory once."""
    if Queue.FILES not in app.amqp.queues.consume_from:
        # They need the apps, which are loaded after this module.
        from memories.engine import load_local_models
        from memories.text.words.tokenize import segment_chinese

        segment_chinese("")
        load_local_models()


@worker_before_create_process.connect
def _freeze_objects(**_: Any) -> None:
    """Children share the memory pages that no collection writes to (see `gc.freeze` in Python's documentation).

    Without it they hold 70 MiB more, and `benchmarks.idle_memory` misses its bar.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


class Watching(bootsteps.StartStopStep):
    """Begins when the children are there and before the broker is asked for, which may not answer just then."""

    requires = {"celery.worker.components:Pool"}

    def start(self, parent: Any) -> None:
        from console.worker.watchdog import Watchdog  # needs the models, which are loaded after this module

        Watchdog(app).start()


app.steps["worker"].add(Watching)


@celeryd_init.connect
@setup_logging.connect
def _log_as_all_processes_do(**_: Any) -> None:
    """Celery would add lines of its own form, and warns of things before it sets up its logging."""
    dictConfig(logs.SETTINGS)
    logging.captureWarnings(True)


task_prerun.connect(task_log.note_start)
task_postrun.connect(task_log.note_end)
task_failure.connect(task_log.note_failure)


@task_prerun.connect
def _keep_connections(**_: Any) -> None:
    close_old_connections()


@worker_process_shutdown.connect
def _flush_background_writers(**_: Any) -> None:
    """Write what is queued: a child process ends without waiting for its threads."""
    flush_all_writers()


@worker_shutdown.connect
def _give_back(**_: Any) -> None:
    from console.worker.shutdown import release_tasks  # with it comes Celery's worker, for workers only

    release_tasks()
