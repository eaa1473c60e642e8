"""Amounts of money, and badges of invoices."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.translation import gettext_lazy

from console.templatetags.console import num

register = template.Library()

SIGNS = {"usd": "$", "eur": "€", "gbp": "£", "cny": "¥", "jpy": "¥"}
# Of these the smallest unit is the whole one.
WHOLE = frozenset({"jpy", "krw", "vnd", "clp", "isk", "ugx", "xaf", "xof", "pyg", "rwf"})
INVOICES: dict[str, tuple[Any, str, str]] = {
    "paid": (gettext_lazy("Paid"), "ok", "circle-check"),
    "open": (gettext_lazy("To be paid"), "bad", "circle-alert"),
    "uncollectible": (gettext_lazy("Not paid"), "bad", "circle-x"),
    "void": (gettext_lazy("Void"), "strike", "circle-x"),
}


@register.filter
def money(amount: int | None, currency: str = "usd") -> str:
    """An amount in its currency's smallest unit, as people write it."""
    if amount is None:
        return "–"
    shown = num(abs(amount)) if currency in WHOLE else num(abs(amount) / 100, 2)
    sign = "−" if amount < 0 else ""
    known = SIGNS.get(currency)
    return f"{sign}{known}{shown}" if known else f"{sign}{shown} {currency.upper()}"


@register.inclusion_tag("console/ui/badge.html")
def invoice_badge(state: str) -> dict[str, Any]:
    label, look, mark = INVOICES.get(state, (state, "plain", "circle-dashed"))
    return {"label": label, "look": look, "icon": mark}
