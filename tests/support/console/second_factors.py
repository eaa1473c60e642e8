"""Accounts that ask their members for a second factor."""

from __future__ import annotations

from console.sign_in.second_factor import ask_everybody
from tenancy.models import Account
from tests.support.accounts.people import (
    get_owner,
    give_factor,
)
from tests.support.api_client import Tenant


def asking(tenant: Tenant) -> Account:
    """The tenant's account, whose owner has a factor and asks everybody for one."""
    give_factor(get_owner(tenant))
    ask_everybody(tenant.project.account, get_owner(tenant), asks=True)
    tenant.project.account.refresh_from_db()
    return tenant.project.account
