"""`manage.py reseal`: after a new key was put before the old one in ENCRYPTION_KEYS, or SECRET_KEY was replaced and the
old one put into SECRET_KEY_FALLBACKS, encrypts everything with the new one."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from console.sign_in.logins import reseal_factors
from tenancy.models import Account
from tenancy.projects.model_providers import reencrypt_keys
from tenancy.runtime.batching import iterate_in_batches


class Command(BaseCommand):
    help = (
        "Encrypts tenants' secrets with the first of ENCRYPTION_KEYS and second factors with SECRET_KEY;"
        " after it, old keys may be taken out."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self._reseal_factors()
        if not settings.ENCRYPTION_KEYS:
            raise CommandError("ENCRYPTION_KEYS is not set.")
        results = [reencrypt_keys(account) for account in iterate_in_batches(Account.objects.order_by("pk"))]
        lost = [str(project) for result in results for project in result.lost]
        self.stdout.write(f"{sum(result.done for result in results)} secrets were sealed anew.")
        if lost:
            raise CommandError(
                f"{len(lost)} secrets cannot be opened by any of ENCRYPTION_KEYS, of projects {', '.join(lost)}."
            )

    def _reseal_factors(self) -> None:
        factors = reseal_factors()
        self.stdout.write(f"{factors.done} second factors were encrypted anew.")
        if factors.lost:
            self.stderr.write(
                f"{len(factors.lost)} second factors cannot be read with SECRET_KEY or SECRET_KEY_FALLBACKS: "
                f"{', '.join(map(str, factors.lost))}. Remove them in /admin/, or put back the key they were made with."
            )
