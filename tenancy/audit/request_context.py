"""Who is behind what runs now: the request's address and id, the key, the worker. The audit log writes it down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse

from tenancy.ids import uuid7

MEMBER, KEY, WORKER, STRIPE, OPERATOR = "member", "key", "worker", "stripe", "operator"


@dataclass(frozen=True, slots=True)
class RequestContext:
    """`kind` and `label` say who acts where no member is named; `label` is an id, never a name."""

    kind: str = WORKER
    label: str = ""
    address: str = ""
    request_id: str = ""


NOBODY = RequestContext()
_asking: ContextVar[RequestContext] = ContextVar("asking", default=NOBODY)


def current_context() -> RequestContext:
    return _asking.get()


def set_actor(kind: str, label: str) -> None:
    """From here on, what this request does is done by this key or operator."""
    _asking.set(replace(_asking.get(), kind=kind, label=label))


@contextmanager
def act_as(kind: str, label: str = "") -> Iterator[None]:
    """What is done in here is done by Stripe, an operator or a worker."""
    token = _asking.set(replace(_asking.get(), kind=kind, label=label))
    try:
        yield
    finally:
        _asking.reset(token)


def address_of(request: HttpRequest) -> str:
    """The client's address, as the web server knows it: forwarded ones count where it trusts the proxy."""
    return str(request.META.get("REMOTE_ADDR") or "")


class RequestContextMiddleware:
    """Gives each request an id and remembers, while it is answered, where it came from."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.request_id = uuid7().hex  # type: ignore[attr-defined]
        token = _asking.set(RequestContext(MEMBER, "", address_of(request), request.request_id))  # type: ignore[attr-defined]
        try:
            return self.get_response(request)
        finally:
            _asking.reset(token)
