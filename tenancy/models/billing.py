"""Tables of billing: the state of each account at Stripe, received events, and plan applications.

Three of them have no row-level security. Customers and events are read before a tenant is known; applications are read
by operators across accounts. None holds personal texts.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.models.account import Account
from tenancy.models.plan import Plan
from tenancy.models.usage import AccountRow
from tenancy.models.user import User

# Stripe promises that its ids are never longer.
STRIPE_ID = 255


class StripeCustomer(models.Model):
    """An account as Stripe knows it, and when it is to be read there again."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="+")
    customer_id = models.CharField(max_length=STRIPE_ID, unique=True)
    last_event_id = models.CharField(
        max_length=STRIPE_ID, blank=True, db_default="", default="", db_column="heard_of"
    )
    due_at = models.DateTimeField(
        null=True, help_text="When it is read again; empty while nothing is known to change."
    )
    read_at = models.DateTimeField(null=True, help_text="When the reading began that is stored.")

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="customer_due", condition=models.Q(due_at__isnull=False)),
            models.Index(fields=["read_at"], name="customer_by_reading"),
        ]


class StripeEvent(models.Model):
    """An event that had its effect: the same one again has none."""

    id = models.CharField(primary_key=True, max_length=STRIPE_ID)
    kind = models.CharField(max_length=100)
    customer_id = models.CharField(max_length=STRIPE_ID)
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["received_at"], name="event_by_age")]


class PlanApplication(models.Model):
    """An owner asks for a plan, and an operator decides: where plans are not paid by card."""

    class State(models.TextChoices):
        OPEN = "open"
        GRANTED = "granted"
        REFUSED = "refused"
        CANCELLED = "withdrawn", "Withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+")
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    applied_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["account"], condition=models.Q(state="open"), name="one_open_application_per_account"
            )
        ]

    def __str__(self) -> str:
        return f"{self.account}: {self.plan} ({self.state})"


class Subscription(AccountRow):
    """Subscription of an account, as Stripe last described it.

    `gives` is the plan that it stands for, while it does. What is `awaited` was asked of Stripe and not confirmed yet.
    """

    subscription_id = models.CharField(max_length=STRIPE_ID, blank=True)
    item_id = models.CharField(max_length=STRIPE_ID, blank=True)
    state = models.CharField(max_length=30, blank=True)
    price_id = models.CharField(max_length=STRIPE_ID, blank=True)
    gives = models.ForeignKey(Plan, null=True, on_delete=models.PROTECT, related_name="+")
    interval = models.CharField(max_length=10, blank=True)
    period_end = models.DateTimeField(null=True)
    cancels_at = models.DateTimeField(null=True)
    has_pending_change = models.BooleanField(default=False, db_default=False)
    card_brand = models.CharField(max_length=30, blank=True)
    card_last_four = models.CharField(max_length=4, blank=True)
    card_expires = models.CharField(max_length=7, blank=True)
    tax_id = models.CharField(max_length=60, blank=True)
    next_amount = models.BigIntegerField(null=True)
    next_at = models.DateTimeField(null=True)
    currency = models.CharField(max_length=3, blank=True)
    checkout_id = models.CharField(max_length=STRIPE_ID, blank=True)
    awaited_at = models.DateTimeField(null=True)

    class Meta(AccountRow.Meta):
        constraints = [models.UniqueConstraint(fields=["account"], name="one_subscription_per_account")]


class Invoice(AccountRow):
    """One of Stripe's, in the smallest unit of its currency; the document itself stays there."""

    invoice_id = models.CharField(max_length=STRIPE_ID)
    number = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=20)
    total = models.BigIntegerField()
    remaining = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    issued_at = models.DateTimeField()

    class Meta(AccountRow.Meta):
        constraints = [models.UniqueConstraint(fields=["account", "invoice_id"], name="one_row_per_invoice")]
