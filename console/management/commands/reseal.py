"""`manage.py reseal`: after a new key was put before the old one in ENCRYPTION_KEYS, seals everything by it."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tenancy.models import Account
from tenancy.providers import reseal
from tenancy.rounds import in_batches


class Command(BaseCommand):
    help = "Seals tenants' secrets by the first of ENCRYPTION_KEYS; after it, the old key may be taken out."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.ENCRYPTION_KEYS:
            raise CommandError("ENCRYPTION_KEYS is not set.")
        told = [reseal(account) for account in in_batches(Account.objects.order_by("pk"))]
        lost = [str(project) for one in told for project in one.lost]
        self.stdout.write(f"{sum(one.done for one in told)} secrets were sealed anew.")
        if lost:
            raise CommandError(
                f"{len(lost)} secrets cannot be opened by any of ENCRYPTION_KEYS, of projects {', '.join(lost)}."
            )
