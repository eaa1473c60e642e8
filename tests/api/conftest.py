"""One developer for all tests of the API; each test has end users of its own."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Api, Tenant
from tests.support.tenants import make_tenant


@pytest.fixture(scope="session")
def developer(stack: Stack) -> Tenant:
    return make_tenant(stack)


@pytest.fixture(scope="session")
def api(developer: Tenant) -> Iterator[Api]:
    with developer.api() as client:
        yield client


@pytest.fixture(scope="session")
def strangers_api(stack: Stack) -> Iterator[Api]:
    with make_tenant(stack).api() as client:
        yield client


@pytest.fixture
def user() -> str:
    """An end user nobody has heard of."""
    return f"user-{uuid4().hex[:12]}"
