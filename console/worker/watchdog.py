"""A thread beside the worker: sweeps, runs tasks itself while the broker is away, and ends a hung worker."""

from __future__ import annotations

import logging
import os
import signal
import time
from threading import Event, Thread

import psutil
import redis
from celery import Celery
from django.conf import settings
from django.db import close_old_connections

from memories import tasks
from memories.jobs import claims, outbox, sweeper
from memories.values import Queue

log = logging.getLogger(__name__)

SWEEP_SECONDS = 5.0
LOOK_SECONDS = 2.0
BROKER_AWAY_SECONDS = 10.0
DEAF_SECONDS = 60
LAST_WORDS_SECONDS = 30.0


class Watchdog:
    """`start()` once a worker has its children; the thread dies with the process."""

    def __init__(self, app: Celery) -> None:
        # A worker that finds its broker away works for its own queues only.
        self._queues = [queue for queue in Queue if queue in app.amqp.queues.consume_from]
        self._broker = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
        self._pause = Event()
        self._answered = time.monotonic()
        self._last_idle = time.monotonic()
        self._swept = 0.0
        self._reported = 0.0

    def start(self) -> None:
        Thread(target=self._watch_worker, name="watchdog", daemon=True).start()

    def _watch_worker(self) -> None:
        while not self._pause.wait(LOOK_SECONDS):
            close_old_connections()
            try:
                self._check_worker()
            except Exception as error:  # noqa: BLE001  # the edge of the thread: without it nobody would sweep
                log.warning("watchdog_waits", extra={"fault": type(error).__name__})

    def _check_worker(self) -> None:
        away = self._get_broker_away_seconds()
        if time.monotonic() - self._swept >= SWEEP_SECONDS:
            _end_leases_of_the_dead()
            sweeper.sweep_tasks(notifies=away == 0)
            self._swept = time.monotonic()
        if not self._reported or time.monotonic() - self._reported >= sweeper.ALERT_EVERY.total_seconds():
            sweeper.report_overdue()
            self._reported = time.monotonic()
        if away > BROKER_AWAY_SECONDS:
            self._work_alone()
        elif self._is_deaf():
            self._end_worker()

    def _end_worker(self) -> None:
        """The supervisor starts a new worker. One that does not even hear the signal is killed."""
        log.error("deaf_worker")
        os.kill(os.getpid(), signal.SIGTERM)
        self._pause.wait(LAST_WORDS_SECONDS)
        os.kill(os.getpid(), signal.SIGKILL)

    def _get_broker_away_seconds(self) -> float:
        """0 while it answers."""
        try:
            self._broker.ping()
        except (redis.RedisError, OSError):
            return time.monotonic() - self._answered
        self._answered = time.monotonic()
        return 0.0

    def _work_alone(self) -> None:
        """Claim and run due tasks here, one after the other, without the broker."""
        self._last_idle = time.monotonic()
        until = time.monotonic() + SWEEP_SECONDS
        while time.monotonic() < until and self._do_due():
            pass

    def _do_due(self) -> int:
        done = 0
        for queue in self._queues:
            task = claims.claim_next(queue, f"{tasks.get_worker_family(os.getpid())}{os.getpid()}")
            if task is not None:
                tasks.execute_task(task)
                claims.call_next(task)
                done += 1
        return done

    def _is_deaf(self) -> bool:
        """Return whether due tasks wait although notifications for them were sent repeatedly."""
        if not any(sweeper.has_overdue(DEAF_SECONDS, queue) for queue in self._queues):
            self._last_idle = time.monotonic()
        return time.monotonic() - self._last_idle > DEAF_SECONDS


def _end_leases_of_the_dead() -> None:
    """End leases of dead workers of this machine; those of other machines expire."""
    for task in outbox.list_held_by(tasks.get_machine_name()):
        if not psutil.pid_exists(tasks.parse_process_id(task.worker)):
            outbox.end_lease(task)
