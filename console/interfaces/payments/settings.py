"""Read the settings of Stripe from the environment."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from console.configuration import environment

STRIPE = "https://api.stripe.com"


@dataclass(frozen=True, slots=True)
class Stripe:
    """Settings of the collection of payments; without a key, operators grant plans. `prices` are ids by (plan,
    interval)."""

    secret_key: str
    webhook_secrets: list[str]
    api_base: str
    prices: dict[str, tuple[str, str]]


def read_stripe_settings() -> Stripe:
    settings = Stripe(
        secret_key=environment.read_secret("STRIPE_SECRET_KEY", ""),
        webhook_secrets=environment.read_lines("STRIPE_WEBHOOK_SECRETS"),
        api_base=environment.read_url("STRIPE_API_BASE", STRIPE, {"http", "https"}).rstrip("/"),
        prices=parse_stripe_prices(environment.read_names("STRIPE_PRICES")),
    )
    given = {bool(settings.secret_key), bool(settings.webhook_secrets), bool(settings.prices)}
    if len(given) > 1:
        raise ImproperlyConfigured("STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRETS and STRIPE_PRICES go together.")
    return settings


def parse_stripe_prices(listed: list[str]) -> dict[str, tuple[str, str]]:
    """Parse entries like pro:month=price_1Ab into plan code and interval, by the price's id.

    The first price of a plan and interval is the one on offer; later ones belong to subscriptions sold before.
    """
    prices = {}
    for entry in listed:
        bought, _, price = entry.partition("=")
        plan, _, interval = bought.partition(":")
        if not plan or interval not in {"month", "year"} or not price:
            raise ImproperlyConfigured(
                f"STRIPE_PRICES lists plan:month=price or plan:year=price, not {entry!r}."
            )
        prices[price] = (plan, interval)
    return prices


def list_stripe_origins() -> list[str]:
    """The origins of Stripe's pages that a form of ours may lead to."""
    settings = read_stripe_settings()
    if not settings.secret_key:
        return []
    usual = ("https://checkout.stripe.com", "https://billing.stripe.com")
    return environment.read_names(
        "STRIPE_PAGES", usual if settings.api_base == STRIPE else (settings.api_base,)
    )
