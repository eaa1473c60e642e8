"""The whole of Engram runs once for all tests: real Postgres, Valkey, web server, worker. Each test is a tenant.

A test that kills, freezes, empties or configures a part of it asks for an installation of its own, by a fixture `own`.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from socket import socket
from threading import Thread
from typing import Any, cast

import certifi
import pytest

from console.configuration.environment import HANDOVER
from console.embedded.stack import Stack
from memories.engine.client import http_json
from tests.support.api_client import Api, Tenant
from tests.support.installations import EAGER, PREPARED, hurry, prepare
from tests.support.servers.file_server import (
    FileServer,
    format_address,
    get_port_number,
    open_server,
    reserve_port,
)
from tests.support.servers.model_server import ModelServer
from tests.support.servers.stripe_stand_in import StripeStandIn
from tests.support.tenants import make_tenant
from tests.support.waiting import wait_until

_running: dict[str, object] = {}
# Beside the shared installation's folder: it is up, and was copied for those of single modules; or why it is not.
UP, DOWN, UP_SECONDS = "up", "down", 660


def pytest_configure(config: pytest.Config) -> None:
    """Started before the tests are collected, because their modules import models, which need settings."""
    if config.option.collectonly:
        # What is only looked at, never signed with, needs no true secret, and no database.
        os.environ |= {"SECRET_KEY": "only-to-collect", "KEY_PEPPERS": "only-to-collect"}
        _set_up_django()
        return
    gc.disable()  # until all is collected
    shared = getattr(config, "workerinput", {}).get("engram")
    if shared is None:
        _start(processes=len(config.getoption("tx", None) or []))
    else:
        _join(**shared)
    _set_up_django()
    _hash_quickly()


def _set_up_django() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
    import django

    django.setup()


def _load_middleware_once() -> None:
    """Each client of Django's would load it anew, and WhiteNoise look at every static file again: a quarter of what the
    tests of pages took."""
    from django.test.client import ClientHandler

    handler = ClientHandler()
    handler.load_middleware()
    ClientHandler._middleware_chain = staticmethod(handler._middleware_chain)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is loaded and collected by now lasts: to go through it again and again took a third of the collection."""
    if "stack" in _running:
        assert "console.asgi" not in sys.modules, (
            "A test's module imports the web server before Engram is up."
        )
        _wait_until_up(cast("Stack", _running["stack"]))
        _load_middleware_once()
    gc.freeze()
    gc.enable()


def _wait_until_up(stack: Stack) -> None:
    def is_up() -> bool:
        _fail_if_it_did(stack)
        return (stack.path.parent / UP).exists()

    try:
        wait_until(is_up, UP_SECONDS)
    except AssertionError as failure:
        raise AssertionError(f"Engram did not start:\n{stack.output.read_text()[-4000:]}") from failure


def _hash_quickly() -> None:
    """Each test is a tenant with a password: to make it hard to guess took a third of the suite's time.

    The costs are part of each hash, so the installation itself checks these with its own costs unchanged.
    """
    from django.contrib.auth.hashers import Argon2PasswordHasher

    Argon2PasswordHasher.time_cost = 1
    Argon2PasswordHasher.memory_cost = 8
    Argon2PasswordHasher.parallelism = 1


def _trust_one_authority(folder: Path) -> None:
    """The published clients read all authorities anew for each client that a test makes: 40 ms for calls that are
    plain HTTP."""
    end = "-----END CERTIFICATE-----\n"
    first = folder / "authority.pem"
    first.write_text(Path(certifi.where()).read_text().partition(end)[0] + end)
    os.environ["SSL_CERT_FILE"] = str(first)


def _start(processes: int) -> None:
    """With `-n`, this process starts everything and runs no test: the processes that do share one Engram."""
    folder = Path(tempfile.mkdtemp(prefix="engram-tests-"))
    ports = [(reserve_port(), reserve_port()) for _ in range(max(1, processes))]
    # The only private addresses that may be fetched: the tests' own file and model servers, one in each process.
    os.environ["FETCH_ALLOW"] = ",".join(
        format_address(get_port_number(port)) for pair in ports for port in pair
    )
    _trust_one_authority(folder)
    stack = Stack(folder / "data", LLM_TIMEOUT="10", **EAGER)
    stack.launch()
    _running.update(folder=folder, ports=ports, started=stack, stack=stack)
    os.environ[PREPARED] = str(folder / "prepared")
    if processes:  # they collect the tests meanwhile, for which they must know the addresses only
        gc.enable()
        starter = Thread(target=_bring_up, args=(stack,), daemon=True)
        starter.start()
        wait_until(lambda: (stack.path / HANDOVER).exists() or not starter.is_alive(), seconds=UP_SECONDS)
        _fail_if_it_did(stack)
    else:
        _bring_up(stack)
        _open_servers(*map(get_port_number, ports[0]))
    os.environ.update(stack.environment)


def _bring_up(stack: Stack) -> None:
    try:
        # The database runs by then, and nothing that has its limits from it.
        wait_until(lambda: (stack.path / HANDOVER).exists() or stack.has_ended, UP_SECONDS)
        if not stack.has_ended:
            hurry(stack)
        stack.wait_until_ready()
        prepare(stack, Path(os.environ[PREPARED]))
    except BaseException as trouble:
        (stack.path.parent / DOWN).write_text(f"{type(trouble).__name__}: {trouble}")
        raise
    (stack.path.parent / UP).touch()


def _fail_if_it_did(stack: Stack) -> None:
    down = stack.path.parent / DOWN
    assert not down.exists(), f"Engram did not start: {down.read_text()}"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    stack, ports = cast("Stack", _running["stack"]), cast("list[tuple[socket, socket]]", _running["ports"])
    # A process that takes the place of a broken one has a higher number.
    pair = ports[int(node.gateway.id.removeprefix("gw")) % len(ports)]
    node.workerinput["engram"] = {
        "data": str(stack.path),
        "port": stack.port,
        "ports": [get_port_number(port) for port in pair],
    }


def _join(data: str, port: int, ports: list[int]) -> None:
    _running["stack"] = stack = Stack(Path(data), port)
    _open_servers(*ports)
    os.environ.update(stack.environment)


def _open_servers(files: int, model: int) -> None:
    _running["files"] = open_server(files)
    _running["model_port"] = model


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Installations of a module's own start first: work that is handed over late would start them twice. Those of a
    folder's tests follow each other, because one installation may serve all of them."""

    def place(item: pytest.Item) -> tuple[bool, str]:
        has_own = "own" in getattr(item, "fixturenames", ())
        return not has_own, str(item.path.parent) if has_own else ""

    items.sort(key=place)


def pytest_unconfigure(config: pytest.Config) -> None:
    if "stack" in _running:
        from django.db import connections

        connections.close_all()
    stack = _running.pop("started", None)
    if isinstance(stack, Stack):
        stack.stop()
    folder = _running.pop("folder", None)
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
    for pair in cast("list[tuple[socket, socket]]", _running.pop("ports", [])):
        for port in pair:
            port.close()


@pytest.fixture(scope="session")
def stack() -> Stack:
    running = _running["stack"]
    assert isinstance(running, Stack)
    return running


@pytest.fixture(scope="session")
def files() -> FileServer:
    """A web server from which messages may have files fetched."""
    running = _running["files"]
    assert isinstance(running, FileServer)
    return running


@pytest.fixture(scope="session")
def model_port() -> int:
    """Where a model server of a test may listen, one at a time: the running installation asks it, if told to."""
    return cast("int", _running["model_port"])


@pytest.fixture
def tenant(stack: Stack) -> Tenant:
    """A developer with an account, a project and a key of their own."""
    return make_tenant(stack)


@pytest.fixture
def stripe() -> Iterator[StripeStandIn]:
    """A Stripe of the test's own, with which its process collects money."""
    from tests.support.accounts.paying import with_stripe

    with with_stripe() as stand_in:
        yield stand_in


@pytest.fixture
def stranger(stack: Stack) -> Tenant:
    """Another developer, who must see nothing of the first."""
    return make_tenant(stack)


@pytest.fixture
def api(tenant: Tenant) -> Iterator[Api]:
    with tenant.api() as client:
        yield client


@pytest.fixture
def strangers_api(stranger: Tenant) -> Iterator[Api]:
    with stranger.api() as client:
        yield client


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A chat model that says what a test tells it to. It is asked again soon after a failure."""
    monkeypatch.setattr(http_json, "_PAUSE_BASE", 0.01)
    running = ModelServer()
    yield running
    running.close()
