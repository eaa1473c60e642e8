"""`manage.py grant_quota --email E --meter M --amount N`: more of one quota for the running month.

For longer, and for everything else that operators do, there are their pages.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenancy.audit.request_context import OPERATOR, act_as
from tenancy.errors import CatalogueError
from tenancy.metering.meters import ALLOWANCES, Meter
from tenancy.models import Account, Role
from tenancy.people.operator_grants import give_quota


class Command(BaseCommand):
    help = "Gives the account that this person owns more of one quota, until the month ends."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", required=True)
        parser.add_argument("--meter", required=True, choices=[meter.value for meter in ALLOWANCES])
        parser.add_argument("--amount", required=True, type=int)
        parser.add_argument("--reason", default="", help="Stands in the account's audit log.")

    def handle(self, *args: Any, **options: Any) -> None:
        owned = {"memberships__user__email__iexact": options["email"], "memberships__role": Role.OWNER}
        accounts = list(Account.objects.filter(**owned)[:2])
        if len(accounts) != 1:
            raise CommandError(f"{options['email']} owns {'several accounts' if accounts else 'no account'}.")
        try:
            with act_as(OPERATOR, "command line"):
                give_quota(accounts[0], Meter(options["meter"]), options["amount"], options["reason"])
        except CatalogueError as refusal:
            raise CommandError(refusal.text) from None
        self.stdout.write(
            f"{options['amount']} more of {options['meter']} for “{accounts[0].name}” this month."
        )
