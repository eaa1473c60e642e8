"""An account on the smallest plan, which may buy another one."""

from __future__ import annotations

import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Tenant
from tests.support.tenants import make_tenant


@pytest.fixture
def tenant(stack: Stack) -> Tenant:
    return make_tenant(stack, "free")
