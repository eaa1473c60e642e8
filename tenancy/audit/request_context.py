"""Context of the current request or task for the audit log: address and id of the request, key, worker."""

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
    """`kind` and `label` name the actor where no member is known; `label` is an id, never a name."""

    kind: str = WORKER
    label: str = ""
    address: str = ""
    request_id: str = ""


NOBODY = RequestContext()
_asking: ContextVar[RequestContext] = ContextVar("asking", default=NOBODY)


def get_current_context() -> RequestContext:
    return _asking.get()


def set_actor(kind: str, label: str) -> None:
    """Attribute the rest of this request to a key or an operator."""
    _asking.set(replace(_asking.get(), kind=kind, label=label))


@contextmanager
def act_as(kind: str, label: str = "") -> Iterator[None]:
    """Attribute what happens in this context to Stripe, an operator or a worker."""
    token = _asking.set(replace(_asking.get(), kind=kind, label=label))
    try:
        yield
    finally:
        _asking.reset(token)


def get_client_address(request: HttpRequest) -> str:
    """The client's IP address; forwarded headers count where the web server trusts the proxy."""
    return str(request.META.get("REMOTE_ADDR") or "")


def name_request(request: HttpRequest) -> str:
    """The id of the request, which it gets here where it is refused or breaks before the middleware names it."""
    if not hasattr(request, "request_id"):
        request.request_id = uuid7().hex  # type: ignore[attr-defined]
    return str(request.request_id)  # type: ignore[attr-defined]


class RequestContextMiddleware:
    """Give each request an id and keep its origin while it is being answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _asking.set(RequestContext(MEMBER, "", get_client_address(request), name_request(request)))
        try:
            return self.get_response(request)
        finally:
            _asking.reset(token)
