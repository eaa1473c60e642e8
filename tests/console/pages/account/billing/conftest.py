"""An account on the smallest plan, and its owner, who may buy another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Tenant
from tests.support.tenants import make_tenant

if TYPE_CHECKING:
    from django.test import Client


@pytest.fixture
def tenant(stack: Stack) -> Tenant:
    return make_tenant(stack, "free")


@pytest.fixture
def owner(tenant: Tenant) -> Client:
    from tests.support.accounts.people import sign_in_owner  # needs Django, which is not set up yet

    return sign_in_owner(tenant)
