"""Stripe on the loopback: its API as the real `stripe` package speaks it, and its webhooks signed as it signs them.

Requests are form-encoded, answers JSON, errors error objects; a request that is repeated under its idempotency key is
answered with the first answer. Its pages are empty: what people do on them is done by calling `books`.
"""

from __future__ import annotations

import hmac
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.servers.listener import Listener
from tests.support.servers.stripe_ledger import Books, Object, Price, Refusal, missing
from tests.support.waiting import LIMIT

KEY = "sk_test_stand_in"
SECRET = "whsec_stand_in"  # noqa: S105
PRICES = {
    "price_starter_month": Price("price_starter_month", 1_900, "month"),
    "price_starter_year": Price("price_starter_year", 19_000, "year"),
    "price_pro_month": Price("price_pro_month", 9_900, "month"),
    "price_pro_year": Price("price_pro_year", 99_000, "year"),
}
BOUGHT = {price: tuple(price.split("_")[1:]) for price in PRICES}


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    form: Object
    idempotency_key: str


class StripeStandIn:
    def __init__(self, port: int = 0) -> None:
        self.books = Books(dict(PRICES))
        self.asked: list[Asked] = []
        # How many of the next requests find nobody there; and whether the others are answered yet.
        self.failures = 0
        # The customer about whom no request is answered.
        self.failing = ""
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._answered: dict[str, tuple[str, int, bytes]] = {}
        self._lock = threading.Lock()
        self._server = Listener(("127.0.0.1", port), _handler(self))
        self.url = self.books.home = f"http://127.0.0.1:{self._server.server_port}"
        # What an operator sets to use it; tests change it as he would.
        self.settings: dict[str, Any] = {
            "SECRET_KEY": KEY,
            "WEBHOOK_SECRETS": [SECRET],
            "API_BASE": self.url,
            "PRICES": dict(BOUGHT),
        }
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def fails(self, asked: Asked) -> bool:
        """Return whether this request finds nobody there."""
        with self._lock:  # a test may end the failures meanwhile
            if self.failures > 0:
                self.failures -= 1
                return True
        return bool(self.failing) and self.failing in (
            asked.path.rpartition("/")[2],
            asked.form.get("customer"),
        )

    def answer(self, asked: Asked, body: str, key: str) -> tuple[int, bytes, bool]:
        """The status and the answer, and whether it is that of an earlier request."""
        with self._lock:
            self.asked.append(asked)
            if key != f"Bearer {KEY}":
                raise Refusal(401, "invalid_request_error", "api_key_invalid")
            known = self._answered.get(asked.idempotency_key)
            if known is not None:
                if known[0] != f"{asked.path}?{body}":
                    raise Refusal(400, "idempotency_error", "idempotency_key_in_use")
                return known[1], known[2], True
            answered = json.dumps(_route(asked)(self.books, asked)).encode()
            if asked.idempotency_key:
                self._answered[asked.idempotency_key] = (f"{asked.path}?{body}", 200, answered)
            return 200, answered, False


def signed(event: Object, secret: str = SECRET, at: float | None = None) -> tuple[bytes, str]:
    """The body of a webhook and its `Stripe-Signature`."""
    body = json.dumps(event).encode()
    moment = int(at or time.time())
    digest = hmac.new(secret.encode(), f"{moment}.".encode() + body, sha256).hexdigest()
    return body, f"t={moment},v1={digest},v0=of-another-scheme"


def parse_form(encoded: str) -> Object:
    """Stripe's way of nesting: items[0][price]=x."""
    form: Object = {}
    for name, value in parse_qsl(encoded, keep_blank_values=True):
        *outer, last = re.findall(r"[^\[\]]+", name)
        place = form
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return form


def _in_order(nested: Object) -> list[Any]:
    return [nested[key] for key in sorted(nested, key=int)]


# The addresses.


def make_customer(books: Books, asked: Asked) -> Object:
    made = {
        "id": books.new_id("cus"),
        "object": "customer",
        "name": asked.form["name"],
        "email": asked.form["email"],
        "metadata": asked.form["metadata"],
        "invoice_settings": {"default_payment_method": None},
        "tax_ids": {"object": "list", "data": []},
    }
    books.customers[made["id"]] = made
    return made


def get_customer(books: Books, asked: Asked) -> Object:
    """To accounts of other tests, which the clock may come upon, this Stripe is away."""
    if asked.path.rpartition("/")[2] not in books.customers:
        raise Refusal(503, "api_error", "of_another_test")
    return _found(books.customers, "customer", asked)


def delete_customer(books: Books, asked: Asked) -> Object:
    gone = _found(books.customers, "customer", asked)
    for sold in books.subscriptions.values():
        if sold["customer"] == gone["id"] and sold["status"] != "canceled":
            books.end(sold["id"])
    books.customers[gone["id"]] = {"id": gone["id"], "object": "customer", "deleted": True}
    books.tell("customer.deleted", gone)
    return books.customers[gone["id"]]


def make_session(books: Books, asked: Asked) -> Object:
    form = asked.form
    lines = _in_order(form["line_items"])
    if form["mode"] != "subscription" or lines[0]["price"] not in books.prices:
        raise Refusal(
            400, "invalid_request_error", "resource_missing", "No such price", "line_items[0][price]"
        )
    if books.customers.get(form["customer"], {"deleted": True}).get("deleted"):
        raise missing("customer", form["customer"])
    key = books.new_id("cs_test")
    books.sessions[key] = {
        "id": key,
        "object": "checkout.session",
        "mode": "subscription",
        "status": "open",
        "payment_status": "unpaid",
        "customer": form["customer"],
        "client_reference_id": form["client_reference_id"],
        "line_items": lines,
        "success_url": form["success_url"],
        "cancel_url": form["cancel_url"],
        "url": f"{books.home}/c/pay/{key}",
    }
    return books.sessions[key]


def get_session(books: Books, asked: Asked) -> Object:
    return _found(books.sessions, "checkout.session", asked)


def expire_session(books: Books, asked: Asked) -> Object:
    session = _found(books.sessions, "checkout.session", asked)
    if session["status"] != "open":
        raise Refusal(400, "invalid_request_error", "resource_not_open")
    session["status"] = "expired"
    books.tell("checkout.session.expired", session)
    return session


def list_subscriptions(books: Books, asked: Asked) -> Object:
    return _listed(books.subscriptions, asked)


def get_subscription(books: Books, asked: Asked) -> Object:
    return _found(books.subscriptions, "subscription", asked)


def update_subscription(books: Books, asked: Asked) -> Object:
    sold, form = _found(books.subscriptions, "subscription", asked), asked.form
    if sold["status"] == "canceled":
        raise Refusal(400, "invalid_request_error", "resource_missing", "A canceled subscription", "id")
    if "cancel_at_period_end" in form:
        sold["cancel_at_period_end"] = form["cancel_at_period_end"] == "true"
        books.tell("customer.subscription.updated", sold)
    if form.get("cancel_at") == "":
        sold["cancel_at"] = None
        books.tell("customer.subscription.updated", sold)
    if "items" in form:
        assert form["payment_behavior"] == "pending_if_incomplete"
        books.change_price(sold, _new_price(books, sold, form["items"]), int(form["proration_date"]))
    return sold


def _new_price(books: Books, sold: Object, items: Object) -> Price:
    (item,) = _in_order(items)
    if item["id"] != sold["items"]["data"][0]["id"] or item["price"] not in books.prices:
        raise Refusal(400, "invalid_request_error", "resource_missing", "No such item", "items[0]")
    return books.prices[item["price"]]


def list_invoices(books: Books, asked: Asked) -> Object:
    return _listed(books.invoices, asked)


def get_invoice(books: Books, asked: Asked) -> Object:
    return _found(books.invoices, "invoice", asked)


def preview_invoice(books: Books, asked: Asked) -> Object:
    form = asked.form
    sold = books.subscriptions.get(form["subscription"])
    if sold is None:
        raise missing("subscription", form["subscription"])
    details = form.get("subscription_details")
    if details:
        price = _new_price(books, sold, details["items"])
        return books.prorated(sold, price, int(details["proration_date"]))
    if sold["cancel_at_period_end"] or sold["status"] == "canceled":
        raise Refusal(404, "invalid_request_error", "invoice_upcoming_none")
    return books.invoice(sold, [("the next period", books.get_price(sold).amount)])


def make_portal(books: Books, asked: Asked) -> Object:
    key = books.new_id("bps")
    flow = asked.form.get("flow_data", {}).get("type", "")
    url = f"{books.home}/p/session/{key}" + (f"/flow/{flow}" if flow else "")
    return {
        "id": key,
        "object": "billing_portal.session",
        "url": url,
        "return_url": asked.form["return_url"],
    }


def _found(kept: dict[str, Object], kind: str, asked: Asked) -> Object:
    key = asked.path.removesuffix("/expire").rpartition("/")[2]
    if key not in kept:
        raise missing(kind, key)
    return kept[key]


def _listed(kept: dict[str, Object], asked: Asked) -> Object:
    mine = [record for record in kept.values() if record["customer"] == asked.form["customer"]]
    newest = sorted(mine, key=lambda record: (record["created"], record["id"]), reverse=True)
    limit = int(asked.form.get("limit", 10))
    return {"object": "list", "url": asked.path, "has_more": len(newest) > limit, "data": newest[:limit]}


Route = Callable[[Books, Asked], Object]
ROUTES: list[tuple[str, str, Route]] = [
    ("POST", r"/v1/customers", make_customer),
    ("GET", r"/v1/customers/\w+", get_customer),
    ("DELETE", r"/v1/customers/\w+", delete_customer),
    ("POST", r"/v1/checkout/sessions", make_session),
    ("GET", r"/v1/checkout/sessions/\w+", get_session),
    ("POST", r"/v1/checkout/sessions/\w+/expire", expire_session),
    ("GET", r"/v1/subscriptions", list_subscriptions),
    ("GET", r"/v1/subscriptions/\w+", get_subscription),
    ("POST", r"/v1/subscriptions/\w+", update_subscription),
    ("GET", r"/v1/invoices", list_invoices),
    ("POST", r"/v1/invoices/create_preview", preview_invoice),
    ("GET", r"/v1/invoices/\w+", get_invoice),
    ("POST", r"/v1/billing_portal/sessions", make_portal),
]


def _route(asked: Asked) -> Route:
    for method, pattern, route in ROUTES:
        if method == asked.method and re.fullmatch(pattern, asked.path):
            return route
    raise Refusal(404, "invalid_request_error", "url_invalid", f"Unrecognized request URL ({asked.path})")


def _handler(stand_in: StripeStandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def do_DELETE(self) -> None:
            self._answer()

        def _answer(self) -> None:
            address = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            once = self.headers.get("Idempotency-Key", "")
            asked = Asked(self.command, address.path, parse_form(body or address.query), once)
            if not address.path.startswith("/v1/"):
                self._send(200, b"<!doctype html><title>Stripe</title>", {"Content-Type": "text/html"})
                return
            stand_in.may_answer.wait(LIMIT)
            if stand_in.fails(asked):
                self._send(503, b'{"error": {"type": "api_error", "message": "down"}}')
                return
            try:
                status, content, is_old = stand_in.answer(asked, body, self.headers.get("Authorization", ""))
                self._send(status, content, {"Idempotent-Replayed": "true"} if is_old else {})
            except Refusal as refusal:
                self._send(refusal.status, json.dumps({"error": refusal.error}).encode())

        def _send(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            usual = {
                "Content-Type": "application/json",
                "Content-Length": str(len(content)),
                "Request-Id": f"req_{time.time_ns():x}",
            }
            for name, value in (usual | (headers or {})).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Says nothing."""

    return Handler
