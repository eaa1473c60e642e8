"""Chinese spans of days of which the month is named once: 7月4号到11号."""

from __future__ import annotations

import re

MONTH_OF_YEAR = "[0-9]{1,2}|[一二三四五六七八九十]{1,2}"
_SINCE = re.compile(
    rf"(?P<month>{MONTH_OF_YEAR})月份?(?:[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号]?(?:到|至|[-—~])$"
)
# No beginning of a span is longer.
_LONGEST = 16


def find_month_of_range(match: re.Match[str]) -> str:
    """The month of the day that a span begins with, which ends on the day of the match; "" for no span."""
    before = match.string[max(0, match.start() - _LONGEST) : match.start()]
    since = _SINCE.search(before)
    return since["month"] if since else ""
