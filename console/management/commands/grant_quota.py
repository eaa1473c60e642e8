"""`manage.py grant_quota --email E --meter M --amount N`: more of one quota for the running month."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenancy.meters import ALLOWANCES, Meter
from tenancy.models import Account, Role
from tenancy.quota import grant


class Command(BaseCommand):
    help = "Gives the account that this person owns more of one quota, until the month ends."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", required=True)
        parser.add_argument("--meter", required=True, choices=[meter.value for meter in ALLOWANCES])
        parser.add_argument("--amount", required=True, type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        owned = {"memberships__user__email__iexact": options["email"], "memberships__role": Role.OWNER}
        accounts = list(Account.objects.filter(**owned)[:2])
        if len(accounts) != 1:
            raise CommandError(f"{options['email']} owns {'several accounts' if accounts else 'no account'}.")
        grant(accounts[0], Meter(options["meter"]), options["amount"])
        self.stdout.write(
            f"{options['amount']} more of {options['meter']} for “{accounts[0].name}” this month."
        )
