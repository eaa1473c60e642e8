"""Who sends a long body, told by the head of the request: key and rate, or session, before the body is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.http.cookie import parse_cookie

from tenancy.errors import KeyRequired
from tenancy.keys.authenticate import key_in_header
from tenancy.keys.brute_force import recognise_key_from
from tenancy.metering.rate_limits import check_rate
from tenancy.models import Project

Scope = MutableMapping[str, Any]
Found = TypeVar("Found")

API, PAGES = "/api/", "/p/"
# Stripe's events, recognised by a signature over the whole body.
SIGNED = "/stripe/events"
STRANGERS = "strangers"
# In the scope of a request whose rate was counted here, and which must not count twice.
COUNTED = "engram.rate_counted"
# At the same time; each asks the database at most once or twice.
THREADS = 4

_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="entrance")


@dataclass(frozen=True, slots=True)
class Sender:
    """The account of a key; or the person of a session, with the account that the address names, if any."""

    name: str
    account: UUID | None


async def run_in_thread(work: Callable[..., Found], *about: Any) -> Found:
    """What asks the database and belongs to no request yet."""
    return await asyncio.get_running_loop().run_in_executor(_threads, _closing, work, about)


def _closing(work: Callable[..., Found], about: tuple[Any, ...]) -> Found:
    try:
        return work(*about)
    finally:
        connection.close()  # no request ends in this thread, which would give it back


def rate_was_counted(scope: Any) -> bool:
    return bool(scope and scope.get(COUNTED))


def header(scope: Scope, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope.get("headers", []) if name == wanted), "")


def sender_of(scope: Scope) -> Sender:
    """Who sends this request; counts it by the rate of an account.

    Raises what stops it: `KeyRequired` and the like for who is not known, `RateLimited` for too many requests.
    """
    if scope["path"].startswith(API):
        return _account(scope)
    return Sender(STRANGERS, None) if scope["path"].rstrip("/") == SIGNED else _person(scope)


def _account(scope: Scope) -> Sender:
    client = scope.get("client")
    key = recognise_key_from(client[0] if client else "", key_in_header(header(scope, b"authorization")))
    check_rate(key.project.account)
    scope[COUNTED] = True
    return Sender(str(key.account_id), key.account_id)


def _person(scope: Scope) -> Sender:
    """That somebody is signed in; whether they may send this is asked again when the body is there."""
    session = parse_cookie(header(scope, b"cookie")).get(settings.SESSION_COOKIE_NAME)
    person = SessionStore(session).get(SESSION_KEY) if session else None
    if person is None:
        raise KeyRequired("sign in again")
    return Sender(f"person {person}", _account_of_page(scope["path"]))


def _account_of_page(path: str) -> UUID | None:
    """Of the project in the address."""
    if not path.startswith(PAGES):
        return None
    try:
        project = UUID(path.removeprefix(PAGES).partition("/")[0])
    except ValueError:
        return None
    return Project.objects.filter(pk=project).values_list("account_id", flat=True).first()
