"""The whole of Engram runs once for all tests: real Postgres, Valkey, web server, worker. Each test is a tenant."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from console.embedded.stack import Stack
from tests.api_client import Api, Tenant
from tests.file_server import FileServer, open_server

_running: dict[str, object] = {}


def pytest_configure(config: pytest.Config) -> None:
    """Started before the tests are collected, because their modules import models, which need settings."""
    if config.option.collectonly:
        return
    folder = Path(tempfile.mkdtemp(prefix="engram-tests-"))
    _running["folder"] = folder
    # The only private address that may be fetched: the tests' own file server.
    _running["files"] = files = open_server()
    os.environ["FETCH_ALLOW"] = files.address
    stack = Stack(folder / "data").start()
    _running["stack"] = stack
    os.environ.update(stack.environment)
    os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
    import django

    django.setup()


def pytest_unconfigure(config: pytest.Config) -> None:
    stack = _running.pop("stack", None)
    if isinstance(stack, Stack):
        from django.db import connections

        connections.close_all()
        stack.stop()
    folder = _running.pop("folder", None)
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)


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


def make_tenant(stack: Stack, plan: str = "enterprise") -> Tenant:
    from console.demo import create_tenant

    return Tenant(stack.url, create_tenant(f"{uuid4().hex}@example.org", None, "default", plan))


@pytest.fixture
def tenant(stack: Stack) -> Tenant:
    """A developer with an account, a project and a key of their own."""
    return make_tenant(stack)


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
