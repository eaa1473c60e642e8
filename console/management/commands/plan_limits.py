"""`manage.py plan_limits > docs/limits.md`: what each plan allows, from the table that it is enforced by."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.template.loader import render_to_string
from django.utils import translation

from console.pages.account.usage.storage import format_storage_allowance
from tenancy.metering.meters import ALLOWANCES, NAMES, Meter, get_monthly_allowance
from tenancy.models import Plan


class Command(BaseCommand):
    help = "Prints the page of limits of the documentation."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(as_markdown(), ending="")


def as_markdown() -> str:
    """The text of `docs/limits.md`."""
    with translation.override("en"):
        table = _write_table(list(Plan.objects.filter(is_listed=True)))
        return render_to_string("docs/limits.md", {"table": table})


def _write_table(plans: list[Plan]) -> str:
    head = ["", *(plan.name for plan in plans)]
    rows = [
        [
            "Knowledge bases",
            *(
                "by agreement" if plan.is_by_agreement else _format_number(plan.knowledge_bases)
                for plan in plans
            ),
        ],
        [
            "Size of each base",
            *(
                "by agreement" if plan.is_by_agreement else f"{plan.knowledge_base_gigabytes} GB"
                for plan in plans
            ),
        ],
        ["Total storage", *(format_storage_allowance(plan) for plan in plans)],
        *(
            [f"{NAMES[meter]} per month", *(_format_allowance(plan, meter) for plan in plans)]
            for meter in ALLOWANCES
        ),
        ["Input tokens per minute", *(_format_number(plan.tokens_per_minute) for plan in plans)],
        ["Requests per second, advised", *(_format_number(plan.requests_per_second) for plan in plans)],
        ["Requests per second", *(_format_number(plan.most_requests_per_second) for plan in plans)],
        ["API keys per project", *(_format_number(plan.keys_per_project) for plan in plans)],
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---", *["---:"] * len(plans)], *rows])


def _format_number(value: int) -> str:
    return f"{value:,}"


def _format_allowance(plan: Plan, meter: Meter) -> str:
    allowed = get_monthly_allowance(plan, meter)
    return "no limit" if allowed is None else _format_number(allowed)
