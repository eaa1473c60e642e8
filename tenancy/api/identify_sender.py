"""Identify the sender of a long body by its headers (API key and rate, or session), before the body is read."""

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

from tenancy.errors import KeyInvalid, KeyMalformed, KeyRequired
from tenancy.keys.authorization_header import read_key_from_header
from tenancy.keys.brute_force import recognise_key_from
from tenancy.keys.last_refused_request import note_refused_key
from tenancy.metering.rate_limits import check_rate
from tenancy.models import ApiKey, Project

Scope = MutableMapping[str, Any]
Result = TypeVar("Result")

# Whose callers show a key.
API, PAGES = ("/api/", "/mcp", "/v1/", "/v2/", "/v3/"), "/p/"
# Stripe's events, recognised by a signature over the whole body.
SIGNED = "/stripe/events"
STRANGERS = "strangers"
# In the scope of a request whose rate was counted here, and which must not count twice.
COUNTED = "engram.rate_counted"
# At the same time; each asks the database at most once or twice.
THREADS = 4

# By how paths begin: who finds the key of a client address and the text in its Authorization header.
RECOGNISERS: dict[str, Callable[[str, str], ApiKey]] = {}
# In the scope of a request that another protocol makes inside the process: the key it was authenticated with.
KEY = "engram.api_key"

_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="entrance")


@dataclass(frozen=True, slots=True)
class Sender:
    """The account of an API key; or the user of a session, with the account that the URL names, if any."""

    name: str
    account: UUID | None


async def run_in_thread(work: Callable[..., Result], *about: Any) -> Result:
    """Run database work that belongs to no request yet in a thread."""
    return await asyncio.get_running_loop().run_in_executor(
        _threads, _query_and_close_connection, work, about
    )


def _query_and_close_connection(work: Callable[..., Result], about: tuple[Any, ...]) -> Result:
    try:
        return work(*about)
    finally:
        connection.close()  # no request ends in this thread, which would give it back


def rate_was_counted(scope: Any) -> bool:
    return bool(scope and scope.get(COUNTED))


def read_header(scope: Scope, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope.get("headers", []) if name == wanted), "")


def decode_header(value: str) -> str:
    """Decode what a client wrote into a header, whose bytes servers read as Latin-1: UTF-8, where it is any."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def identify_sender(scope: Scope) -> Sender:
    """Identify the sender of a request and count it against the account's rate limit.

    Raises what stops it: `KeyRequired` and the like for who is not known, `RateLimited` for too many requests.
    """
    if scope["path"].startswith(API):
        return _identify_account(scope)
    return Sender(STRANGERS, None) if scope["path"].rstrip("/") == SIGNED else _identify_person(scope)


def _identify_account(scope: Scope) -> Sender:
    client = scope.get("client")
    recognise = next(
        (recogniser for path, recogniser in RECOGNISERS.items() if scope["path"].startswith(path)), None
    )
    recognise = recognise or recognise_key_from
    shown = read_header(scope, b"authorization")
    try:
        key = recognise(client[0] if client else "", read_key_from_header(shown))
    except (KeyInvalid, KeyMalformed):
        note_refused_key(shown, scope["path"])
        raise
    check_rate(key.project.account)
    scope[COUNTED] = True
    return Sender(str(key.account_id), key.account_id)


def _identify_person(scope: Scope) -> Sender:
    """Require a signed-in user; whether they may send this is checked again when the body has arrived."""
    session = parse_cookie(read_header(scope, b"cookie")).get(settings.SESSION_COOKIE_NAME)
    person = SessionStore(session).get(SESSION_KEY) if session else None
    if person is None:
        raise KeyRequired("sign in again")
    return Sender(f"person {person}", _find_page_account(scope["path"]))


def _find_page_account(path: str) -> UUID | None:
    """The account of the project in the URL."""
    if not path.startswith(PAGES):
        return None
    try:
        project = UUID(path.removeprefix(PAGES).partition("/")[0])
    except ValueError:
        return None
    return Project.objects.filter(pk=project).values_list("account_id", flat=True).first()
