"""What may be changed of an account."""

from __future__ import annotations

from django.db import transaction

from tenancy.audit.log import record_event
from tenancy.models import Account, User

LONGEST_NAME = 100


@transaction.atomic
def rename_account(account: Account, name: str, actor: User) -> None:
    """Gives the account another name, with an audit event; the name is not empty, at most `LONGEST_NAME` long."""
    before, after = account.name, name.strip()
    if before == after:
        return
    account.name = after
    account.save(update_fields=["name"])
    record_event(account, actor, "account.renamed", account, detail={"before": before, "after": after})
