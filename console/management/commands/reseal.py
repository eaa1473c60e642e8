"""`manage.py reseal`: after a new key was put before the old one in ENCRYPTION_KEYS, seals everything by it."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tenancy.models import Account
from tenancy.providers import reseal
from tenancy.sealing import CannotOpen


class Command(BaseCommand):
    help = "Seals tenants' secrets by the first of ENCRYPTION_KEYS; after it, the old key may be taken out."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.ENCRYPTION_KEYS:
            raise CommandError("ENCRYPTION_KEYS is not set.")
        done, lost = 0, []
        for account in Account.objects.order_by("pk").iterator():
            try:
                done += reseal(account)
            except CannotOpen:
                lost.append(str(account.pk))
        self.stdout.write(f"{done} secrets were sealed anew.")
        if lost:
            raise CommandError(
                f"Sealed by a key that is not in ENCRYPTION_KEYS, of accounts {', '.join(lost)}."
            )
