"""A write that a client sends twice under one `Idempotency-Key` happens once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection

from tenancy.errors import IdempotencyInProgress, InvalidParameters
from tenancy.isolation.digests import digest_of, digests_of
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, StoredAnswer

MAX_KEY = 255

Answer = dict[str, Any]
# Clients make keys of what they have at hand, such as an end user's id: they are kept as digests.
_PURPOSE = "idempotency key"


def once(
    project: Project,
    key: str,
    path: str,
    body: Any,
    write: Callable[[], Answer],
    *,
    subjects: Sequence[str] = (),
    unless: Callable[[], bool] | None = None,
) -> tuple[Answer, bool]:
    """The write's answer, and whether it is the stored one of an earlier request.

    The answer is stored in the write's own transaction, for 24 hours at most: it goes with the first of its subjects,
    and is never kept if `unless`, asked after the write, says so. Raises `InvalidParameters` when the key was
    used for another request, `IdempotencyInProgress` while its twin is at work. A write that raises stores nothing.
    """
    _check(key)
    digest = _digest(path, body)
    with tenant_scope(project):
        _hold(project, key)
        _share(project)
        stored = _stored(project, key, digest)
        if stored is not None:
            return stored, True
        answer = write()
        if unless is not None and unless():
            return answer, False
        StoredAnswer.objects.create(
            account_id=project.account_id,
            project=project,
            key=digest_of(_PURPOSE, key),
            body_hash=digest,
            http_status=200,
            body=answer,
            subjects=list(subjects),
        )
        return answer, False


def answered_before(project: Project, key: str, path: str, body: Any) -> Answer | None:
    """The stored answer of an earlier request, for work that is too long for a transaction: look, work, then `once`.

    Raises `InvalidParameters` like `once`.
    """
    _check(key)
    with tenant_scope(project):
        return _stored(project, key, _digest(path, body))


def _share(project: Project) -> None:
    """What the row's foreign keys ask for at the end anyhow: by then the audit chain's head may be locked already."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM tenancy_project p JOIN tenancy_account a ON a.id = p.account_id"
            " WHERE p.id = %s FOR KEY SHARE",
            [project.pk],
        )


def _check(key: str) -> None:
    if len(key) > MAX_KEY:
        raise InvalidParameters(f"Idempotency-Key: at most {MAX_KEY} characters")


def _stored(project: Project, key: str, digest: bytes) -> Answer | None:
    stored = StoredAnswer.objects.within(project).filter(key__in=[*digests_of(_PURPOSE, key), key]).first()
    if stored is None:
        return None
    if stored.body is None:
        raise InvalidParameters("what this Idempotency-Key was answered was erased with its end user")
    if bytes(stored.body_hash) != digest:
        raise InvalidParameters("this Idempotency-Key was used for another request")
    answer: Answer = stored.body
    return answer


def _digest(path: str, body: Any) -> bytes:
    return hashlib.sha256(json.dumps([path.rstrip("/"), body], sort_keys=True, default=str).encode()).digest()


def _hold(project: Project, key: str) -> None:
    """Until the transaction ends nobody else writes under this key."""
    name = hashlib.sha256(f"{project.pk}:{key}".encode()).digest()
    number = int.from_bytes(name[:8], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        row = cursor.fetchone()
    if row is None or not row[0]:
        raise IdempotencyInProgress
