"""Accounts as operators see them: the list, and one with its people, projects, quotas and last requests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.account.audit.entry_text import build_entries
from console.pages.account.members.members_list import with_factors
from console.pages.operators.figures import build_account_rows, count_stored
from console.pages.operators.guard import operator_page, show_operator
from console.pages.shell.access import ROLE_NAMES
from console.ui.lists.paging import load_page
from console.ui.lists.query_values import Select, parse_choice, parse_search_words
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.meters import NAMES
from tenancy.metering.usage import list_meter_standings
from tenancy.models import Account, ApiKey, AuditEvent, Membership, Plan, Project, Role
from tenancy.people.operator_grants import list_grants
from tenancy.requests.latency import load_routes

# Each row is counted in a scope of its own.
PAGE = 25
LATELY = timedelta(hours=24)
SHOWN_EVENTS = 10


@operator_page("tenancy.view_account")
@require_safe
def accounts(request: HttpRequest) -> HttpResponse:
    plans = list(Plan.objects.values_list("code", "name"))
    q = parse_search_words(request.GET.get("q", ""), 200)
    plan = parse_choice(request.GET.get("plan", ""), dict(plans))
    page = load_page(request, _find_accounts(q, plan), size=PAGE)
    context = {
        "rows": build_account_rows(page.rows),
        "q": q,
        "select": Select("plan", _("Plan"), plan, [("", _("Any plan")), *plans]),
        "caption": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "clear_url": request.path,
    }
    return show_operator(request, "accounts", _("Accounts"), context)


def _find_accounts(q: str, plan: str) -> QuerySet[Account]:
    """Find accounts by name, a member's address, the first characters of a key, or the id of an account or project."""
    accounts = Account.objects.select_related("plan")
    if plan:
        accounts = accounts.filter(plan=plan)
    if not q:
        return accounts
    members = Membership.objects.filter(account=OuterRef("pk"), user__email__istartswith=q)
    wanted = Q(name__icontains=q) | Q(Exists(members))
    if key := as_id(q):
        wanted |= Q(pk=key) | Q(pk__in=Project.objects.filter(pk=key).values("account_id"))
    if q.startswith("mpg-"):
        wanted |= Q(pk__in=ApiKey.objects.filter(public_id=q[:8]).values("account_id"))
    return accounts.filter(wanted)


def as_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


@operator_page("tenancy.view_account")
@require_safe
def account(request: HttpRequest, account_id: UUID) -> HttpResponse:
    account = load_account(account_id)
    context = {"account": account, "people": _list_people(account), "projects": _list_projects(account)}
    return show_operator(request, "account", account.name, context | _load_inside_figures(account))


def load_account(account_id: UUID) -> Account:
    account = Account.objects.select_related("plan").filter(pk=account_id).first()
    if account is None:
        raise Http404
    return account


def _list_people(account: Account) -> list[tuple[Membership, str]]:
    members = with_factors(account.memberships.select_related("user")).order_by("created_at")
    return [(member, str(ROLE_NAMES[Role(member.role)])) for member in members]


def _list_projects(account: Account) -> list[Project]:
    live = Count("api_keys", filter=Q(api_keys__revoked_at=None))
    return list(account.projects.annotate(live_keys=live, last_used_at=Max("api_keys__last_used_at")))


def _load_inside_figures(account: Account) -> dict[str, Any]:
    """Figures under row-level security, read in the account's scope."""
    with tenant_scope(account):
        events = AuditEvent.objects.within(account).filter(actor_kind="operator")
        latest = list(events.order_by("-created_at", "-pk")[:SHOWN_EVENTS])
        return {
            "standings": [(standing, NAMES[standing.meter]) for standing in list_meter_standings(account)],
            "grants": [(event, NAMES.get(event.detail["meter"], "")) for event in list_grants(account)],
            "stored": count_stored(account),
            "timings": load_routes(account, timezone.now() - LATELY),
            "entries": build_entries(account, latest),
        }


def build_account_url(account: Account) -> str:
    return reverse("admin:tenancy_account_change", args=[account.pk])
