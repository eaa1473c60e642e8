"""System checks before Engram starts: each has an id and a hint."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, Warning, register
from django.db import connections

from memories.files.sandbox.missing_restrictions import list_missing_restrictions


@register(Tags.security)
def has_pepper(**_: Any) -> list[Error]:
    if settings.KEY_PEPPERS:
        return []
    return [
        Error(
            "KEY_PEPPERS is not set.",
            hint="API keys are hashed with it. `make run` makes one; elsewhere set KEY_PEPPERS or KEY_PEPPERS_FILE.",
            id="engram.E001",
        )
    ]


@register(Tags.database)
def role_is_bound(databases: Any = None, **_: Any) -> list[Error]:
    """Row-level security does nothing for a superuser, nor for a role that bypasses it."""
    if "default" not in (databases or []):
        return []
    return [] if is_role_bound() else [_build_role_error()]


def is_role_bound() -> bool:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        row = cursor.fetchone()
        return row is not None and not row[0]


def _build_role_error() -> Error:
    return Error(
        "The application's database role is a superuser or bypasses row-level security.",
        hint="Give DATABASE_URL a role with NOSUPERUSER NOBYPASSRLS that does not own the tables.",
        id="engram.E002",
    )


@register(Tags.security, deploy=True)
def balancer_is_known(**_: Any) -> list[Warning]:
    """Warn when the load balancer's address is not known.

    Then all people seem to have that address, and ten wrong passwords of one lock everybody out.
    """
    if not settings.IS_HTTPS or settings.FORWARDED_ALLOW_IPS:
        return []
    return [
        Warning(
            "FORWARDED_ALLOW_IPS is not set, and PUBLIC_URL is https.",
            hint="Whatever ends TLS in front of Engram passes the visitors' addresses on in X-Forwarded-For. Set "
            "FORWARDED_ALLOW_IPS to its addresses, with commas, or limits by address count all visitors as one.",
            id="engram.W001",
        )
    ]


@register(Tags.security, deploy=True)
def parsers_are_confined(**_: Any) -> list[Warning]:
    refused = list_missing_restrictions()
    if not refused:
        return []
    return [
        Warning(
            "This machine does not support these sandbox layers of the processes that read strangers' files: "
            f"{', '.join(refused)}.",
            hint="docs/operating.md, Files, says what each of them keeps away and what it needs.",
            id="engram.W002",
        )
    ]
