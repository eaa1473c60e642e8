"""Mapping of Stripe prices to plans."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from tenancy.errors import InvalidParameters
from tenancy.models import Plan

INTERVALS = ("month", "year")


@dataclass(frozen=True, slots=True)
class PriceChoice:
    """A plan and interval (month or year) with the price that is offered now."""

    plan: Plan
    interval: str
    price_id: str


def find_price_choice(plan: str, interval: str) -> PriceChoice:
    """The choice for a plan and an interval. Raises `InvalidParameters` for one that is not sold."""
    listed_plan = Plan.objects.filter(code=plan, is_listed=True).first()
    price = _list_offered_prices().get((plan, interval))
    if listed_plan is None or price is None:
        raise InvalidParameters("this plan is not sold")
    return PriceChoice(listed_plan, interval, price)


def is_sold(plan: Plan, interval: str) -> bool:
    return (plan.code, interval) in _list_offered_prices()


def find_price_plan(price_id: str) -> tuple[str, str] | None:
    """The plan's code and the interval of a price; None for a price that is not configured."""
    prices: dict[str, tuple[str, str]] = settings.STRIPE["PRICES"]
    return prices.get(price_id)


def _list_offered_prices() -> dict[tuple[str, str], str]:
    """The first of several prices is offered; the others are of subscriptions that were sold before."""
    return {bought: price for price, bought in reversed(settings.STRIPE["PRICES"].items())}
