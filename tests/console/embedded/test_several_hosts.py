"""Hosts that share one database: they take turns at its preparation, and one with other secrets is not let in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from console.configuration import environment
from console.embedded.folder import DataFolder
from console.embedded.preparation.locks import Lock, LockTaken, held
from console.embedded.preparation.prepare import FIRST_DEMO, PROJECT
from console.embedded.preparation.same_secrets import OtherSecrets, require_same_secrets
from console.embedded.services import roles
from console.embedded.services.environment import Addresses
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tests.support.installations import own_stack

OLD, NEW = "the old pepper of all hosts", "the new pepper of all hosts"


@pytest.fixture(scope="module")
def shared_database(stack: Stack) -> Iterator[dict[str, str]]:
    """An empty database with the four roles, as an operator makes it."""
    admin, name = Postgres(DataFolder(stack.path)).admin_url, f"hosts_{uuid4().hex[:8]}"
    roles.create_database(admin, name)
    yield {
        variable: make_conninfo(stack.environment[variable], dbname=name)
        for variable in environment.DATABASE_VARIABLES
    }
    with psycopg.connect(admin, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def secrets(pepper: str = OLD) -> dict[str, str]:
    return {"SECRET_KEY": "s" * 40, "KEY_PEPPERS": pepper, "ENCRYPTION_KEYS": "e" * 40}


def bring_up(folder: Path, variables: dict[str, str]) -> subprocess.Popen[str]:
    """What each host does before it starts its processes."""
    inherited = {
        name: value
        for name, value in environment.list_own_variables().items()
        if name not in {*secrets(), *(f"{one}_FILE" for one in secrets())}
    }
    return subprocess.Popen(
        [sys.executable, "-m", "console.embedded.bring_up", FIRST_DEMO],
        cwd=PROJECT,
        env={**inherited, **secrets(), "ENGRAM_DATA": str(folder), **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(host: subprocess.Popen[str]) -> str:
    return host.communicate(timeout=240)[1]


def test_two_hosts_that_start_at_once_migrate_once_and_make_one_demo_account(
    shared_database: dict[str, str], tmp_path: Path
) -> None:
    hosts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        hosts.append(bring_up(tmp_path / name, shared_database))
    told = [said(host) for host in hosts]

    assert [host.returncode for host in hosts] == [0, 0], told
    with psycopg.connect(shared_database["DATABASE_BACKUP_URL"]) as connection:
        (accounts,) = connection.execute("SELECT count(*) FROM tenancy_account").fetchone() or ()
    assert accounts == 1

    stranger = bring_up(tmp_path / "two", {**shared_database, "KEY_PEPPERS": "made by this host alone"})
    assert "KEY_PEPPERS is not the one that this database was last used with" in said(stranger)
    assert stranger.returncode != 0

    with held(shared_database["DATABASE_OWNER_URL"], Lock.START, seconds=5):
        late = bring_up(tmp_path / "two", {**shared_database, "MIGRATION_WAIT": "1"})
        assert "Another host has been preparing the database" in said(late)
    assert late.returncode != 0

    # A pepper is exchanged: every host must know the one that others use before it is let in.
    def starts(pepper: str, **more: str) -> bool:
        try:
            require_same_secrets(shared_database["DATABASE_OWNER_URL"], {**secrets(pepper), **more})
        except OtherSecrets:
            return False
        return True

    assert starts(f"{OLD},{NEW}")
    assert not starts(NEW)
    assert starts(f"{NEW},{OLD}")
    assert not starts(OLD)
    assert starts(f"{OLD}\n{NEW}")
    assert starts(f"{NEW},{OLD}")
    assert starts(NEW)
    assert not starts("")
    assert not starts(OLD)
    assert starts(OLD, ACCEPT_SECRETS="true")
    assert starts(OLD)


def test_hosts_that_start_at_once_make_the_roles_in_turn(stack: Stack) -> None:
    """PostgreSQL refuses what changes a role that another connection is changing."""
    admin = Postgres(DataFolder(stack.path)).admin_url
    hosts = [Addresses(DataFolder(stack.path)) for _ in range(8)]

    with ThreadPoolExecutor(len(hosts)) as at_once:
        list(at_once.map(lambda host: host.provide_database(admin), hosts))

    assert {host.decided["DATABASE_URL"] for host in hosts} == {hosts[0].decided["DATABASE_URL"]}


def test_the_serving_role_does_not_read_fingerprints_of_secrets(stack: Stack) -> None:
    refused = pytest.raises(psycopg.errors.InsufficientPrivilege)
    with psycopg.connect(stack.environment["DATABASE_URL"]) as connection, refused:
        connection.execute("SELECT * FROM tenancy_secretfingerprint")


def test_a_lock_is_waited_for_and_given_up_in_time(stack: Stack) -> None:
    url = stack.environment["DATABASE_OWNER_URL"]

    with held(url, Lock.SCHEMA, seconds=5), pytest.raises(LockTaken), held(url, Lock.SCHEMA, seconds=0):
        pass
    with held(url, Lock.SCHEMA, seconds=0, shared=True), held(url, Lock.SCHEMA, seconds=0, shared=True):
        pass


def test_a_host_with_another_pepper_is_refused_with_a_sentence(tmp_path: Path) -> None:
    stack = own_stack(tmp_path, KEY_PEPPERS="made by this host alone")

    with pytest.raises(RuntimeError, match="KEY_PEPPERS is not the one"):
        stack.start()

    stack.stop()


def test_where_the_operator_wants_no_demo_account_there_is_none(stack: Stack, tmp_path: Path) -> None:
    admin, name = Postgres(DataFolder(stack.path)).admin_url, f"nodemo_{uuid4().hex[:8]}"
    roles.create_database(admin, name)
    urls = {
        variable: make_conninfo(stack.environment[variable], dbname=name)
        for variable in environment.DATABASE_VARIABLES
    }
    try:
        with Stack(tmp_path / "data", DEMO="false", **urls) as quiet:
            with psycopg.connect(urls["DATABASE_BACKUP_URL"]) as connection:
                found = connection.execute("SELECT count(*) FROM tenancy_user").fetchone()
            greeting = quiet.output.read_text()
            assert not (quiet.path / "demo.json").exists()
    finally:
        with psycopg.connect(admin, autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")

    assert found == (0,)
    assert "Engram is ready" in greeting
    assert "Password" not in greeting
