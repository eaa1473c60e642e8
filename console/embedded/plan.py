"""The processes of one installation: web, worker and beat."""

import sys
from collections.abc import Mapping

from console import environment
from console.embedded.folder import DataFolder
from console.embedded.prepare import PROJECT
from console.embedded.process import Child

CELERY = ["-m", "celery", "--quiet", "-A"]
_FOR_WORKER = {
    # Celery's soft shutdown hangs on SIGQUIT; the supervisor, like every other, sends SIGTERM.
    "REMAP_SIGTERM": "SIGQUIT",
    # Django's checks load every page of the console: half of a worker's start, and 30 MB for as long as it lives.
    "CELERY_SKIP_CHECKS": "true",
}


def plan(folder: DataFolder, variables: Mapping[str, str]) -> list[Child]:
    return [
        _child(folder, "web", _web(), {**variables, "DATABASE_POOLED": "true"}, patience=25),
        _child(folder, "worker", _worker(), {**variables, **_FOR_WORKER}, patience=30),
        _child(folder, "beat", _beat(folder), variables, patience=10),
    ]


def _child(
    folder: DataFolder, name: str, command: list[str], variables: Mapping[str, str], patience: float
) -> Child:
    log = folder.path / "logs" / f"{name}.log"
    return Child(name, [sys.executable, *command], variables, PROJECT, log, patience)


def _web() -> list[str]:
    address = ["--host", environment.host(), "--port", str(environment.port())]
    # One process, whatever variables of the host say: what it counts it counts alone.
    limits = ["--workers", "1", "--timeout-graceful-shutdown", "20", "--ws-max-size", "16384"]
    return [
        "-m",
        "uvicorn",
        "console.asgi:application",
        *address,
        *limits,
        "--no-access-log",
        "--no-server-header",
    ]


def _worker() -> list[str]:
    pool = ["--pool=prefork", "--concurrency=2", "--prefetch-multiplier=1"]
    return [*CELERY, "console", "worker", *pool, "--without-mingle", "--without-gossip", "--loglevel=WARNING"]


def _beat(folder: DataFolder) -> list[str]:
    schedule = folder.path / "beat" / "schedule"
    return [*CELERY, "console.clock", "beat", "--pidfile=", f"--schedule={schedule}", "--loglevel=WARNING"]
