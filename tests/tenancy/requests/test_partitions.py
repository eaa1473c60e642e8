"""Request logs lie in a table for each day: made ahead, dropped whole, with the same row-level security."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest
from django.db import connection, connections, transaction
from psycopg import sql

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog
from tenancy.requests.delete_expired import clear_request_logs
from tenancy.requests.partitions import create_partitions, drop_partitions, get_today
from tests.support.api_client import Tenant
from tests.support.waiting import wait_until


def log_at(project: Project, moment: datetime) -> str:
    request_id = uuid4().hex
    with tenant_scope(project):
        RequestLog.objects.bulk_create(
            [
                RequestLog(
                    account_id=project.account_id,
                    project=project,
                    request_id=request_id,
                    endpoint="search/memory",
                    method="POST",
                    code=0,
                    http_status=200,
                    milliseconds=1,
                    created_at=moment,
                )
            ]
        )
    return request_id


def find_table(project: Project, request_id: str) -> str:
    """The table that a row lies in, "" when it is gone."""
    with tenant_scope(project), connection.cursor() as cursor:
        cursor.execute(
            "SELECT tableoid::regclass::text FROM tenancy_requestlog WHERE request_id = %s", [request_id]
        )
        row = cursor.fetchone()
    return row[0] if row else ""


def noon(days: int) -> datetime:
    return datetime.combine(get_today() + timedelta(days=days), datetime.min.time(), UTC) + timedelta(
        hours=12
    )


def name_table(days: int) -> str:
    return f"tenancy_requestlog_{noon(days):%Y%m%d}"


@pytest.fixture
def project(tenant: Tenant) -> Iterator[Project]:
    yield tenant.project
    connections.close_all()


def test_a_row_lies_in_the_table_of_its_day(project: Project) -> None:
    # Not the last day that is made ahead: on a run through midnight it is not there yet.
    rows = {days: log_at(project, noon(days)) for days in (1, 3, 6)}

    assert {days: find_table(project, row) for days, row in rows.items()} == {
        days: name_table(days) for days in rows
    }


def test_what_comes_while_nobody_makes_days_is_kept_and_moves_into_its_day(project: Project) -> None:
    row = log_at(project, noon(20))
    assert find_table(project, row) == "tenancy_requestlog_rest"

    made = create_partitions(get_today() + timedelta(days=20))

    assert noon(20).date() in made
    assert find_table(project, row) == name_table(20)
    assert create_partitions(get_today() + timedelta(days=20)) == []


def test_every_day_has_row_level_security(project: Project, stranger: Tenant, stack: Stack) -> None:
    log_at(project, noon(2))
    with psycopg.connect(stack.environment["DATABASE_URL"]) as raw:
        for table in (name_table(2), "tenancy_requestlog_rest", "tenancy_requestlog_earlier"):
            raw.execute(
                "SELECT set_config('engram.account_id', %s, true), set_config('engram.project_id', %s, true)",
                [str(stranger.project.account_id), stranger.project_id],
            )
            seen = raw.execute(
                sql.SQL("SELECT DISTINCT account_id FROM {}").format(sql.Identifier(table))
            ).fetchall()
            assert {row[0] for row in seen} <= {stranger.project.account_id}
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                raw.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(table)))
            raw.rollback()


def test_days_past_their_time_go_whole_and_no_younger_one(project: Project, stack: Stack) -> None:
    """In a transaction that is rolled back: for the days of this test there must be no table from before."""
    admin = Postgres(DataFolder(stack.path)).admin_url
    with psycopg.connect(admin, dbname="engram", options="-c lock_timeout=500ms") as owner:
        wait_until(lambda: is_parted_from_earlier(owner))
        for days in (-31, -30, -29):
            assert owner.execute("SELECT tenancy_make_log_day(%s)", [noon(days).date()]).fetchone() == (True,)

        dropped = owner.execute("SELECT tenancy_drop_log_days(%s)", [noon(-29)]).fetchone()

        assert dropped == ([name_table(-31), name_table(-30)],)
        assert owner.execute("SELECT to_regclass(%s)", [name_table(-30)]).fetchone() == (None,)
        assert owner.execute("SELECT to_regclass(%s)", [name_table(-29)]).fetchone() != (None,)
        owner.rollback()


def is_parted_from_earlier(owner: psycopg.Connection) -> bool:
    """Others read and write: as the installation's own work on days does, it lets go before they wait in a circle."""
    try:
        owner.execute("ALTER TABLE tenancy_requestlog DETACH PARTITION tenancy_requestlog_earlier")
    except psycopg.errors.LockNotAvailable:
        owner.rollback()
        return False
    return True


def test_nobody_can_have_the_last_week_dropped(project: Project) -> None:
    row = log_at(project, datetime.now(UTC))

    drop_partitions(datetime.now(UTC) + timedelta(days=30))

    assert find_table(project, row) != ""


def test_retention_takes_what_is_older_than_the_days_too(project: Project) -> None:
    old, young = log_at(project, noon(-45)), log_at(project, noon(-10))

    clear_request_logs(Project.objects.filter(pk=project.pk))

    assert find_table(project, old) == ""
    assert find_table(project, young) != ""


def test_making_a_day_gives_up_while_somebody_holds_the_table(project: Project) -> None:
    """Anyone who writes meanwhile waits for less than a second, and a busy machine."""
    wanted = get_today() + timedelta(days=30)

    def write() -> float:
        began = time.monotonic()
        try:
            log_at(project, noon(1))
        finally:
            connections.close_all()
        return time.monotonic() - began

    with ThreadPoolExecutor(2) as threads, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE tenancy_requestlog_rest IN ROW EXCLUSIVE MODE")
        making = threads.submit(make_one, wanted)
        writing = threads.submit(write)
        assert making.result() is False
        assert writing.result() < 20

    assert make_one(wanted) is True


def make_one(day: date) -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT tenancy_make_log_day(%s)", [day])
            row = cursor.fetchone()
        return bool(row and row[0])
    finally:
        connection.close()
