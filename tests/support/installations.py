"""Installations of a test's own begin as copies of the one that all tests share, as it was before the first of them.

To make a database anew takes each of them a third of a minute on a busy machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import psycopg
from psycopg import sql

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack

# What the database allows a request in production is too short for a machine with several times as much to do as it
# has cores, and for a test that holds a lock while it looks at a page. Tests of these limits set their own.
LIMITS = {
    "statement_timeout": "60s",
    "lock_timeout": "60s",
    "idle_in_transaction_session_timeout": "240s",
}
# In production workers step back behind whatever else computes. Here tests and browsers take all of the machine and
# wait for the workers, which would get a tenth of what each of these gets.
EAGER = {"WORKER_NICE": "0"}
# Where the copy lies; the processes that run tests have it from the one that started them.
PREPARED = "ENGRAM_TESTS_PREPARED"
# What a host of its own has from there, a web server besides, and what it does not have from those whose database it
# shares.
OF_HOST = ("static", "static.stamp")
OF_WEB = ("demo.json", "schema.stamp", "database.stamp")
OF_ONE_SERVER = ("ENGRAM_DATA", "PORT", "PUBLIC_URL")
KEPT = ("secrets", "static", "files", "demo.json", "static.stamp", "schema.stamp", "database.stamp")


def hurry(stack: Stack) -> None:
    """No test outlives the machine: what is committed need not be on the disk, only out of reach of a killed process.
    What is copied from the installation has the setting, too."""
    with psycopg.connect(Postgres(DataFolder(stack.path)).admin_url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("ALTER SYSTEM SET full_page_writes = off")
        connection.execute("SELECT pg_reload_conf()")
    extend_limits(stack)


def extend_limits(stack: Stack) -> None:
    """For connections that are made from now on."""
    with psycopg.connect(Postgres(DataFolder(stack.path)).admin_url, autocommit=True) as connection:
        for name, value in LIMITS.items():
            for role in ("engram_app", "engram_sweep"):
                statement = sql.SQL("ALTER ROLE {} SET {} = {}")
                connection.execute(statement.format(sql.Identifier(role), sql.Identifier(name), value))


def prepare(shared: Stack, place: Path) -> None:
    """Copies what the shared installation has made; its database by a backup, because it is at work."""
    place.mkdir(mode=0o700)
    for name in KEPT:
        _copy(shared.path / name, place)
    postgres = Postgres(DataFolder(shared.path))
    with psycopg.connect(postgres.admin_url, autocommit=True) as connection:
        connection.execute("SELECT pg_backup_start('tests', fast => true)")
        _copy(postgres.home, place)
        row = connection.execute("SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)").fetchone()
    copied = place / postgres.home.name
    _copy(postgres.data / "pg_wal", copied / postgres.data.name)
    _write_as_owner(copied / postgres.data.name / "backup_label", row[0] if row else "")
    (copied / postgres.data.name / "postmaster.pid").unlink()
    shutil.rmtree(copied / "socket", ignore_errors=True)


# How long a scripted model may take: on a busy machine it computes no sooner than its installation does.
MODEL_SECONDS = 20


def model_at(url: str) -> dict[str, str]:
    """Settings of an installation whose chat model is there."""
    return {
        "LLM_BASE_URL": url,
        "LLM_API_KEY": "sk-canary",
        "LLM_MODEL": "scripted",
        "LLM_TIMEOUT": f"{MODEL_SECONDS}",
    }


def own_stack(folder: Path, **variables: str) -> Stack:
    """One that nobody else uses, not started yet."""
    subprocess.run(["cp", "-a", os.environ[PREPARED], folder / "data"], check=True)
    return Stack(folder / "data", **EAGER | variables)


def own_web(shared: Stack, folder: Path, **variables: str) -> Stack:
    """A web server that nobody else uses, with database and broker of the shared installation; not started yet."""
    place = host_folder(folder / "data")
    for name in OF_WEB:
        _copy(Path(os.environ[PREPARED]) / name, place)
    with_others = {name: value for name, value in shared.environment.items() if name not in OF_ONE_SERVER}
    defaults = {"WEB_COUNT": "1", "DRAIN_SECONDS": "0"}
    return Stack(place, role="web", **with_others | defaults | variables)


def host_folder(place: Path) -> Path:
    """A new data folder with the static files, which each start in an empty one would collect and compress anew."""
    place.mkdir()
    lend_static_files(place)
    return place


def lend_static_files(place: Path) -> None:
    for name in OF_HOST:
        _copy(Path(os.environ[PREPARED]) / name, place)


def _copy(source: Path, into: Path) -> None:
    """With owners, which PostgreSQL insists on. Files that go meanwhile are not missed."""
    subprocess.run(["cp", "-a", source, into], check=False, stderr=subprocess.DEVNULL)


def _write_as_owner(path: Path, content: str) -> None:
    path.write_text(content)
    about = path.parent.stat()
    os.chown(path, about.st_uid, about.st_gid)
