"""How many bytes a plan allows an account to store: checked while a file is read, and again after it was written.

The limit of the plan is exact. Code that stores client data does so within `storage_scope`, which compares the total
with the limit at the end of the transaction; when little is left it locks the account's row, so that concurrent
writers count each other. What the server derives from stored data (memories, learned skills) is counted and never
refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connection
from django.template.defaultfilters import filesizeformat

from tenancy.errors import StorageFull
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.models import Account, Project

MEGABYTE = 1024**2
# More than all processes together take in at the same time for one account: with so much left nobody waits.
PLENTY = 4 * 1024**3
STANDING = """
SELECT (SELECT plan.storage_megabytes FROM tenancy_account account
          JOIN tenancy_plan plan ON plan.code = account.plan_id WHERE account.id = %(account)s),
       (SELECT coalesce(sum(bytes), 0)::bigint FROM tenancy_storedbytes WHERE account_id = %(account)s)
     + (SELECT coalesce(sum(bytes), 0)::bigint FROM tenancy_storedchange WHERE account_id = %(account)s)
"""


def get_bytes_left(account: UUID) -> int | None:
    """Bytes that may still be stored, negative after a change to a smaller plan; None for no limit."""
    allowed, used = _load_storage_standing(account)
    return None if allowed is None else allowed - used


def get_percent_stored(account: UUID) -> int:
    """Used share of the limit in percent, rounded down; 0 without a limit."""
    allowed, used = _load_storage_standing(account)
    if allowed is None:
        return 0
    return min(100, 100 * used // allowed) if allowed else 100


def refuse_if_full(account: UUID) -> None:
    """Raise `StorageFull` before work whose result could not be stored."""
    allowed, used = _load_storage_standing(account)
    if allowed is not None and used >= allowed:
        raise StorageFull(f"it allows {format_bytes(allowed)} in all; {format_bytes(used)} are stored")


@contextmanager
def storage_scope(owner: Project | Account | Scope) -> Iterator[Scope]:
    """The tenant's scope for writes of client data. Raises `StorageFull` at its end."""
    with tenant_scope(owner) as scope:
        yield scope
        refuse_if_exceeded(scope.account)


def refuse_if_exceeded(account: UUID) -> None:
    """Raise `StorageFull` at the end of a transaction that stored more than the limit allows."""
    allowed, used = _load_storage_standing(account)
    if allowed is None or used + PLENTY <= allowed:
        return
    Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account)
    allowed, used = _load_storage_standing(account)
    if allowed is not None and used > allowed:
        # How much of it was stored before is not known here: it may have been more than a smaller plan allows.
        raise StorageFull(
            f"it allows {format_bytes(allowed)} in all; with this {format_bytes(used)} would be stored"
        )


def format_bytes(size: int) -> str:
    """A number of bytes in readable units, in ASCII."""
    return filesizeformat(size).replace("\xa0", " ")


def _load_storage_standing(account: UUID) -> tuple[int | None, int]:
    """Load what is allowed and what is used, in bytes; what this transaction has written counts. In whatever scope of
    the account."""
    with tenant_scope(get_active_scope() or Scope(account, None)), connection.cursor() as cursor:
        cursor.execute(STANDING, {"account": account})
        megabytes, used = cursor.fetchone() or (None, 0)
    return None if megabytes is None else megabytes * MEGABYTE, max(0, used)
