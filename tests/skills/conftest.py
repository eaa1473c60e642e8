"""A developer's agent: the published client, and plain HTTP beside it, with the key of the test's tenant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.api_client import Tenant

if TYPE_CHECKING:
    import httpx
    from acontext import AcontextClient


@pytest.fixture
def agent(tenant: Tenant) -> Iterator[AcontextClient]:
    # Here, because the client takes two seconds to import, which tests of packages need not wait for.
    from tests.support.skills.contract import connect_client

    with connect_client(tenant) as client:
        yield client


@pytest.fixture
def http(tenant: Tenant) -> Iterator[httpx.Client]:
    from tests.support.skills.contract import connect_http

    with connect_http(tenant) as client:
        yield client
