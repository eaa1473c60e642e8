"""Billing errors as shown to the owner of an account. The API raises none of them."""

from __future__ import annotations

from tenancy.errors import Conflict, InvalidParameters, OperationFailed


class PaymentRefused(InvalidParameters):
    message = "The payment was refused"
    remedy = "Nothing was changed. Try another card, or ask the bank that issued it."


class BillingRefused(InvalidParameters):
    message = "The payment provider refused this"
    remedy = "Nothing was changed. Reload the page; if the problem remains, contact the operator of this installation."


class PaymentsUnavailable(OperationFailed):
    message = "The payment provider cannot be reached"
    remedy = "Try again in a few minutes; nothing is charged twice."


class PaidAlready(Conflict):
    message = "This account has a subscription already"
    remedy = "Change its plan instead of buying another."


class NothingPaid(Conflict):
    message = "This account has no subscription"
    remedy = "Choose a plan first."


class PreviewOutdated(Conflict):
    message = "This preview has expired"
    remedy = "Check the new amount again."


class PaymentUnderway(Conflict):
    message = "A payment of this account is being confirmed"
    remedy = "Wait a minute and look at the page again."


class PaymentOpen(Conflict):
    message = "An invoice of this subscription is not paid"
    remedy = "Pay it first, then change the plan."


class SubscriptionEnds(Conflict):
    message = "This subscription was cancelled and runs out"
    remedy = "Resume it first, then change the plan."
