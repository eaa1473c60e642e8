"""Tables of stored bytes: sums by account and table, and a journal of changes since."""

from __future__ import annotations

from django.db import models

from tenancy.models import Account
from tenancy.models.usage import AccountRow


class StoredBytes(AccountRow):
    """The bytes that an account stores in one table, but for what the journal says."""

    table = models.CharField(max_length=63)
    bytes = models.BigIntegerField()

    class Meta(AccountRow.Meta):
        constraints = [models.UniqueConstraint(fields=["account", "table"], name="one_sum_per_stored_table")]


class StoredChange(AccountRow):
    """Bytes that one statement added to a table or took from it. Only triggers write one.

    Nobody waits for anybody: rows are added and later folded into `StoredBytes`. A foreign key would lock the account's
    row with every write; the database deletes what is left when the account is deleted.
    """

    account = models.ForeignKey(
        Account, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    table = models.CharField(max_length=63)
    bytes = models.BigIntegerField()

    class Meta(AccountRow.Meta):
        indexes = [models.Index(fields=["account"], name="stored_change_of_account")]
