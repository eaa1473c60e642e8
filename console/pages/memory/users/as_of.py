"""What was remembered of an end user on a date, beside today."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_date

from console.ui.texts.text_diff import compare_texts
from memories.models import MemCube
from memories.retrieval.browse.as_of import compare_with_today
from memories.retrieval.browse.newest_memories import get_oldest_time

# Without a date the page shows this many days ago.
USUAL = timedelta(days=7)
# So many of each list are shown; the counts are of all.
LISTED = 100


def as_of_context(request: HttpRequest, cube: MemCube) -> dict[str, Any]:
    today = timezone.localdate()
    earliest = min(timezone.localdate(get_oldest_time(cube)), today)
    asked = request.GET.get("date", "")
    chosen = _parse_date(asked)
    on = min(chosen or max(today - USUAL, earliest), today)
    compared = compare_with_today(cube, _get_day_end(on))
    return {
        "on": on,
        "earliest": earliest,
        "today": today,
        "days": (today - earliest).days,
        "day": max(0, (on - earliest).days),
        "is_unread": bool(asked) and chosen is None,
        "compared": compared,
        "held": len(compared.gone) + len(compared.changed) + len(compared.same),
        "new": compared.new[:LISTED],
        "gone": compared.gone[:LISTED],
        "changed": [(then, compare_texts(then.text, then.memory.text)) for then in compared.changed[:LISTED]],
        "same": compared.same[:LISTED],
        "most": LISTED,
    }


def _parse_date(text: str) -> date | None:
    """A date of the form 2026-11-25; None for what is none."""
    try:
        return parse_date(text)
    except ValueError:
        return None


def _get_day_end(on: date) -> datetime:
    """The first moment after a day; after today nothing has happened yet."""
    return timezone.make_aware(datetime.combine(on + timedelta(days=1), time()))
