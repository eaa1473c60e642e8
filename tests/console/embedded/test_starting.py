"""What a start finds done it does not do again, and what it must do it sees."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from console.celery import app as worker
from console.embedded.demo import demo_file
from console.embedded.folder import DataFolder
from console.embedded.preparation.database_state import hash_database_state
from console.embedded.preparation.prepare import DEMO, Preparation
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from console.worker.schedule import app as beat
from tests.support.installations import own_web


def test_beat_asks_for_work_that_the_worker_knows() -> None:
    worker.loader.import_default_modules()

    asked = {entry["task"] for entry in beat.conf.beat_schedule.values()}

    assert len(asked) > 10
    assert asked <= set(worker.tasks)


def test_who_has_loaded_the_tasks_looks_for_garbage_again() -> None:
    """A pool without children, too."""
    worker.loader.import_default_modules()

    assert gc.isenabled()


def test_a_wrong_setting_is_told_at_the_start_and_nothing_is_left_running(
    stack: Stack, tmp_path: Path
) -> None:
    web = own_web(stack, tmp_path, DATABASE_POOL="many")

    with pytest.raises(RuntimeError, match="web ended at its start.*DATABASE_POOL"):
        web.start()

    web.stop()
    assert web.pids == {}


@pytest.mark.parametrize("left", [b"", b"\xff\xfe\x00", b"[]", b"{}"])
def test_a_file_that_a_broken_disk_left_is_made_anew(tmp_path: Path, left: bytes) -> None:
    preparation = Preparation(DataFolder(tmp_path), {}, DEMO)
    (tmp_path / "static").mkdir()
    (tmp_path / "static.stamp").write_bytes(left)
    assert preparation.is_due()

    (tmp_path / "static.stamp").write_text(preparation.static)
    (tmp_path / "schema.stamp").write_text(preparation.schema)
    (tmp_path / demo_file.NAME).write_bytes(left)
    assert preparation.is_due()


@pytest.fixture
def owner_url(stack: Stack) -> Iterator[str]:
    """Of an empty database beside Engram's."""
    admin, name = Postgres(DataFolder(stack.path)).admin_url, f"start_{uuid4().hex[:8]}"
    with psycopg.connect(admin, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield make_conninfo(admin, dbname=name)
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def state(owner_url: str, role: str = "engram_app") -> str:
    return hash_database_state(
        {"DATABASE_OWNER_URL": owner_url, "DATABASE_URL": make_conninfo(owner_url, user=role)}
    )


def test_a_start_sees_what_became_of_the_database_since_the_last(owner_url: str) -> None:
    assert state(owner_url) == ""

    with psycopg.connect(owner_url, autocommit=True) as database:
        database.execute("CREATE TABLE django_migrations (app text, name text)")
        database.execute("CREATE TABLE tenancy_user (email text)")
        seen = [state(owner_url)]
        for change in (
            "INSERT INTO django_migrations VALUES ('tenancy', '0001_initial')",
            "INSERT INTO django_migrations VALUES ('tenancy', '0002_more')",
            f"INSERT INTO tenancy_user VALUES ('{demo_file.EMAIL}')",
        ):
            database.execute(change)
            seen.append(state(owner_url))
        seen.append(state(owner_url, role=database.info.user))  # one that row-level security does not bind

    assert "" not in seen
    assert len(set(seen)) == len(seen)
    assert state(owner_url) == seen[-2]
