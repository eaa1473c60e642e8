"""Stripe's hosted pages for card, address, tax id and invoices."""

from __future__ import annotations

from uuid import UUID

from tenancy.audit.log import record_event
from tenancy.billing.stripe.customers import find_customer, schedule_read
from tenancy.billing.stripe.failures import NothingPaid
from tenancy.billing.stripe.gateway import open_stripe
from tenancy.billing.stripe.read_state import get_database_time
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, User
from tenancy.models.billing import Invoice


def open_portal(account: Account, owner: User, back: str, *, only_card: bool = False) -> str:
    """Return the URL of the account's portal page. Raises `NothingPaid`, and like `open_stripe`."""
    customer = find_customer(account)
    if customer is None:
        raise NothingPaid
    with open_stripe() as client:
        if only_card:
            session = client.v1.billing_portal.sessions.create(
                {
                    "customer": customer.customer_id,
                    "return_url": back,
                    "flow_data": {"type": "payment_method_update"},
                }
            )
        else:
            session = client.v1.billing_portal.sessions.create(
                {"customer": customer.customer_id, "return_url": back}
            )
    with tenant_scope(Scope.of_account(account)):
        schedule_read(customer, get_database_time())
        record_event(account, owner, "billing.portal_opened", account, detail={"only_card": only_card})
    return session.url


def list_invoices(account: Account) -> list[Invoice]:
    with tenant_scope(Scope.of_account(account)):
        return list(Invoice.objects.within(account).order_by("-issued_at", "-pk"))


def fetch_invoice_url(account: Account, invoice: UUID) -> str:
    """The URL where the invoice can be viewed and paid, or "". Such URLs expire, so they are requested on demand.

    Raises `Invoice.DoesNotExist` for one that is not the account's, and like `open_stripe`.
    """
    with tenant_scope(Scope.of_account(account)):
        invoice_id = Invoice.objects.within(account).get(pk=invoice).invoice_id
    with open_stripe() as client:
        return client.v1.invoices.retrieve(invoice_id).hosted_invoice_url or ""
