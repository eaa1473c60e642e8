"""Drop the counting triggers before migrations and install them again afterwards.

Every account is counted before the first process serves it: a limit that is enforced must not begin at zero.
"""

from __future__ import annotations

from typing import Any

from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.models.signals import post_migrate, pre_migrate
from django.dispatch import receiver

from tenancy.models import Account
from tenancy.storage import counts, triggers


@receiver(pre_migrate, dispatch_uid="remove_stored_triggers")
def remove_triggers(sender: Any, using: str, plan: list[Any], **_: Any) -> None:
    if sender.name == "tenancy" and plan:
        with connections[using].cursor() as cursor:
            triggers.drop_triggers(cursor)


@receiver(post_migrate, dispatch_uid="install_stored_triggers")
def install_triggers(sender: Any, using: str, **_: Any) -> None:
    """Install the triggers, whatever was migrated: where it broke off the last time, the next one makes up for it."""
    connection = connections[using]
    if sender.name != "tenancy" or _is_partly_migrated(connection):
        return
    with connection.cursor() as cursor:
        outdated = triggers.list_outdated_tables(cursor)
        triggers.install_triggers(cursor, outdated)
    if outdated:
        for account in Account.objects.order_by("pk").values_list("pk", flat=True):
            counts.recount_account(account, outdated)


def is_counting(using: str) -> bool:
    """Return whether the database counts every table, and as the list says."""
    with connections[using].cursor() as cursor:
        return not triggers.list_outdated_tables(cursor)


def _is_partly_migrated(connection: Any) -> bool:
    """Return whether migrations are missing, so that the tables are not yet those of the list."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
