"""`manage.py create_tenant --email E [--password P] [--project NAME] [--plan PLAN] --json`"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from console.embedded.demo.demo import OtherTenant, create_tenant
from tenancy.models import Plan
from tenancy.people.onboarding import DEFAULT_PROJECT, FIRST_PLAN


class Command(BaseCommand):
    help = "Makes a confirmed person with account, project and API key, and prints what they need."

    # The others load every page of the console, which took half as long as all else here.
    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", required=True)
        parser.add_argument("--password")
        parser.add_argument("--project", help=f"{DEFAULT_PROJECT!r} for a new account")
        parser.add_argument("--plan", help=f"{FIRST_PLAN!r} for a new account")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["plan"] and not Plan.objects.filter(code=options["plan"]).exists():
            plans = ", ".join(Plan.objects.values_list("code", flat=True))
            raise CommandError(f"There is no plan {options['plan']!r}; there are {plans}.")
        try:
            tenant = create_tenant(options["email"], options["password"], options["project"], options["plan"])
        except OtherTenant as refusal:
            raise CommandError(f"{refusal}. Nothing was changed.") from None
        if options["json"]:
            self.stdout.write(json.dumps(tenant, indent=2))
        else:
            self.stdout.write("\n".join(f"{name}: {value}" for name, value in tenant.items()))
