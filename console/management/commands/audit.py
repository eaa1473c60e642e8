"""`manage.py audit verify [ACCOUNT]` and `manage.py audit export ACCOUNT`"""

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from tenancy.audit.log import export_events, verify_chain
from tenancy.models import Account


class Command(BaseCommand):
    help = "Verifies the chains of audit logs, or prints one as JSON lines."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["verify", "export"])
        parser.add_argument("account", nargs="?", type=UUID, help="All accounts without one, when verifying.")

    def handle(self, *args: Any, what: str, account: UUID | None, **options: Any) -> None:
        if what == "verify":
            self._verify_chains([account] if account else list(Account.objects.values_list("pk", flat=True)))
        elif account is None:
            raise CommandError("Say whose log: manage.py audit export ACCOUNT.")
        else:
            for line in export_events(account):
                self.stdout.write(json.dumps(line, ensure_ascii=False))

    def _verify_chains(self, accounts: list[UUID]) -> None:
        verdicts = {account: verify_chain(account) for account in accounts}
        broken = {account: verdict for account, verdict in verdicts.items() if not verdict.holds}
        for account, verdict in broken.items():
            self.stderr.write(f"{account}: broken at entry {verdict.broken_at}")
        if broken:
            raise CommandError(f"{len(broken)} of {len(accounts)} chains are broken.")
        entries = sum(verdict.entries for verdict in verdicts.values())
        self.stdout.write(f"{len(accounts)} chains hold, {entries} entries.")
