"""Rows that a member chose for one action."""

from __future__ import annotations

from datetime import timedelta

from django.http import QueryDict
from django.utils import timezone

from console.ui.lists.selection import Selection


def test_selection_reads_what_a_list_sends() -> None:
    seen = timezone.now() - timedelta(minutes=3)
    sent = QueryDict(mutable=True)
    sent.update({"everything": "yes", "filter": "q=tea", "cutoff": seen.isoformat()})
    sent.setlist("ids", ["1", "2"])
    assert Selection.of(sent) == Selection(["1", "2"], True, "q=tea", seen)


def test_selection_ends_now_at_the_latest() -> None:
    for cutoff in ("", "yesterday", (timezone.now() + timedelta(days=1)).isoformat()):
        sent = QueryDict(mutable=True)
        sent["cutoff"] = cutoff
        selection = Selection.of(sent)
        assert timedelta(0) <= timezone.now() - selection.cutoff < timedelta(minutes=1)
