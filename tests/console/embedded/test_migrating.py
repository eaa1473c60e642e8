"""An installation with rows in it is migrated by a role that row-level security binds, while others read and dump."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import scalar_row, tuple_row

from console.configuration import environment
from console.data.backup.postgres_programs import get_major_version, load_dump
from console.embedded.folder import DataFolder
from console.embedded.preparation.prepare import PROJECT
from console.embedded.services import roles
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tests.support.project import PROJECT_ROOT
from tests.support.waiting import wait_until
from tests.upgrades.filling import SECRETS

# Of a release whose cubes had no first notes of their changes yet, nor several indexes that are built beside a serving
# installation.
EARLIER = PROJECT_ROOT / "tests" / "upgrades" / "release_9ac2045" / "database.dump"
MIGRATE = ("manage.py", "migrate", "--database", "owner", "-v", "0", "--skip-checks")
MANY = 1_200  # more than one statement of a back-fill takes
BLANK = {"boolean": False, "jsonb": "{}", "ARRAY": [], "uuid": UUID(int=0), "timestamp with time zone": "now"}
COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns
 WHERE table_name = %s AND is_nullable = 'NO' AND column_default IS NULL
   AND is_generated = 'NEVER' AND is_identity = 'NO'
"""
WAITS_FOR = """
SELECT EXISTS (SELECT FROM pg_stat_activity
                WHERE datname = %s AND query LIKE %s AND state = 'active' AND now() - query_start > interval '4 s')
"""
BREAK_OFF = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s AND query LIKE %s
"""
WITHOUT_ROW_LEVEL_SECURITY = "SELECT count(*) FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"


class Database:
    """An earlier release's on the shared server, as an operator of a managed server has it: the owner is no
    superuser."""

    def __init__(self, stack: Stack) -> None:
        self.admin, self.name = Postgres(DataFolder(stack.path)).admin_url, f"earlier_{uuid4().hex[:8]}"
        roles.create_database(self.admin, self.name)
        self.addresses = {
            variable: make_conninfo(stack.environment[variable], dbname=self.name)
            for variable in environment.DATABASE_VARIABLES
        }
        with self.connect() as connection:
            major = get_major_version(connection)
        load_dump(self.addresses["DATABASE_OWNER_URL"], EARLIER, major)

    def command(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=PROJECT,
            env={**environment.list_own_variables(), **SECRETS, **self.addresses},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def connect(self, **options: Any) -> psycopg.Connection[Any]:
        """As the administrator, who sees all rows."""
        return psycopg.connect(self.admin, dbname=self.name, row_factory=scalar_row, **options)

    def value(self, statement: str, *parameters: object) -> Any:
        with self.connect() as connection:
            return connection.execute(statement, parameters).fetchone()  # type: ignore[call-overload]

    def drop(self) -> None:
        with psycopg.connect(self.admin, autocommit=True) as server:
            server.execute(f"DROP DATABASE {self.name} WITH (FORCE)")


def insert(connection: psycopg.Connection[Any], table: str, *rows: dict[str, object]) -> list[UUID]:
    """Rows with these values, their other columns blank; their keys."""
    with connection.cursor(row_factory=tuple_row) as cursor:
        needed = dict(cursor.execute(COLUMNS, [table]).fetchall())
        blank = {name: BLANK.get(kind, "0") for name, kind in needed.items()}
        full = [blank | {"id": uuid4()} | row for row in rows]
        places = ", ".join(["%s"] * len(full[0]))
        cursor.executemany(
            f"INSERT INTO {table} ({', '.join(full[0])}) VALUES ({places})",
            [list(row.values()) for row in full],
        )
    return [row["id"] for row in full]  # type: ignore[misc]


def fill(database: Database) -> tuple[set[UUID], set[UUID]]:
    """Two more tenants. The cubes that hold memories, some of which are in the trash, and those that hold none."""
    with_memories, without = set(), set()
    with database.connect() as connection:
        connection.execute("SET session_replication_role = replica")  # as before there was what notes changes
        plan = connection.execute("SELECT code FROM tenancy_plan LIMIT 1").fetchone()
        for tenant, many in (("busy", MANY), ("small", 2)):
            (account,) = insert(connection, "tenancy_account", {"name": tenant, "plan_id": plan})
            (project,) = insert(connection, "tenancy_project", {"account_id": account, "name": tenant})
            row: dict[str, object] = {"account_id": account, "project_id": project}
            owners = [
                {**row, "owner_kind": "end_user", "owner_id": str(number)} for number in range(many + 1)
            ]
            never_wrote, *cubes = insert(connection, "memories_memcube", *owners)
            purge_times = ["2026-01-01", *[None] * (many - 1)]
            texts = [
                {**row, "cube_id": cube, "text": tenant, "words": "開店 eel 麵", "purge_at": purge_at}
                for cube, purge_at in zip(cubes, purge_times, strict=True)
            ]
            insert(connection, "memories_memory", *texts)
            with_memories |= set(cubes)
            without.add(never_wrote)
    return with_memories, without


def read_of_cubes(upgraded: Upgrade, column: str, table: str) -> list[Any]:
    """What rows of the two tenants' cubes have there."""
    cubes = list(upgraded.with_memories | upgraded.without)
    with upgraded.database.connect() as connection:
        return connection.execute(f"SELECT {column} FROM {table} WHERE cube_id = ANY(%s)", [cubes]).fetchall()


@dataclass
class Upgrade:
    """What became of a database of an earlier release whose upgrade broke off first, and what was said meanwhile."""

    database: Database
    with_memories: set[UUID]
    without: set[UUID]
    broke_off: int
    without_policies: int
    seen_by_owner: int
    returncode: int
    output: str


@pytest.fixture(scope="module")
def upgraded(stack: Stack) -> Iterator[Upgrade]:
    database = Database(stack)
    with_memories, without = fill(database)
    broke_off = break_off_back_fill(database, max(with_memories))
    without_policies = database.value(WITHOUT_ROW_LEVEL_SECURITY)
    with psycopg.connect(database.addresses["DATABASE_OWNER_URL"], row_factory=scalar_row) as owner:
        (seen_by_owner,) = owner.execute("SELECT count(*) FROM memories_memcube").fetchall()
    returncode, output = upgrade_beside_dump(database)
    yield Upgrade(
        database, with_memories, without, broke_off, without_policies, seen_by_owner, returncode, output
    )
    database.drop()


def break_off_back_fill(database: Database, last: UUID) -> int:
    """While it waits for the row that it would fill in last; what the upgrade ended with."""
    with database.connect() as busy:
        busy.execute("SELECT id FROM memories_memcube WHERE id = %s FOR UPDATE", [last])
        upgrade = database.command(*MIGRATE)
        waits = (WAITS_FOR.replace("4 s", "1 s"), database.name, "CALL tenancy_back_fill%")
        wait_until(lambda: database.value(*waits) or upgrade.poll() is not None)
        assert database.value(BREAK_OFF, *waits[1:]) == 1
        upgrade.communicate(timeout=120)
    return upgrade.returncode


def upgrade_beside_dump(database: Database) -> tuple[int, str]:
    """And while somebody reads."""
    with database.connect() as reader:
        reader.execute("LOCK TABLE memories_memory IN ACCESS SHARE MODE")
        with database.connect() as dump:
            dump.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            dump.execute(
                "SELECT count(*) FROM memories_task"
            )  # an index on it is built beside this transaction
            upgrade = database.command("-m", "console.embedded.bring_up")
            waits = (WAITS_FOR, database.name, "CREATE INDEX CONCURRENTLY%")
            wait_until(lambda: database.value(*waits) or upgrade.poll() is not None)
            assert upgrade.poll() is None, upgrade.communicate()[0]
        # What needs a table for itself gives way to who reads it, and comes again.
        assert upgrade.stdout
        assert "A table is in use" in upgrade.stdout.readline()
    output, _ = upgrade.communicate(timeout=240)
    return upgrade.returncode, output


def test_a_back_fill_that_breaks_off_leaves_row_level_security_on(upgraded: Upgrade) -> None:
    assert upgraded.broke_off
    assert upgraded.without_policies == 0
    assert upgraded.seen_by_owner == 0


def test_an_upgrade_that_broke_off_goes_on_beside_a_dump_and_fills_in_rows_of_all_tenants(
    upgraded: Upgrade,
) -> None:
    assert upgraded.returncode == 0, upgraded.output
    cube_ids = read_of_cubes(upgraded, "cube_id", "memories_cubechange")
    assert set(cube_ids) == upgraded.with_memories
    assert len(cube_ids) == len(upgraded.with_memories)
    assert upgraded.database.value(WITHOUT_ROW_LEVEL_SECURITY) == 0


def test_an_upgrade_simplifies_the_search_terms_of_traditional_chinese(upgraded: Upgrade) -> None:
    words = read_of_cubes(upgraded, "words", "memories_memory")

    assert len(words) == MANY + 2
    assert set(words) == {"开店 eel 面"}
