"""The tabs of a page that shows one thing in several parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tab:
    """One part of the page; `count` is None where its rows are not counted."""

    name: str
    title: str
    url: str
    count: int | None = None


def build_tabs(
    titles: Mapping[str, str], url_of: Callable[[str], str], counts: Mapping[str, int] | None = None
) -> list[Tab]:
    """Build tabs in the order of `titles`, whose keys are the names of the tabs."""
    return [Tab(name, title, url_of(name), (counts or {}).get(name)) for name, title in titles.items()]


def build_tab_url(address: str, tab: str, first: str) -> str:
    """The address of a tab; the first one has the page's own."""
    return f"{address}?tab={tab}" if tab and tab != first else address
