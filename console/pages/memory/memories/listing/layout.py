"""Columns and density of the list, as a member chose them: kept in the browser, so that the first paint is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy

from console.pages.memory.memories.listing.saved_views import read_shown_query
from console.pages.shell.rendering import wants_only_fragment
from console.ui.lists.query_filters import remove_from_query

COOKIE = "memories-layout"
KEPT_SECONDS = 365 * 24 * 3600
COMPACT, COMFORTABLE = "compact", "comfortable"
# In the order of the table, behind the memory itself.
COLUMNS: dict[str, Any] = {
    "kind": gettext_lazy("Kind"),
    "status": gettext_lazy("Status"),
    "subject": gettext_lazy("Subject"),
    "tags": gettext_lazy("Tags"),
    "conversation": gettext_lazy("Conversation"),
    "agent": gettext_lazy("Agent"),
    "app": gettext_lazy("App"),
    "confidence": gettext_lazy("Confidence"),
    "recalled": gettext_lazy("Recalled"),
    "last": gettext_lazy("Last recalled"),
    "created": gettext_lazy("Created"),
    "updated": gettext_lazy("Updated"),
}
USUAL = ("kind", "subject", "confidence", "recalled", "created")
# (order on the first press, on the second) of columns that sort the list; the second is "" where there is none.
SORTED_BY = {
    "confidence": ("confidence", "doubtful"),
    "recalled": ("recalled", ""),
    "created": ("", "oldest"),
    "updated": ("updated", "stale"),
}
ASCENDING = frozenset({"oldest", "stale", "doubtful"})


@dataclass(frozen=True, slots=True)
class Layout:
    columns: tuple[str, ...] = USUAL
    density: str = COMFORTABLE

    @classmethod
    def of(cls, request: HttpRequest) -> Layout:
        density, _, names = request.COOKIES.get(COOKIE, "").partition("|")
        if density not in {COMPACT, COMFORTABLE}:
            return cls()
        return cls(_filter_known_columns(names.split("|")), density)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table as it is now; `url` sorts by it, and `order` says how it does at present."""

    name: str
    title: Any
    is_shown: bool
    url: str = ""
    order: str = ""


def _filter_known_columns(names: list[str]) -> tuple[str, ...]:
    return tuple(name for name in COLUMNS if name in names)


def save_layout(request: HttpRequest) -> HttpResponse:
    """Save the chosen columns and density in a cookie, with which the list opens from now on."""
    density = COMPACT if request.GET.get("density") == COMPACT else COMFORTABLE
    columns = _filter_known_columns(request.GET.getlist("column"))
    query = remove_from_query(
        read_shown_query(request, request.GET.urlencode()), ("layout", "density", "column", "after")
    )
    address = f"{request.path}?{query}" if query else request.path
    response = (
        HttpResponse(headers={"HX-Redirect": address})
        if wants_only_fragment(request)
        else HttpResponseRedirect(address)
    )
    response.set_cookie(
        COOKIE, "|".join([density, *columns]), max_age=KEPT_SECONDS, samesite="Lax", httponly=True
    )
    return response


def build_columns(layout: Layout, sort: str, address_of: Callable[[str], str]) -> list[Column]:
    """All columns; a list that is sorted by a column shows it, whatever was chosen."""
    columns = []
    for name, title in COLUMNS.items():
        orders = SORTED_BY.get(name, ())
        # "" is the order by creation, and no order of columns that turn round no further.
        is_sorted = sort in orders if name == "created" else bool(sort) and sort in orders
        order = ("ascending" if sort in ASCENDING else "descending") if is_sorted else ""
        url = ""
        if orders:
            first, second = orders
            url = address_of(second if is_sorted and sort == first else first)
        columns.append(Column(name, title, name in layout.columns or (is_sorted and sort != ""), url, order))
    return columns
