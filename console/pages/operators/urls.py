"""URLs of the operators' own pages, beside those of Django's admin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from console.pages.operators import account_changes, accounts, health, queues, slow_requests, storage, visits

if TYPE_CHECKING:
    from console.pages.operators.site import OperatorSite

PAGES = [
    ("tenancy/account/", accounts.accounts, "tenancy_account_changelist"),
    ("tenancy/account/<uuid:account_id>/change/", accounts.account, "tenancy_account_change"),
    ("tenancy/account/<uuid:account_id>/grant/", account_changes.account_grant, "account_grant"),
    ("tenancy/account/<uuid:account_id>/plan/", account_changes.account_plan, "account_plan"),
    ("tenancy/account/<uuid:account_id>/visit/", visits.account_visit, "account_visit"),
    ("visit/end/", visits.visit_end, "visit_end"),
    ("queues/", queues.queues_page, "queues"),
    ("queues/run-again/", queues.tasks_run_again, "tasks_run_again"),
    ("slow/", slow_requests.slow_requests, "slow_requests"),
    ("storage/", storage.storage, "storage"),
    ("health/", health.health, "health"),
]


def build_url_patterns(site: OperatorSite) -> list[URLPattern]:
    """Build URLs that come before those of the models: an account's page replaces Django's own form."""
    return [path(route, site.admin_view(view), name=name) for route, view, name in PAGES]
