"""Exact times of requests."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from console.templatetags.console import num

register = template.Library()


@register.filter
def clock(timestamp: datetime, precision: str = "") -> SafeString:
    """Month, day and time in UTC to a tenth of a second, "11-25 03:42:21.8"; with "ms" year and milliseconds too, with
    "s" neither year nor parts of a second."""
    at = timestamp.astimezone(UTC)
    whole = f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"
    shown = {"ms": whole, "s": whole[5:-4]}.get(precision, whole[5:-2])
    return format_html('<time datetime="{}" title="{} UTC">{}</time>', at.isoformat(), whole, shown)


@register.filter
def milliseconds(value: float) -> str:
    """Exact to a tenth, however long it was: times of requests are compared."""
    return _("%(milliseconds)s ms") % {"milliseconds": num(value, 1)}
