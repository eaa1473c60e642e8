"""Clients of the running installation, and a server that fails first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engram_client import Engram
from tests.support.api_client import Tenant
from tests.support.servers.unreliable import UnreliableServer


@pytest.fixture
def client(tenant: Tenant) -> Iterator[Engram]:
    with Engram(tenant.key, tenant.url) as engram:
        yield engram


@pytest.fixture
def unreliable() -> Iterator[UnreliableServer]:
    with UnreliableServer() as server:
        yield server
