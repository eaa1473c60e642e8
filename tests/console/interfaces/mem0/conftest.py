"""One developer for all tests of the contract; each test has end users of its own."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.tenants import make_tenant


@pytest.fixture(scope="module")
def developer(stack: Stack) -> Tenant:
    return make_tenant(stack)


@pytest.fixture(scope="module")
def mem0(developer: Tenant) -> Iterator[Mem0]:
    with Mem0(developer) as client:
        yield client


@pytest.fixture
def user() -> str:
    """An end user nobody has heard of."""
    return f"user-{uuid4().hex[:12]}"
