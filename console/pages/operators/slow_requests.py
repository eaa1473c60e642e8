"""Response times by route, and the slowest requests by their ids. No body is read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.operators.accounts import as_id, load_account
from console.pages.operators.guard import operator_page, show_operator
from console.ui.lists.query_values import Select, parse_choice, parse_search_words
from tenancy.models import Account
from tenancy.requests.latency import Timings, load_all_route_timings, load_route_timings

# Over all accounts no further back: each account's log is read for itself.
WINDOWS = {"15m": timedelta(minutes=15), "1h": timedelta(hours=1), "24h": timedelta(hours=24)}
OF_ONE = WINDOWS | {"7d": timedelta(days=7)}


@operator_page("tenancy.view_requestlog")
@require_safe
def slow_requests(request: HttpRequest) -> HttpResponse:
    key = as_id(request.GET.get("account", ""))
    account = load_account(key) if key else None
    windows = OF_ONE if account else WINDOWS
    window = parse_choice(request.GET.get("range", ""), windows) or "1h"
    endpoint = parse_search_words(request.GET.get("endpoint", ""), 60)
    since = timezone.now() - windows[window]
    timings = (
        load_route_timings(account, since, endpoint) if account else load_all_route_timings(since, endpoint)
    )
    context = {
        "timings": timings,
        "account": account,
        "endpoint": endpoint,
        "calls": _name_accounts(timings),
        "select": Select("range", _("Time"), window, [(name, NAMES[name]()) for name in windows]),
    }
    return show_operator(request, "slow", _("Slow requests"), context)


NAMES: dict[str, Any] = {
    "15m": lambda: _("Last 15 minutes"),
    "1h": lambda: _("Last hour"),
    "24h": lambda: _("Last 24 hours"),
    "7d": lambda: _("Last 7 days"),
}


def _name_accounts(timings: Timings) -> list[tuple[Any, Account | None]]:
    accounts = Account.objects.in_bulk({call.account for call in timings.calls})
    return [(call, accounts.get(call.account)) for call in timings.calls]
