"""Clients of the running installation, and a server that fails first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engram_client import Engram
from tests.support.api_client import Tenant
from tests.support.clients.command_line import CommandLine
from tests.support.servers.unreliable import UnreliableServer


@pytest.fixture
def client(tenant: Tenant) -> Iterator[Engram]:
    with Engram(tenant.key, tenant.url) as engram:
        yield engram


@pytest.fixture
def unreliable() -> Iterator[UnreliableServer]:
    with UnreliableServer() as server:
        yield server


@pytest.fixture
def anonymous(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    """The command without a key."""
    return CommandLine(tmp_path, monkeypatch, capsys)


@pytest.fixture
def engram(anonymous: CommandLine, tenant: Tenant) -> CommandLine:
    """The command with a tenant's key, and kim as the user."""
    return anonymous.use(tenant)
