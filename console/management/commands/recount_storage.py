"""`manage.py recount_storage [--account ID]`: counts anew how many bytes accounts store, and mends the sums."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from tenancy.models import Account
from tenancy.storage.counts import count_stored_bytes, recount_account


class Command(BaseCommand):
    help = "Counts what accounts store and corrects the sums that their plans are enforced by."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--account", type=UUID, help="The id of one account; all of them without it.")

    def handle(self, *args: Any, **options: Any) -> None:
        accounts = Account.objects.order_by("created_at")
        if options["account"]:
            accounts = accounts.filter(pk=options["account"])
            if not accounts:
                raise CommandError("There is no such account.")
        for key in accounts.values_list("pk", flat=True).iterator():
            wrong = recount_account(key)
            if wrong is None:
                self.stdout.write(f"{key}: is being counted by another process")
            else:
                self.stdout.write(f"{key}: {count_stored_bytes(key)} bytes, {wrong} corrected")
