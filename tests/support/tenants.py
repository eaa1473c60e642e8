"""Developers with an account, a project and a key of their own."""

from __future__ import annotations

from uuid import uuid4

from console.embedded.stack import Stack
from tests.support.api_client import Tenant


def make_tenant(stack: Stack, plan: str = "enterprise") -> Tenant:
    from console.embedded.demo.demo import create_tenant

    return Tenant(stack.url, create_tenant(f"{uuid4().hex}@example.org", None, "default", plan))
