"""Scoped queries and row-level security keep tenants apart; each holds alone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import DataError, IntegrityError, connection, connections, transaction
from django.db.utils import ProgrammingError
from psycopg import sql

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from memories.models import Conversation, MemCube, Memory, Message
from tenancy.isolation.scoping import Scope, ScopeError, UnscopedQuery, get_active_scope, tenant_scope
from tenancy.models import Account, Project
from tests.support.api_client import Tenant
from tests.support.project import PROJECT_ROOT
from tests.support.tenants import make_tenant

WALLED = ["memories_memcube", "memories_memory", "memories_message", "memories_conversation"]


@pytest.fixture(scope="module")
def two(stack: Stack) -> tuple[Project, Project]:
    """Two tenants with a conversation each."""
    both = (make_tenant(stack), make_tenant(stack))
    for tenant in both:
        with tenant.api() as api:
            api.add("kim", "I live in Berlin.")
    return both[0].project, both[1].project


@pytest.fixture
def both(two: tuple[Project, Project]) -> Iterator[tuple[Project, Project]]:
    yield two
    connections.close_all()


@pytest.fixture
def raw(stack: Stack) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """The application's own role without any of our code: the database's row-level security alone."""
    with psycopg.connect(stack.environment["DATABASE_URL"]) as open_connection:
        yield open_connection


def enter(raw: psycopg.Connection[tuple[object, ...]], project: Project) -> None:
    raw.execute(
        "SELECT set_config('engram.account_id', %s, true), set_config('engram.project_id', %s, true)",
        [str(project.account_id), str(project.pk)],
    )


def owners(raw: psycopg.Connection[tuple[object, ...]], table: str) -> set[object]:
    return {row[0] for row in raw.execute(sql.SQL("SELECT project_id FROM {}").format(sql.Identifier(table)))}


def new_cube(project: Project, account: UUID | None = None) -> MemCube:
    cube: MemCube = MemCube.objects.create(
        account_id=account or project.account_id, project=project, owner_kind="end_user", owner_id=uuid4().hex
    )
    return cube


# The database's row-level security alone.


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("table", WALLED)
def test_who_names_no_tenant_sees_no_row(raw: psycopg.Connection[tuple[object, ...]], table: str) -> None:
    assert owners(raw, table) == set()


@pytest.mark.parametrize("table", WALLED)
def test_who_names_a_tenant_sees_its_rows_only(
    both: tuple[Project, Project], raw: psycopg.Connection[tuple[object, ...]], table: str
) -> None:
    enter(raw, both[0])

    assert owners(raw, table) == {both[0].pk}


def test_after_the_transaction_the_tenant_is_forgotten(
    both: tuple[Project, Project], raw: psycopg.Connection[tuple[object, ...]]
) -> None:
    enter(raw, both[0])
    raw.commit()

    assert owners(raw, "memories_memory") == set()


def test_nobody_changes_or_deletes_rows_of_another_tenant(
    both: tuple[Project, Project], raw: psycopg.Connection[tuple[object, ...]]
) -> None:
    mine, theirs = both
    enter(raw, mine)

    changed = raw.execute("UPDATE memories_memory SET text = '' WHERE project_id = %s", [theirs.pk])
    deleted = raw.execute("DELETE FROM memories_message WHERE project_id = %s", [theirs.pk])

    assert (changed.rowcount, deleted.rowcount) == (0, 0)


def test_nobody_gives_a_row_away_to_another_tenant(
    both: tuple[Project, Project], raw: psycopg.Connection[tuple[object, ...]]
) -> None:
    mine, theirs = both
    enter(raw, mine)

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute(
            "UPDATE memories_memory SET project_id = %s, account_id = %s", [theirs.pk, theirs.account_id]
        )


def test_the_application_can_neither_bypass_nor_disable_row_level_security(
    raw: psycopg.Connection[tuple[object, ...]],
) -> None:
    role = raw.execute(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, pg_has_role('engram_owner', 'MEMBER')"
        " FROM pg_roles WHERE rolname = current_user"
    ).fetchone()

    assert role == (False, False, False, False, False)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute("ALTER TABLE memories_memory DISABLE ROW LEVEL SECURITY")


def test_the_sweeper_sees_tasks_and_nothing_else(stack: Stack) -> None:
    with psycopg.connect(stack.environment["DATABASE_SWEEP_URL"], autocommit=True) as sweeper:
        sweeper.execute("SELECT count(*) FROM memories_task")
        for table in [*WALLED, "tenancy_apikey", "tenancy_user"]:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                sweeper.execute(sql.SQL("SELECT 1 FROM {}").format(sql.Identifier(table)))


@pytest.mark.parametrize(
    "command",
    [
        ["manage.py", "check", "--tag", "database", "--database", "default"],
        ["-m", "console.embedded.bring_up"],
    ],
)
def test_the_start_is_refused_for_a_role_that_bypasses_row_level_security(
    stack: Stack, command: list[str]
) -> None:
    admin = Postgres(DataFolder(stack.path)).admin_url
    superuser = psycopg.conninfo.conninfo_to_dict(admin)
    url = stack.environment["DATABASE_URL"].rpartition("@")[2]
    variables = {"DATABASE_URL": f"postgresql://postgres:{superuser['password']}@{url}"}

    result = subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT_ROOT,
        env={**os.environ, **stack.environment, **variables},
        capture_output=True,
        text=True,
    )

    assert result.returncode == 1
    assert "engram.E002" in result.stderr


# The code's scoping alone: what the database would let through, because both tenants are of one account.


def test_code_that_forgets_the_owner_is_stopped() -> None:
    for model in (Memory, MemCube, Message, Conversation):
        for forgetful in ("all", "count", "first", "exists"):
            with pytest.raises(UnscopedQuery):
                getattr(model.objects, forgetful)()


def test_a_query_that_names_its_owner_sees_that_owners_rows(both: tuple[Project, Project]) -> None:
    for project in both:
        sibling = Project.objects.create(account=project.account, name=uuid4().hex)
        with tenant_scope(project.account):
            new_cube(sibling)
            project_ids = {cube.project_id for cube in MemCube.objects.within(project)}

        assert project_ids == {project.pk}


# Both together.


def test_a_scope_opens_rows_only_inside(both: tuple[Project, Project]) -> None:
    mine, theirs = both
    with tenant_scope(mine):
        assert MemCube.objects.within([mine, theirs]).count() == MemCube.objects.within(mine).count() == 1

    assert MemCube.objects.within([mine, theirs]).count() == 0


def test_a_scope_ends_with_its_block_even_in_a_longer_transaction(both: tuple[Project, Project]) -> None:
    mine, _ = both
    with transaction.atomic():
        with tenant_scope(mine):
            assert MemCube.objects.within(mine).exists()
        assert not MemCube.objects.within(mine).exists()

        with pytest.raises(ZeroDivisionError), tenant_scope(mine):
            raise ZeroDivisionError
        assert not MemCube.objects.within(mine).exists()


def test_a_scope_refuses_another_tenants_inside(both: tuple[Project, Project]) -> None:
    mine, theirs = both
    with tenant_scope(mine):
        with pytest.raises(ScopeError), tenant_scope(theirs):
            raise AssertionError("inside both")
        with tenant_scope(mine):
            assert get_active_scope() == Scope.of_project(mine)

    assert get_active_scope() is None


def test_a_row_for_another_tenant_is_refused(both: tuple[Project, Project]) -> None:
    mine, theirs = both
    for wrong in [(theirs, theirs.account_id), (theirs, mine.account_id), (mine, theirs.account_id)]:
        with pytest.raises(ProgrammingError), tenant_scope(mine):
            new_cube(*wrong)


def test_a_child_cannot_hang_on_another_tenants_parent(both: tuple[Project, Project]) -> None:
    """Foreign-key checks bypass row-level security, so the keys themselves carry the tenant."""
    mine, theirs = both
    with tenant_scope(theirs):
        cube = MemCube.objects.within(theirs).get()
        conversation = Conversation.objects.within(theirs).get()
    fields = {"account_id": mine.account_id, "project_id": mine.pk}

    with pytest.raises(IntegrityError), tenant_scope(mine):
        Conversation.objects.create(**fields, cube_id=cube.pk, external_id="x")
    with pytest.raises(IntegrityError), tenant_scope(mine):
        Memory.objects.create(**fields, cube_id=cube.pk, kind="fact", text="x", content_hash=b"x")
    with pytest.raises(IntegrityError), tenant_scope(mine):
        Message.objects.create(
            **fields, conversation_id=conversation.pk, position=9, text="x", said_at=cube.created_at
        )


def test_many_tenants_share_few_connections_and_never_meet(tenant: Tenant) -> None:
    """Each thread has one connection for all tenants, and now and then a transaction breaks in the middle."""
    projects = [new_tenant(tenant.project) for _ in range(50)]

    with ThreadPoolExecutor(5) as threads:
        mixed_up = sum(threads.map(lambda seed: count_mixed_up(projects, seed), range(5)))

    assert mixed_up == 0


def new_tenant(like: Project) -> Project:
    account = Account.objects.create(name="one of many", plan=like.account.plan)
    project = Project.objects.create(account=account, name="default")
    with tenant_scope(project):
        new_cube(project)
    return project


def count_mixed_up(projects: list[Project], seed: int) -> int:
    dice = random.Random(seed)
    try:
        return sum(not sees_itself_only(dice.choice(projects), dice.random() < 0.01) for _ in range(400))
    finally:
        connections.close_all()


def sees_itself_only(project: Project, breaks: bool) -> bool:
    seen: set[UUID] = set()
    with suppress(DataError), tenant_scope(project):
        seen = visible_projects()
        if breaks:
            connection.cursor().execute("SELECT 1 / 0")
    return seen == {project.pk} and visible_projects() == set()


def visible_projects() -> set[UUID]:
    """By plain SQL, so that the code's scoping does not help."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT project_id FROM memories_memcube")
        return {row[0] for row in cursor.fetchall()}


# Rows without a project's index, and why: the journal is short, and read by account.
JOURNAL = {"tenancy_reservation"}
WITHOUT_INDEX = """
SELECT one.relname
  FROM pg_class one JOIN pg_attribute owner ON owner.attrelid = one.oid AND owner.attname = 'project_id'
 WHERE one.relkind IN ('r', 'p') AND NOT one.relispartition
   AND NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = one.oid AND indkey[0] = owner.attnum AND indpred IS NULL
                      AND indisvalid)
"""


def test_a_project_that_is_deleted_finds_its_rows_by_an_index_in_every_table(tenant: Tenant) -> None:
    with connection.cursor() as cursor:
        cursor.execute(WITHOUT_INDEX)
        assert {name for (name,) in cursor.fetchall()} == JOURNAL


# Logins go in no tenant's scope, where Django finds none of these rows.
LOGINS_HELD = """
SELECT one.conrelid::regclass::text || '.' || held.attname
  FROM pg_constraint one JOIN pg_class owner ON owner.oid = one.conrelid
  JOIN pg_attribute held ON held.attrelid = one.conrelid AND held.attnum = ANY (one.conkey)
 WHERE one.contype = 'f' AND one.confrelid = 'tenancy_user'::regclass AND owner.relrowsecurity
   AND one.confdeltype NOT IN ('n', 'c')
"""


def test_no_row_of_a_tenant_holds_a_login_that_is_deleted(tenant: Tenant) -> None:
    with connection.cursor() as cursor:
        cursor.execute(LOGINS_HELD)
        assert cursor.fetchall() == []
