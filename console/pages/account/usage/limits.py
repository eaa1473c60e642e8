"""The limits of an account beside its usage, read from where they are enforced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.account.usage.storage import format_storage_allowance, load_storage
from console.pages.shell.access import account_view
from console.pages.shell.rendering import show_page
from console.templatetags.console import num
from knowledgebase.models import KnowledgeBase
from knowledgebase.processing.parse_file import MAX_PAGES
from memories.api.chat_stream import MAX_STREAMS
from memories.api.serializers.messages import MAX_MESSAGES
from memories.files.values import MAX_FILES
from memories.settings.search_defaults import MOST_ITEMS
from skills.packages.limits import MAX_SKILL_MD, MAX_ZIP
from tenancy import errors
from tenancy.api.bodies.body_limit import MAX_FILE, MAX_FILES_TOTAL
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.meters import ALLOWANCES, NAMES, Meter
from tenancy.metering.rate_limits import MAX_CALL_TOKENS
from tenancy.metering.usage import Standing, list_meter_standings
from tenancy.models import Account, Plan
from tenancy.requests.delete_expired import REQUEST_LOGS
from tenancy.requests.idempotency import STORED_ANSWERS

MEGABYTE = 1024**2
REFUSALS: dict[Meter, type[errors.CatalogueError]] = {
    Meter.CHAT_INPUT: errors.ChatRequestQuotaExceeded,
    Meter.CHAT_OUTPUT: errors.ChatResponseQuotaExceeded,
}


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One of them. `now` is what stands against it, `refusal` what a call beyond it is answered."""

    what: str
    most: str
    now: str = ""
    refusal: type[errors.CatalogueError] | None = None


@dataclass(frozen=True, slots=True)
class LimitGroup:
    title: str
    limits: list[LimitRow]

    @property
    def is_measured(self) -> bool:
        """Return whether anything stands against one of them."""
        return any(limit.now for limit in self.limits)


@account_view("see")
@require_safe
def limits(request: HttpRequest, account: Account) -> HttpResponse:
    with tenant_scope(Scope.of_account(account)):
        return show_page(
            request, "console/account/limits/page.html", {"account": account, "parts": _list_parts(account)}
        )


def _list_parts(account: Account) -> list[LimitGroup]:
    return [
        LimitGroup(_("Per month"), _list_monthly_limits(list_meter_standings(account))),
        LimitGroup(_("Storage"), _list_storage_limits(account)),
        LimitGroup(_("Rates"), _list_rate_limits(account.plan)),
        LimitGroup(_("Per call"), _list_call_limits()),
        LimitGroup(_("Knowledge bases and uploads"), [*_list_base_limits(account), *_list_upload_limits()]),
        LimitGroup(_("Keys and retention"), _list_retention_limits(account.plan)),
    ]


def _list_monthly_limits(standings: Iterable[Standing]) -> list[LimitRow]:
    return [
        LimitRow(
            str(NAMES[standing.meter]),
            _("no limit") if standing.allowed is None else num(standing.allowed),
            num(standing.used),
            REFUSALS.get(standing.meter, errors.CallQuotaExceeded),
        )
        for standing in standings
        if standing.meter in ALLOWANCES
    ]


def _list_storage_limits(account: Account) -> list[LimitRow]:
    used = filesizeformat(load_storage(account).used)
    return [LimitRow(_("Total storage"), format_storage_allowance(account.plan), used, errors.StorageFull)]


def _list_rate_limits(plan: Plan) -> list[LimitRow]:
    return [
        LimitRow(_("Requests per second, advised"), num(plan.requests_per_second)),
        LimitRow(_("Requests per second"), num(plan.most_requests_per_second), "", errors.RateLimited),
        LimitRow(_("Input tokens per minute"), num(plan.tokens_per_minute), "", errors.TokenRateExceeded),
        LimitRow(_("Concurrent streamed answers"), num(MAX_STREAMS), "", errors.RateLimited),
    ]


def _list_call_limits() -> list[LimitRow]:
    return [
        LimitRow(_("Input tokens"), num(MAX_CALL_TOKENS), "", errors.TooManyTokens),
        LimitRow(_("Messages"), num(MAX_MESSAGES), "", errors.TooManyMessages),
        LimitRow(_("Items of each kind in a search"), num(MOST_ITEMS), "", errors.InvalidParameters),
    ]


def _list_base_limits(account: Account) -> list[LimitRow]:
    plan = account.plan
    sizes = KnowledgeBase.objects.within(account).filter(deleted_at=None).order_by("-bytes_used")
    used = list(sizes.values_list("bytes_used", flat=True))
    largest = _("the largest: %(size)s") % {"size": filesizeformat(used[0])} if used else ""
    own = " · " + _("more by agreement") if plan.is_by_agreement else ""
    return [
        LimitRow(
            _("Knowledge bases"), num(plan.knowledge_bases) + own, num(len(used)), errors.PlanLimitReached
        ),
        LimitRow(
            _("Size of each base"),
            f"{num(plan.knowledge_base_gigabytes)} GB" + own,
            largest,
            errors.PlanLimitReached,
        ),
    ]


def _list_upload_limits() -> list[LimitRow]:
    return [
        LimitRow(_("Files per upload"), num(MAX_FILES), "", errors.TooManyFiles),
        LimitRow(_("Size of a file"), f"{num(MAX_FILE / MEGABYTE)} MB", "", errors.FileTooLarge),
        LimitRow(_("Size of an upload"), f"{num(MAX_FILES_TOTAL / MEGABYTE)} MB", "", errors.FilesTooLarge),
        LimitRow(_("Pages per document"), num(MAX_PAGES)),
        LimitRow(_("Size of a skill's text"), f"{num(MAX_SKILL_MD / 1024)} KB", "", errors.FileTooLarge),
        LimitRow(_("Size of a skill's package"), f"{num(MAX_ZIP / MEGABYTE)} MB", "", errors.FileTooLarge),
    ]


def _list_retention_limits(plan: Plan) -> list[LimitRow]:
    days = _("%(days)s days") % {"days": num(REQUEST_LOGS.days)}
    hours = _("%(hours)s hours") % {"hours": num(STORED_ANSWERS.total_seconds() / 3600)}
    return [
        LimitRow(_("API keys per project"), num(plan.keys_per_project), "", errors.InvalidParameters),
        LimitRow(_("Request logs kept for"), days),
        LimitRow(_("Idempotent answers kept for"), hours),
    ]
