"""Idempotent writes: a request sent twice with one `Idempotency-Key` is carried out once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from django.db import connection

from tenancy.errors import IdempotencyInProgress, InvalidParameters
from tenancy.isolation.keyed_hashes import compute_digest, compute_digests
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, StoredAnswer

MAX_KEY = 255
# How long the answer to a key is stored.
STORED_ANSWERS = timedelta(hours=24)

Answer = dict[str, Any]
# Clients put personal data such as an end user's id into keys, so only digests are stored.
_PURPOSE = "idempotency key"


def run_once(
    project: Project,
    key: str,
    path: str,
    body: Any,
    write: Callable[[], Answer],
    *,
    subjects: Sequence[str] = (),
    unless: Callable[[], bool] | None = None,
) -> tuple[Answer, bool]:
    """Run a write and return its answer, and whether that is the stored answer of an earlier request.

    The answer is stored in the transaction of the write, for `STORED_ANSWERS` at most: it is deleted with the first of
    its subjects, and not stored if `unless`, called after the write, returns true. Raises `InvalidParameters` when the
    key was used for another request, `IdempotencyInProgress` while a request with the same key is being processed. A
    write that raises stores nothing.
    """
    _refuse_long_key(key)
    digest = _compute_request_digest(path, body)
    with tenant_scope(project):
        _lock_key(project, key)
        _lock_foreign_keys(project)
        stored = _find_answer(project, key, digest)
        if stored is not None:
            return stored, True
        answer = write()
        if unless is not None and unless():
            return answer, False
        StoredAnswer.objects.create(
            account_id=project.account_id,
            project=project,
            key=compute_digest(_PURPOSE, key),
            body_hash=digest,
            http_status=200,
            body=answer,
            subjects=list(subjects),
        )
        return answer, False


def find_stored_answer(project: Project, key: str, path: str, body: Any) -> Answer | None:
    """Look up the stored answer of an earlier request with this key.

    For work that is too long for one transaction: look up, work, then store with `run_once`. Raises
    `InvalidParameters` like `run_once`.
    """
    _refuse_long_key(key)
    with tenant_scope(project):
        return _find_answer(project, key, _compute_request_digest(path, body))


def was_answered(project: Project, key: str) -> bool:
    """Return whether a request with this key was answered before, this one or another."""
    _refuse_long_key(key)
    with tenant_scope(project):
        return _find_row(project, key) is not None


def _lock_foreign_keys(project: Project) -> None:
    """Lock the referenced rows early: at the insert the head of the audit chain may already be locked."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM tenancy_project p JOIN tenancy_account a ON a.id = p.account_id"
            " WHERE p.id = %s FOR KEY SHARE",
            [project.pk],
        )


def _refuse_long_key(key: str) -> None:
    if len(key) > MAX_KEY:
        raise InvalidParameters(f"Idempotency-Key: at most {MAX_KEY} characters")


def _find_answer(project: Project, key: str, digest: bytes) -> Answer | None:
    stored = _find_row(project, key)
    if stored is None:
        return None
    if stored.body is None:
        raise InvalidParameters("what this Idempotency-Key was answered was erased with its end user")
    if bytes(stored.body_hash) != digest:
        raise InvalidParameters("this Idempotency-Key was used for another request")
    answer: Answer = stored.body
    return answer


def _find_row(project: Project, key: str) -> StoredAnswer | None:
    rows = StoredAnswer.objects.within(project).filter(key__in=[*compute_digests(_PURPOSE, key), key])
    stored: StoredAnswer | None = rows.first()
    return stored


def _compute_request_digest(path: str, body: Any) -> bytes:
    return hashlib.sha256(json.dumps([path.rstrip("/"), body], sort_keys=True, default=str).encode()).digest()


def _lock_key(project: Project, key: str) -> None:
    """Lock the key until the transaction ends. Raises `IdempotencyInProgress`."""
    name = hashlib.sha256(f"{project.pk}:{key}".encode()).digest()
    number = int.from_bytes(name[:8], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        row = cursor.fetchone()
    if row is None or not row[0]:
        raise IdempotencyInProgress
