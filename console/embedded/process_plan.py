"""The processes of one installation: web, worker, files and beat; all of them, or those of one role on this host."""

import os
import sys
from collections.abc import Mapping
from enum import StrEnum

from console.configuration import environment
from console.embedded.folder import DataFolder
from console.embedded.preparation.prepare import PROJECT
from console.embedded.process import Child
from memories.values import Queue

CELERY = ["-m", "celery", "--quiet", "-A"]
_FOR_WORKER = {
    # Celery's soft shutdown hangs on SIGQUIT; the supervisor, like every other, sends SIGTERM.
    "REMAP_SIGTERM": "SIGQUIT",
    # Django's checks load every page of the console: half of a worker's start, and 30 MB for as long as it lives.
    "CELERY_SKIP_CHECKS": "true",
}


class ProcessRole(StrEnum):
    """Kinds of processes that a supervisor starts."""

    ALL = "all"
    WEB = "web"
    WORKER = "worker"
    FILES = "files"
    BEAT = "beat"


_FOR_WEB = {
    # glibc's heaps, which threads take in turn: sixteen on two processors keep much that is free. More than two save no
    # time where one thread at a time computes.
    "MALLOC_ARENA_MAX": "2",
    # Long bodies and answers get pages of their own, which go back when they are freed. Without it glibc raises the
    # size from which it does so to that of the largest body yet, up to 32 MB, and small objects settle between them.
    # 1 MiB at least: search allocates 800 kB arrays for 100,000 memories, and mapping fresh pages for each costs more
    # than the computation.
    "MALLOC_MMAP_THRESHOLD_": str(2**20),
    # For the same reason, so much may stay free at the end of a heap.
    "MALLOC_TRIM_THRESHOLD_": str(16 * 2**20),
}


# Requests are still answered for so long after `/readyz` said no: time for a balancer to ask it twice. Where everything
# runs on one host, there is nobody who could answer in its place.
DRAIN_SECONDS = 10


def plan_children(
    folder: DataFolder, variables: Mapping[str, str], role: ProcessRole = ProcessRole.ALL
) -> list[Child]:
    """List the processes in the order in which they are started and stopped."""
    drain = environment.read_number("DRAIN_SECONDS", DRAIN_SECONDS if role == ProcessRole.WEB else 0, 0, 300)
    web = {**_FOR_WEB, **variables, "DATABASE_POOLED": "true", "DRAIN_SECONDS": str(drain)}
    children = {
        ProcessRole.WEB: _build_child(folder, "web", _build_web_command(role), web, stop_seconds=25 + drain),
        ProcessRole.WORKER: _build_child(
            folder,
            "worker",
            _build_worker_command(Queue.GENERAL, count_worker_tasks(role)),
            {**variables, **_FOR_WORKER, "LONG_TASKS_PER_ACCOUNT": str(count_long_tasks(role))},
            stop_seconds=30,
        ),
        ProcessRole.FILES: _build_child(
            folder,
            "files",
            _build_worker_command(Queue.FILES, count_file_tasks(role)),
            {**variables, **_FOR_WORKER},
            stop_seconds=30,
        ),
        ProcessRole.BEAT: _build_child(
            folder, "beat", _build_beat_command(folder), variables, stop_seconds=10
        ),
    }
    return [child for name, child in children.items() if role in {ProcessRole.ALL, name}]


def _count_cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_web_processes(role: ProcessRole) -> int:
    """Count how many web processes this host has. One of some 200 MB serves all where it shares the host with
    everything."""
    return environment.read_number("WEB_COUNT", 1 if role == ProcessRole.ALL else _count_cores(), 1, 64)


def count_worker_tasks(role: ProcessRole) -> int:
    """Count how many tasks a worker does at once."""
    return environment.read_number(
        "WORKER_COUNT", 2 if role == ProcessRole.ALL else max(2, _count_cores()), 1, 64
    )


def count_long_tasks(role: ProcessRole) -> int:
    """Count how many long tasks of one account are done at once: half of a worker's."""
    return environment.read_number("LONG_TASKS_PER_ACCOUNT", max(1, count_worker_tasks(role) // 2), 1, 64)


def count_file_tasks(role: ProcessRole) -> int:
    """Count how many files are fetched and parsed at once, of different accounts: a slow server holds one of them."""
    return environment.read_number(
        "FILES_COUNT", 2 if role == ProcessRole.ALL else max(2, _count_cores()), 1, 64
    )


def _build_child(
    folder: DataFolder, name: str, command: list[str], variables: Mapping[str, str], stop_seconds: float
) -> Child:
    log = folder.path / "logs" / f"{name}.log"
    return Child(name, [sys.executable, *command], variables, PROJECT, log, stop_seconds)


def _build_web_command(role: ProcessRole) -> list[str]:
    address = ["--host", environment.read_host(), "--port", str(environment.read_port())]
    limits = [
        "--workers",
        str(count_web_processes(role)),
        "--timeout-graceful-shutdown",
        "20",
        "--ws-max-size",
        "16384",
        # Bounds of connections and heads, which uvicorn's options do not set.
        "--http",
        "console.http.connections:BoundedHTTP",
        "--ws",
        "console.http.connections:BoundedWebSocket",
    ]
    return [
        "-m",
        "uvicorn",
        "console.asgi:application",
        *address,
        *limits,
        "--no-access-log",
        "--no-server-header",
    ]


def _build_worker_command(queue: Queue, count: int) -> list[str]:
    pool = ["--pool=prefork", f"--concurrency={count}", "--prefetch-multiplier=1"]
    name = ["-Q", queue.value, "-n", f"{queue.value}@%h"]
    # Without heartbeats and gossip Celery sends no events. Nothing reads them: the health page pings, the watchdog
    # looks at task rows. A worker that was asked to stop while it sent one, as when its supervisor and the broker were
    # killed, waited for itself: its signal handler would send another, behind the lock of the first.
    quiet = ["--without-heartbeat", "--without-gossip", "--without-mingle"]
    return [
        *CELERY,
        "console",
        "worker",
        *pool,
        *name,
        *quiet,
        "--loglevel=WARNING",
    ]


def _build_beat_command(folder: DataFolder) -> list[str]:
    schedule = folder.path / "beat" / "schedule"
    return [
        *CELERY,
        "console.worker.schedule",
        "beat",
        "--pidfile=",
        f"--schedule={schedule}",
        "--loglevel=WARNING",
    ]
