"""Describe the payment state of an account: what happened, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from console.ui.texts.api_words import join_sentence, translate_detail, translate_remedy
from tenancy.billing.values import SubscriptionState
from tenancy.errors import CatalogueError
from tenancy.models.billing import Invoice, Subscription

# After this long the page explains the wait.
LONG = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class BillingWord:
    """`action` names the button under it: "card", "resume" or nothing; `invoice` is the one to pay."""

    look: str
    title: str
    text: str
    action: str = ""
    invoice: UUID | None = None


def build_billing_words(row: Subscription, invoices: list[Invoice], *, came_back: bool) -> list[BillingWord]:
    """Return what the page says above all else, the most urgent first."""
    unpaid = next((invoice.pk for invoice in invoices if invoice.state == "open" and invoice.remaining), None)
    words = []
    if is_confirming(row, came_back=came_back):
        words.append(_describe_confirming(row))
    if (trouble := _describe_trouble(row, unpaid)) is not None:
        words.append(trouble)
    if row.has_pending_change:
        words.append(_describe_pending(unpaid))
    if row.cancels_at is not None and row.state in {
        SubscriptionState.ACTIVE,
        SubscriptionState.TRIALING,
        SubscriptionState.PAST_DUE,
    }:
        words.append(_describe_ending(row))
    return words


def is_confirming(row: Subscription, *, came_back: bool) -> bool:
    """Return whether a change was requested that Stripe has not confirmed yet."""
    return row.awaited_at is not None or (came_back and bool(row.checkout_id))


def describe_failure(failure: CatalogueError) -> str:
    """A failure of the money's: what went wrong, why, and what to do, in the reader's language."""
    heading = _(failure.sentence)
    sentence = join_sentence(heading, translate_detail(failure.detail)) if failure.detail else heading
    return f"{_('%(sentence)s.') % {'sentence': sentence.rstrip('.')}} {translate_remedy(failure.cure)}"


def _describe_confirming(row: Subscription) -> BillingWord:
    title = _("Confirming…")
    if row.awaited_at is not None and row.awaited_at < timezone.now() - LONG:
        text = _("Stripe has not confirmed this yet. We check every minute. You do not need to do anything.")
        return BillingWord("warn", title, text)
    return BillingWord("info", title, _("Waiting for Stripe to confirm. This page updates within seconds."))


def _describe_trouble(row: Subscription, unpaid: UUID | None) -> BillingWord | None:
    if row.state == SubscriptionState.PAST_DUE:
        text = _(
            "Stripe retries over the next days. Until then everything keeps working; if payment fails, the "
            "account moves to the free plan. Use another card, or pay the invoice."
        )
        return BillingWord("bad", _("The last payment failed"), text, "card", unpaid)
    if row.state == SubscriptionState.UNPAID:
        text = _(
            "Every attempt to collect failed, so the account is on the free plan. Nothing is deleted: pay the invoice"
            " and the plan comes back."
        )
        return BillingWord("bad", _("The subscription is not paid"), text, "card", unpaid)
    if row.state == SubscriptionState.INCOMPLETE:
        text = _("The bank wants the first payment to be confirmed. Do it on the invoice within 23 hours.")
        return BillingWord("warn", _("The first payment is not complete"), text, "", unpaid)
    if row.state == SubscriptionState.INCOMPLETE_EXPIRED:
        text = _("It was not completed in time, and nothing was charged. Choose a plan to try again.")
        return BillingWord("warn", _("The first payment was not made"), text)
    if row.state == SubscriptionState.PAUSED:
        text = _("Stripe paused it because no card is known. Give a card, and the plan comes back.")
        return BillingWord("warn", _("The subscription is paused"), text, "card")
    if row.state == SubscriptionState.CANCELED:
        text = _("Stored data is kept, within the limits of the current plan. Choose a plan to continue.")
        return BillingWord("info", _("The subscription has ended"), text)
    return None


def _describe_pending(unpaid: UUID | None) -> BillingWord:
    text = _(
        "The payment for it was refused, or the bank wants it to be confirmed. The plan stays as it is until the"
        " invoice is paid; after a day the change is dropped."
    )
    return BillingWord("bad", _("The change of plan waits for its payment"), text, "card", unpaid)


def _describe_ending(row: Subscription) -> BillingWord:
    day = formats.date_format(timezone.localtime(row.cancels_at), "DATE_FORMAT")
    title = _("The subscription ends on %(day)s") % {"day": day}
    text = _(
        "Until then everything works as before. Then the account moves to the free plan; nothing is deleted."
    )
    return BillingWord("warn", title, text, "resume")
