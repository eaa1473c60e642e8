"""Rows of a list that a member chose for one action: the ticked ones, or all that match the filters."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Self
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone

from console.ui.lists.query_values import parse_utc_datetime, parse_uuids

# So many of the chosen rows are shown in a dialog.
SAMPLES = 5
# From here on the count must be typed before anything is deleted.
TYPED_ABOVE = 100


@dataclass(frozen=True, slots=True)
class Selection:
    """`filter` is the list's address as the member saw it; `cutoff` when: what comes or changes later is left alone.

    `excluded` are the rows that were unticked after all that match had been selected.
    """

    ids: list[str]
    everything: bool
    filter: str
    cutoff: datetime
    excluded: list[UUID] = field(default_factory=list)

    @classmethod
    def of(cls, sent: QueryDict) -> Self:
        return cls(
            ids=sent.getlist("ids"),
            everything=sent.get("everything") == "yes",
            filter=sent.get("filter", ""),
            cutoff=parse_cutoff(sent),
            excluded=parse_uuids(sent.getlist("excluded")),
        )


def parse_cutoff(sent: QueryDict) -> datetime:
    """Return when the member saw what is meant: now where nothing valid is sent, and never later."""
    now = timezone.now()
    return min(parse_utc_datetime(sent.get("cutoff", "")) or now, now)
