"""Hosts of all roles that share one database: they take turns at its preparation, and one with other secrets is not
let in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from console.configuration import environment
from console.embedded.folder import DataFolder
from console.embedded.preparation.locks import Lock, LockTaken, hold_lock
from console.embedded.preparation.prepare import FIRST_DEMO, PROJECT
from console.embedded.preparation.same_secrets import OtherSecrets, require_same_secrets
from console.embedded.services import roles
from console.embedded.services.environment import Addresses
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tests.support.api_client import Api, message
from tests.support.installations import extend_limits, host_folder, own_web

OLD, NEW = "the old pepper of all hosts", "the new pepper of all hosts"


@pytest.fixture(scope="module")
def outside(stack: Stack) -> Iterator[dict[str, str]]:
    """An empty database with the four roles, as an operator makes it, a broker, and a bucket that is nowhere."""
    admin, name = Postgres(DataFolder(stack.path)).admin_url, f"hosts_{uuid4().hex[:8]}"
    roles.create_database(admin, name)
    urls = {
        variable: make_conninfo(stack.environment[variable], dbname=name)
        for variable in environment.DATABASE_VARIABLES
    }
    broker = stack.environment["REDIS_URL"].replace("db=0", "db=1")
    yield {
        **urls,
        "REDIS_URL": broker,
        "STORAGE_URL": "s3+http://key:secret@127.0.0.1:1/nothing",
        "DATABASE_POOL": "4",  # the server allows a hundred connections, which the other tests use too
    }
    with psycopg.connect(admin, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def start_at_once(until_the_end: ExitStack, hosts: dict[str, Stack]) -> None:
    for host in hosts.values():
        until_the_end.callback(host.stop)
        host.launch()
    for host in hosts.values():
        host.wait_until_ready()


def count_accounts(outside: dict[str, str]) -> int:
    with psycopg.connect(outside["DATABASE_BACKUP_URL"]) as connection:
        row = connection.execute("SELECT count(*) FROM tenancy_account").fetchone()
    assert row
    return int(row[0])


@dataclass
class Hosts:
    """Four, each of a role, and what was there when the first two had made the database, whose operator wants no demo
    account."""

    by_role: dict[str, Stack]
    first_accounts: int


@pytest.fixture(scope="module")
def own(outside: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Two hosts that start at once on the empty database, then two more at once."""
    folder = tmp_path_factory.mktemp("hosts")

    def place(role: str, **variables: str) -> Stack:
        return Stack(host_folder(folder / role), role=role, **secrets(), **outside, **variables)

    first = {"web": place("web", DEMO="false", WEB_COUNT="2"), "beat": place("beat", DEMO="false")}
    later = {role: place(role) for role in ("worker", "files")}
    with ExitStack() as until_the_end:
        start_at_once(until_the_end, first)
        accounts = count_accounts(outside)
        start_at_once(until_the_end, later)
        yield Hosts(first | later, accounts)


def secrets(pepper: str = OLD) -> dict[str, str]:
    return {"SECRET_KEY": "s" * 40, "KEY_PEPPERS": pepper, "ENCRYPTION_KEYS": "e" * 40}


def bring_up(folder: Path, variables: dict[str, str]) -> subprocess.Popen[str]:
    """What each host does before it starts its processes."""
    inherited = {
        name: value
        for name, value in environment.list_own_variables().items()
        if name not in {*secrets(), *(f"{secret_name}_FILE" for secret_name in secrets())}
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


def test_where_the_operator_wants_no_demo_account_there_is_none(own: Hosts) -> None:
    web = own.by_role["web"]
    output = web.output.read_text()

    assert own.first_accounts == 0
    assert "Engram is ready" in output
    assert "Password" not in output
    assert not (web.path / "demo.json").exists()


def test_each_role_is_a_host_of_its_own(own: Hosts, outside: dict[str, str]) -> None:
    """What one accepts another does."""
    for role, host in own.by_role.items():
        assert set(host.pids) == {"supervisor", role}
    assert count_accounts(outside) == 1
    (made_by,) = [host for host in own.by_role.values() if (host.path / "demo.json").exists()]
    with Api(own.by_role["web"].url, made_by.demo["api_key"]) as api:
        answer = api.add("kim", "I am a glassblower in Turku.", async_mode=True)
        assert api.wait_until_done(answer["task_id"]) == "completed"
        assert "glassblower" in str(api.listed("kim"))
        # The bucket is nowhere: the file's task is refused by the files worker, and by no other.
        url = {"type": "file", "file": {"file_data": "http://10.0.0.1/a.md"}}
        sent = api.add("kim", message("user", [url]), async_mode=True)
        assert api.wait_until_done(sent["task_id"]) == "failed"


def test_a_host_that_does_not_fit_the_others_is_refused_with_a_sentence(
    own: Hosts, outside: dict[str, str], tmp_path: Path
) -> None:
    stranger = bring_up(tmp_path, {**outside, "KEY_PEPPERS": "made by this host alone"})
    assert "KEY_PEPPERS is not the one that this database was last used with" in said(stranger)
    assert stranger.returncode != 0

    with hold_lock(outside["DATABASE_OWNER_URL"], Lock.START, seconds=5):
        late = bring_up(tmp_path, {**outside, "MIGRATION_WAIT": "1"})
        assert "Another host has been preparing the database" in said(late)
    assert late.returncode != 0


def test_a_pepper_is_exchanged_in_steps(own: Hosts, outside: dict[str, str]) -> None:
    """Every host must know the one that others use before it is let in."""

    def starts(pepper: str, **more: str) -> bool:
        try:
            require_same_secrets(outside["DATABASE_OWNER_URL"], {**secrets(pepper), **more})
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
    hosts = [Addresses(DataFolder(stack.path)) for _ in range(4)]

    try:
        with ThreadPoolExecutor(len(hosts)) as at_once:
            list(at_once.map(lambda host: host.provide_database(admin), hosts))
    finally:
        extend_limits(stack)  # the roles that were made have those of production

    assert {host.decided["DATABASE_URL"] for host in hosts} == {hosts[0].decided["DATABASE_URL"]}


def test_the_serving_role_does_not_read_fingerprints_of_secrets(stack: Stack) -> None:
    refused = pytest.raises(psycopg.errors.InsufficientPrivilege)
    with psycopg.connect(stack.environment["DATABASE_URL"]) as connection, refused:
        connection.execute("SELECT * FROM tenancy_secretfingerprint")


def test_a_lock_is_waited_for_and_given_up_in_time(stack: Stack) -> None:
    url = stack.environment["DATABASE_OWNER_URL"]

    with (
        hold_lock(url, Lock.SCHEMA, seconds=5),
        pytest.raises(LockTaken),
        hold_lock(url, Lock.SCHEMA, seconds=0),
    ):
        pass
    with (
        hold_lock(url, Lock.SCHEMA, seconds=0, shared=True),
        hold_lock(url, Lock.SCHEMA, seconds=0, shared=True),
    ):
        pass


def test_a_host_with_another_pepper_is_refused_with_a_sentence(stack: Stack, tmp_path: Path) -> None:
    """Where nothing is to be prepared, too."""
    web = own_web(stack, tmp_path, KEY_PEPPERS="made by this host alone")

    with pytest.raises(RuntimeError, match="KEY_PEPPERS is not the one"):
        web.start()

    web.stop()
