"""Audit log: who changed what. Written in the transaction of the change, numbered and hash-chained at commit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, models

from tenancy.audit.request_context import MEMBER, get_current_context
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.models import Account, AuditEvent, Project, User

# What a name in `detail` must never carry; only that it changed is written down.
SECRETS = frozenset({"password", "secret", "token", "key", "api_key", "plaintext"})
MASK = "•••"
BATCH = 2_000


def _get_public_id(subject: models.Model) -> str:
    """Return the id by which people know a row: a session may have a UUID of its project's choice. An API key's
    `public_id` is the start of its text, which other keys may share."""
    chosen = getattr(subject, "public_id", None)
    return str(chosen if isinstance(chosen, UUID) else subject.pk)


def record_event(
    account: Account,
    actor: User | None,
    action: str,
    subject: models.Model,
    *,
    project: Project | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    """Write an audit entry; `detail` says what changed, from what to what, and never holds content or secrets.

    Without an actor it was the program, worker, provider or operator that acts at the moment.
    """
    by = get_current_context()
    event = AuditEvent(
        account=account,
        project=project,
        actor=actor,
        actor_kind=MEMBER if actor else by.kind,
        actor_label="" if actor else by.label,
        action=action,
        object_kind=subject._meta.model_name or "",
        object_id=_get_public_id(subject),
        detail=mask_secrets(detail or {}),
        address=by.address,
        request_id=by.request_id,
    )
    with tenant_scope(get_active_scope() or Scope.of_account(account)):
        event.save(force_insert=True)


def mask_secrets(detail: Any) -> Any:
    """A copy in which the values of secret keys are replaced, at any depth."""
    if isinstance(detail, dict):
        return {name: _mask_field(name, value) for name, value in detail.items()}
    return [mask_secrets(item) for item in detail] if isinstance(detail, list) else detail


def _mask_field(name: str, value: Any) -> Any:
    return MASK if value and name.lower() in SECRETS else mask_secrets(value)


@dataclass(frozen=True, slots=True)
class ChainVerdict:
    """Result of checking the hash chain. `broken_at` is the number of the first entry that does not fit, 0 for none."""

    entries: int
    first: int
    last: int
    broken_at: int

    @property
    def holds(self) -> bool:
        return self.broken_at == 0


# Compares each entry with its own hash, with the one before it, and the ends with what the head remembers.
VERIFY = """
WITH chain AS (
    SELECT number, previous, hash, tenancy_audit_hash(entry) AS right_hash,
           lag(number) OVER (ORDER BY number) AS number_before, lag(hash) OVER (ORDER BY number) AS hash_before
    FROM tenancy_auditevent entry WHERE account_id = %(account)s
), head AS (
    SELECT * FROM tenancy_audithead WHERE account_id = %(account)s
), faults AS (
    SELECT chain.number FROM chain CROSS JOIN head
    WHERE chain.number IS NULL OR chain.hash <> right_hash OR previous <> coalesce(hash_before, trimmed_hash)
       OR chain.number <> coalesce(number_before, trimmed_number) + 1
    UNION ALL
    SELECT head.number FROM head
    WHERE head.number <> coalesce((SELECT max(chain.number) FROM chain), trimmed_number)
       OR head.hash <> coalesce((SELECT chain.hash FROM chain ORDER BY chain.number DESC LIMIT 1), trimmed_hash)
    UNION ALL
    SELECT min(chain.number) FROM chain WHERE NOT EXISTS (SELECT 1 FROM head) HAVING count(*) > 0
)
SELECT (SELECT count(*) FROM chain), (SELECT min(number) FROM chain), (SELECT max(number) FROM chain),
       (SELECT coalesce(min(faults.number), -1) FROM faults HAVING count(*) > 0)
"""


def verify_chain(account: UUID) -> ChainVerdict:
    """Verify the whole chain of an account, also of a deleted one."""
    with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
        cursor.execute(VERIFY, {"account": account})
        entries, first, last, broken_at = cursor.fetchone()
    return ChainVerdict(entries, first or 0, last or 0, broken_at or 0)


def export_events(account: UUID) -> Iterator[dict[str, Any]]:
    """Yield every entry, oldest first, with the exact text that its hash covers."""
    after = 0
    while batch := _read_batch(account, after):
        yield from batch
        after = batch[-1]["number"]


EXPORT = """
SELECT number, encode(previous, 'hex'), encode(hash, 'hex'), tenancy_audit_text(entry)
FROM tenancy_auditevent entry WHERE account_id = %s AND number > %s ORDER BY number LIMIT %s
"""


def _read_batch(account: UUID, after: int) -> list[dict[str, Any]]:
    """Read one batch in a scope of its own, so that no transaction stays open while a browser downloads."""
    with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
        cursor.execute(EXPORT, [account, after, BATCH])
        names = ("number", "previous", "hash", "entry")
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def trim_log(account: UUID, before: Any) -> int:
    """Delete older entries from the beginning of the chain; what is left still verifies."""
    with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
        cursor.execute("SELECT tenancy_audit_trim(%s, %s)", [account, before])
        (gone,) = cursor.fetchone()
    return int(gone)
