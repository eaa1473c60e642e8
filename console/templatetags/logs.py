"""Exact times of requests."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def clock(timestamp: datetime, precision: str = "") -> SafeString:
    """Month, day and time in UTC to a tenth of a second, "11-25 03:42:21.8"; with "ms" year and milliseconds too."""
    at = timestamp.astimezone(UTC)
    whole = f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"
    shown = whole if precision == "ms" else whole[5:-2]
    return format_html('<time datetime="{}" title="{} UTC">{}</time>', at.isoformat(), whole, shown)
