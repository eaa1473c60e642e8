"""The books behind the Stripe stand-in: customers, subscriptions, invoices, and the events that tell of them.

Objects have the shape of Stripe's API of the version that our library speaks. Money is counted as Stripe counts it, to
the second, so that a preview and what is charged can be compared.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any

Object = dict[str, Any]
LENGTHS = {"month": 30 * 86_400, "year": 365 * 86_400}


@dataclass(frozen=True)
class Price:
    id: str
    amount: int
    interval: str


class Refusal(Exception):
    """An error object of Stripe's with its HTTP status."""

    def __init__(self, status: int, kind: str, code: str, message: str = "", param: str = "") -> None:
        self.status = status
        self.error = {"type": kind, "code": code, "message": message or code, "param": param}
        super().__init__(code)


def missing(kind: str, key: str) -> Refusal:
    return Refusal(404, "invalid_request_error", "resource_missing", f"No such {kind}: '{key}'", "id")


@dataclass
class Books:
    prices: dict[str, Price]
    home: str = ""
    declines: bool = False
    customers: dict[str, Object] = field(default_factory=dict)
    sessions: dict[str, Object] = field(default_factory=dict)
    subscriptions: dict[str, Object] = field(default_factory=dict)
    invoices: dict[str, Object] = field(default_factory=dict)
    events: list[Object] = field(default_factory=list)
    _number: Any = field(default_factory=lambda: count(1))

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{id(self):x}{next(self._number):06}"

    def tell(self, kind: str, about: Object) -> Object:
        """An event with the object as it is at this moment, like Stripe's."""
        event = {
            "id": self.new_id("evt"),
            "object": "event",
            "api_version": "2026-10-28.endive",
            "created": int(time.time()),
            "type": kind,
            "livemode": False,
            "data": {"object": dict(about)},
        }
        self.events.append(event)
        return event

    # What people do on Stripe's pages, and what time does.

    def pay(self, session_id: str, *, last_four: str = "4242", tax_id: str = "") -> Object:
        """The customer pays on the page of the session; its events are told."""
        session = self.sessions[session_id]
        assert session["status"] == "open", "the page has expired"
        customer = self.customers[session["customer"]]
        card = self.card(last_four)
        customer["invoice_settings"]["default_payment_method"] = card
        if tax_id:
            customer["tax_ids"]["data"].append({"id": self.new_id("txi"), "type": "eu_vat", "value": tax_id})
        price = self.prices[session["line_items"][0]["price"]]
        sold = self._subscribe(customer["id"], price, card)
        session |= {"status": "complete", "payment_status": "paid", "subscription": sold["id"]}
        self.tell("checkout.session.completed", session)
        self.tell("customer.subscription.created", sold)
        self._bill(sold, price.amount, f"1 × {price.id}", paid=True)
        return sold

    def _subscribe(self, customer: str, price: Price, card: Object) -> Object:
        now = int(time.time())
        sold = {
            "id": self.new_id("sub"),
            "object": "subscription",
            "customer": customer,
            "status": "active",
            "created": now,
            "cancel_at": None,
            "cancel_at_period_end": False,
            "pending_update": None,
            "default_payment_method": card,
            "items": {"object": "list", "data": [self._item(price, now)]},
            "latest_invoice": None,
        }
        self.subscriptions[sold["id"]] = sold
        return sold

    def _item(self, price: Price, start: int) -> Object:
        return {
            "id": self.new_id("si"),
            "object": "subscription_item",
            "price": {"id": price.id, "object": "price", "unit_amount": price.amount},
            "current_period_start": start,
            "current_period_end": start + LENGTHS[price.interval],
        }

    def card(self, last_four: str) -> Object:
        shown = {"brand": "visa", "last4": last_four, "exp_month": 8, "exp_year": 2031}
        return {"id": self.new_id("pm"), "object": "payment_method", "type": "card", "card": shown}

    def _bill(self, sold: Object, amount: int, what: str, *, paid: bool) -> Object:
        invoice = self.invoice(sold, [(what, amount)])
        invoice["status"] = "paid" if paid else "open"
        invoice["amount_remaining"] = 0 if paid else invoice["amount_due"]
        self.invoices[invoice["id"]] = invoice
        sold["latest_invoice"] = invoice["id"]
        self.tell("invoice.paid" if paid else "invoice.payment_failed", invoice)
        return invoice

    def invoice(self, sold: Object, lines: list[tuple[str, int]]) -> Object:
        total = sum(amount for _, amount in lines)
        key = self.new_id("in")
        return {
            "id": key,
            "object": "invoice",
            "customer": sold["customer"],
            "number": f"ENG-{key[-6:]}",
            "status": "draft",
            "currency": "usd",
            "total": total,
            "amount_due": max(0, total),
            "amount_remaining": max(0, total),
            "created": int(time.time()),
            "next_payment_attempt": None,
            "hosted_invoice_url": f"{self.home}/i/{key}",
            "parent": {
                "type": "subscription_details",
                "subscription_details": {"subscription": sold["id"]},
            },
            "lines": {
                "object": "list",
                "data": [{"description": what, "amount": amount} for what, amount in lines],
            },
        }

    def miss_payment(self, subscription_id: str) -> Object:
        """The next month's card is refused; Stripe will try again."""
        sold = self.subscriptions[subscription_id]
        sold["status"] = "past_due"
        price = self.get_price(sold)
        self._bill(sold, price.amount, "the next month", paid=False)
        return self.tell("customer.subscription.updated", sold)

    def recover(self, subscription_id: str) -> Object:
        sold = self.subscriptions[subscription_id]
        sold["status"] = "active"
        invoice = self.invoices[sold["latest_invoice"]]
        invoice |= {"status": "paid", "amount_remaining": 0}
        self.tell("invoice.paid", invoice)
        return self.tell("customer.subscription.updated", sold)

    def end(self, subscription_id: str) -> Object:
        """What was cancelled has run out, or Stripe has given up to collect."""
        sold = self.subscriptions[subscription_id]
        sold["status"] = "canceled"
        return self.tell("customer.subscription.deleted", sold)

    def get_price(self, sold: Object) -> Price:
        return self.prices[sold["items"]["data"][0]["price"]["id"]]

    # What programs ask for.

    def prorated(self, sold: Object, price: Price, at: int) -> Object:
        """The invoice of a change to another price at that second."""
        item = sold["items"]["data"][0]
        start, end = item["current_period_start"], item["current_period_end"]
        share = (end - at) / (end - start)
        before = self.get_price(sold)
        is_same_length = price.interval == before.interval
        asked = round(price.amount * share) if is_same_length else price.amount
        lines = [
            (f"Unused time on {before.id}", -round(before.amount * share)),
            (f"Remaining time on {price.id}", asked),
        ]
        return self.invoice(sold, lines)

    def change_price(self, sold: Object, price: Price, at: int) -> None:
        """With `pending_if_incomplete`: a card that is refused leaves the price as it is."""
        invoice = self.prorated(sold, price, at)
        self.invoices[invoice["id"]] = invoice
        sold["latest_invoice"] = invoice["id"]
        if self.declines and invoice["amount_due"]:
            invoice["status"] = "open"
            sold["pending_update"] = {"expires_at": int(time.time()) + 82_800}
            self.tell("invoice.payment_failed", invoice)
        else:
            invoice |= {"status": "paid", "amount_remaining": 0}
            sold["items"]["data"][0]["price"] = {
                "id": price.id,
                "object": "price",
                "unit_amount": price.amount,
            }
            self.tell("invoice.paid", invoice)
        self.tell("customer.subscription.updated", sold)
