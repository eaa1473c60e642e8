"""Liveness and readiness: `/healthz` and `/readyz`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from psycopg_pool import PoolTimeout

from console.configuration.checks import is_role_bound
from console.http.response_headers import PERMISSIONS_POLICY
from memories.engine.client.provider_breaker import list_providers_with_open_breaker
from memories.files.sandbox.missing_restrictions import list_missing_restrictions
from tenancy.runtime.shutdown import is_asked_to_stop

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_ALIVE = b'{"status": "ok"}'
_ALIVE_HEADERS = [
    (b"content-type", b"application/json"),
    (b"content-length", str(len(_ALIVE)).encode()),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", PERMISSIONS_POLICY.encode()),
]


class Liveness:
    """Answers `/healthz` and passes all other requests on.

    The event loop answers by itself. A probe that needs a thread waits for the interpreter three times, behind
    whatever other requests compute, and tells how busy the process is, not whether it lives.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["path"] != "/healthz":
            await self._application(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": _ALIVE_HEADERS})
        await send({"type": "http.response.body", "body": _ALIVE})


def readyz(request: HttpRequest) -> JsonResponse:
    """503 when nothing can be accepted, or soon nothing will be. A missing broker or model, or a parser sandbox layer
    that this machine refuses, is "degraded" with 200: writes are accepted."""
    status, checks = check_readiness()
    if is_asked_to_stop():
        status, checks = "unavailable", {**checks, "process": "stopping"}
    return JsonResponse({"status": status, "checks": checks}, status=503 if status == "unavailable" else 200)


def check_readiness() -> tuple[str, dict[str, str]]:
    """The whole in one word, and what was looked at."""
    # The models that this process asks itself: what workers ask, their logs and the memories tell.
    checks = _check_database() | {
        "broker": check_broker(),
        "models": "unavailable" if list_providers_with_open_breaker() else "ok",
    }
    refused = list_missing_restrictions()
    checks["parsers"] = f"not confined by {', '.join(refused)}" if refused else "ok"
    vital = all(checks[name] == "ok" for name in ("database", "migrations", "role"))
    degraded = vital and any(state != "ok" for state in checks.values())
    return ("degraded" if degraded else "ok" if vital else "unavailable"), checks


_migrated = False


def _check_database() -> dict[str, str]:
    try:
        return {
            "database": "ok",
            "migrations": "ok" if _is_migrated() else "pending",
            "role": "ok" if is_role_bound() else "bypasses row-level security",
        }
    except (DatabaseError, PoolTimeout):
        return {"database": "unavailable", "migrations": "unknown", "role": "unknown"}


def _is_migrated() -> bool:
    """Return whether all migrations are applied.

    The database is asked until it says yes: they are not reverted under a running process.
    """
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connections["default"])
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def check_broker() -> str:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
    try:
        client.ping()
    except (redis.RedisError, OSError):
        return "unavailable"
    finally:
        client.close()
    return "ok"
