"""Usage of an account: what is left of the month, and who used what on which day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.pages.account.usage.alerts import AlertForm, build_alert_context
from console.pages.account.usage.model_use import load_model_use
from console.pages.account.usage.storage import load_storage
from console.pages.account.usage.usage_chart import OUTCOME, build_usage_chart
from console.pages.account.usage.usage_file import build_file_response
from console.pages.shell.access import account_view, get_person
from console.pages.shell.rendering import render_page
from console.ui.lists.query_values import Select, parse_choice, parse_search_words
from tenancy.api.member_calls import CONSOLE_KEY
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.meters import NAMES, TOKENS, Meter
from tenancy.metering.quota import get_first_of_month, get_next_month
from tenancy.metering.usage import (
    Grouping,
    Standing,
    UsageFilter,
    UsageSums,
    get_today,
    list_leading_subjects,
    list_meter_standings,
    sum_usage,
)
from tenancy.models import Account, ApiKey, Project
from tenancy.requests.recent_figures import load_recent_requests

# As many rows of one grouping as a page shows; the file has them all.
MOST_ROWS = 100


def _get_date_range(name: str, now: date) -> tuple[date, date]:
    lasts = {"7d": 7, "30d": 30, "90d": 90}
    if name in lasts:
        return now - timedelta(days=lasts[name] - 1), now
    if name == "last":
        end = get_first_of_month(now) - timedelta(days=1)
        return get_first_of_month(end), end
    return get_first_of_month(now), now


@dataclass(frozen=True, slots=True)
class Filters:
    """As the address holds them; what is made up or another account's filters nothing, and neither does a key where
    end users are asked for: which key was used for whom is not stored."""

    range: str
    project: str
    key: str
    api: str
    user: str
    by: str
    stack: str

    @property
    def grouping(self) -> Grouping:
        return Grouping(self.by or Grouping.METER)

    def build_filter(self, now: date, *, with_tokens: bool = False) -> UsageFilter:
        first, last = _get_date_range(self.range, now)
        return UsageFilter(
            first,
            last,
            project=UUID(self.project) if self.project else None,
            key=UUID(self.key) if self.key else None,
            meter=Meter(self.api) if self.api else None,
            subject=self.user,
            with_tokens=with_tokens,
        )


@dataclass(frozen=True, slots=True)
class UsageNames:
    """Names of the account's projects and keys, in the member's language: a file is written without its request."""

    projects: dict[str, str]
    keys: dict[str, str]
    deleted_project: str
    deleted_key: str

    @classmethod
    def of(cls, account: Account) -> UsageNames:
        projects = Project.objects.filter(account=account).order_by("name").values_list("pk", "name")
        keys = (
            ApiKey.objects.filter(account=account).order_by("name").values_list("pk", "name", "project__name")
        )
        return cls(
            {str(pk): name for pk, name in projects},
            {str(pk): f"{project} / {name}" for pk, name, project in keys} | {str(CONSOLE_KEY): _("Console")},
            deleted_project=_("deleted project"),
            deleted_key=_("deleted key"),
        )

    def name(self, grouping: Grouping, value: Any) -> str:
        if grouping == Grouping.METER:
            return str(NAMES[Meter(value)])
        if grouping == Grouping.PROJECT:
            return self.projects.get(str(value), self.deleted_project)
        if grouping == Grouping.KEY:
            return self.keys.get(str(value), self.deleted_key)
        return value.isoformat() if isinstance(value, date) else str(value).partition(":")[2]


@dataclass(frozen=True, slots=True)
class UsageLine:
    name: str
    used: int
    refused: int | None
    is_tokens: bool = False


@dataclass(frozen=True, slots=True)
class Gauge:
    """A meter of this month, drawn as a bar."""

    name: str
    standing: Standing

    @property
    def look(self) -> str:
        return "bad" if self.standing.percent >= 100 else "warn" if self.standing.percent >= 80 else ""

    @property
    def will_run_out(self) -> bool:
        allowed = self.standing.allowed
        return allowed is not None and self.standing.forecast > allowed > self.standing.used


@account_view("see", changing="edit_account")
@require_http_methods(["GET", "HEAD", "POST"])
def usage(request: HttpRequest, account: Account) -> HttpResponseBase:
    """A POST changes at which thresholds mails are sent."""
    form = AlertForm.of(account, request.POST if request.method == "POST" else None)
    if form.is_valid():
        form.save(account, get_person(request))
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(f"{request.get_full_path()}#alerts")
    with tenant_scope(Scope.of_account(account)):
        return _render_usage(request, account, form)


def _render_usage(request: HttpRequest, account: Account, form: AlertForm) -> HttpResponseBase:
    names = UsageNames.of(account)
    filters = _read_filters(request, names)
    if request.GET.get("format") == "csv":
        of_subjects = bool(filters.user) or filters.grouping == Grouping.SUBJECT
        wanted = filters.build_filter(get_today(), with_tokens=True)
        return build_file_response(account, wanted, names.name, of_subjects=of_subjects)
    now = get_today()
    wanted = filters.build_filter(now, with_tokens=filters.grouping == Grouping.METER)
    usage, groups = _load_groups(account, wanted, filters.grouping)
    rows = _build_rows(usage, filters.grouping, names)
    reset = get_next_month(now)
    context = {
        "account": account,
        "filters": filters,
        "selects": _selects(filters, names),
        "gauges": [Gauge(str(NAMES[standing.meter]), standing) for standing in list_meter_standings(account)],
        **build_alert_context(request, form),
        "storage": load_storage(account),
        "reset": datetime(reset.year, reset.month, reset.day),
        "chart": build_usage_chart(account, filters.build_filter(now), filters.stack),
        "charted": NAMES[Meter(filters.api)] if filters.api else _("Calls"),
        "models": load_model_use(account, wanted),
        **_load_response_times(filters, names),
        "rows": rows[:MOST_ROWS],
        "more": max(0, groups - MOST_ROWS),
        "grouped_by": dict(_list_groupings())[filters.grouping.value],
        "knows_refused": filters.grouping != Grouping.SUBJECT and not filters.user,
        "file_url": f"?{_build_download_query(request)}",
    }
    page, fragment = "console/account/usage/page.html", "console/account/usage/_result.html"
    return render_page(request, page, fragment, context, 422 if form.errors else 200)


def _load_response_times(filters: Filters, names: UsageNames) -> dict[str, Any]:
    """Load the response times of the last day, for the chosen project or for all."""
    projects = [UUID(filters.project)] if filters.project else [UUID(key) for key in names.projects]
    recent_requests = load_recent_requests(projects, timezone.now())
    return {
        "recent": recent_requests,
        "routes": recent_requests.list_routes(),
        "everything": recent_requests.total,
    }


def _load_groups(
    account: Account, wanted: UsageFilter, grouping: Grouping
) -> tuple[dict[tuple[Any, ...], UsageSums], int]:
    """The sums of the groups that are shown, and how many groups there are."""
    if grouping == Grouping.SUBJECT:
        leading, groups = list_leading_subjects(account, wanted, MOST_ROWS)
        return {(subject,): UsageSums(used) for subject, used in leading.items()}, groups
    usage = sum_usage(account, wanted, [grouping])
    return usage, len(usage)


def _build_download_query(request: HttpRequest) -> str:
    asked = request.GET.copy()
    asked["format"] = "csv"
    return asked.urlencode()


def _read_filters(request: HttpRequest, names: UsageNames) -> Filters:
    asked = request.GET
    user = parse_search_words(asked.get("user", ""), 100)
    by = parse_choice(asked.get("by", ""), set(Grouping))
    of_users = bool(user) or by == Grouping.SUBJECT
    return Filters(
        range=parse_choice(asked.get("range", ""), {"last", "7d", "30d", "90d"}),
        project=parse_choice(asked.get("project", ""), names.projects),
        key="" if of_users else parse_choice(asked.get("key", ""), names.keys),
        api=parse_choice(asked.get("api", ""), set(Meter)),
        user=f"end_user:{user}" if user else "",
        by=by,
        stack=parse_choice(asked.get("stack", ""), {OUTCOME}),
    )


def _build_rows(
    usage: dict[tuple[Any, ...], UsageSums], grouping: Grouping, names: UsageNames
) -> list[UsageLine]:
    ordered = sorted(usage.items(), key=lambda item: (-item[1].used, str(item[0])))
    if grouping == Grouping.DAY:
        ordered = sorted(usage.items(), reverse=True)
    return [
        UsageLine(
            names.name(grouping, value),
            sums.used,
            sums.refused,
            is_tokens=grouping == Grouping.METER and value in TOKENS,
        )
        for (value,), sums in ordered
    ]


def _list_groupings() -> list[tuple[str, str]]:
    return [
        (Grouping.METER.value, _("API")),
        (Grouping.DAY.value, _("Day")),
        (Grouping.PROJECT.value, _("Project")),
        (Grouping.KEY.value, _("API key")),
        (Grouping.SUBJECT.value, _("End user or agent")),
    ]


def _selects(filters: Filters, names: UsageNames) -> list[Select]:
    ranges = [
        ("", _("This month")),
        ("last", _("Last month")),
        ("7d", _("Last 7 days")),
        ("30d", _("Last 30 days")),
        ("90d", _("Last 90 days")),
    ]
    meters = [(meter.value, str(NAMES[meter])) for meter in Meter]
    return [
        Select("range", _("Time"), filters.range, ranges),
        Select("by", _("Grouped by"), filters.by, [("", _("By API")), *_list_other_groupings()]),
        Select(
            "stack",
            _("Chart"),
            filters.stack,
            [("", _("Stacked by API")), (OUTCOME, _("Stacked by outcome"))],
        ),
        Select("api", _("API"), filters.api, [("", _("Every API")), *meters]),
        Select("project", _("Project"), filters.project, [("", _("Every project")), *names.projects.items()]),
        Select("key", _("API key"), filters.key, [("", _("Every key")), *names.keys.items()]),
    ]


def _list_other_groupings() -> list[tuple[str, str]]:
    return [
        (Grouping.DAY.value, _("By day")),
        (Grouping.PROJECT.value, _("By project")),
        (Grouping.KEY.value, _("By key")),
        (Grouping.SUBJECT.value, _("By end user")),
    ]
