"""`manage.py grant_plan --email E --plan P`: another plan for an account, and its open application decided."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenancy.audit.request_context import OPERATOR, act_as
from tenancy.billing.applications import grant_application, open_application
from tenancy.errors import CatalogueError
from tenancy.models import Account, Plan, Role
from tenancy.people.operator_grants import change_plan


class Command(BaseCommand):
    help = "Gives the account that this person owns another plan, with or without an application for it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", required=True)
        parser.add_argument("--plan", required=True)
        parser.add_argument("--reason", default="by an operator")

    def handle(self, *args: Any, **options: Any) -> None:
        plan = Plan.objects.filter(code=options["plan"]).first()
        if plan is None:
            raise CommandError(f"There is no plan {options['plan']!r}.")
        account = _find_account(options["email"])
        try:
            with act_as(OPERATOR, "command line"):
                _grant_plan(account, plan, options["reason"])
        except CatalogueError as refusal:
            raise CommandError(refusal.text) from None
        self.stdout.write(f"“{account.name}” has the plan {plan.name} now.")


def _find_account(email: str) -> Account:
    owned = {"memberships__user__email__iexact": email, "memberships__role": Role.OWNER}
    accounts = list(Account.objects.filter(**owned)[:2])
    if len(accounts) != 1:
        raise CommandError(f"{email} owns {'several accounts' if accounts else 'no account'}.")
    return accounts[0]


def _grant_plan(account: Account, plan: Plan, reason: str) -> None:
    application = open_application(account)
    if application is not None and application.plan_id == plan.pk:
        grant_application(application)
    else:
        change_plan(account, plan, reason)
