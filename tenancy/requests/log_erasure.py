"""Erase the texts and ids of an end user or agent from stored answers and request logs.

A request that began before an erasure may end after it, in any process. So the database keeps a digest of each erased
subject for a while, and every process checks it when it stores log rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import DateTimeField, Func
from django.utils import timezone

from tenancy.isolation.keyed_hashes import compute_digest, compute_digests
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog, StoredAnswer
from tenancy.models.deletion import Erasure
from tenancy.models.usage import Reservation, SubjectUsage

# No request lasts, and no row waits, as long as this.
REMEMBERED = timedelta(minutes=20)
BLANK = {"request_body": "", "response_body": "", "subject_id": ""}
# So many subjects are looked for in one statement.
BATCH = 500
# For an erasure whose end nobody wrote down, because its process died just then.
LONGEST_ERASURE = timedelta(minutes=5)


class ErasureUnderWay(Exception):
    """An erasure of the project has locked its log."""


class ClockTimestamp(Func):
    """The database's clock, which all hosts share."""

    function = "clock_timestamp"
    output_field = DateTimeField()


def erase_from_logs(project: Project, subjects: Sequence[str]) -> None:
    """Takes these subjects ("kind:id") and their words out of what the project was asked and answered.

    Inside its scope, and last: until the transaction ends nobody stores what was logged in this project.
    """
    for start in range(0, len(subjects), BATCH):
        batch = list(subjects[start : start + BATCH])
        _record_erasures(project, batch)
        _erase_batch(project, batch)
    # What another process was just storing may not have been seen yet.
    _lock_log(project.pk)
    for start in range(0, len(subjects), BATCH):
        _erase_batch(project, list(subjects[start : start + BATCH]))


def _record_erasures(project: Project, subjects: Sequence[str]) -> None:
    mine = Erasure.objects.within(project)
    mine.filter(created_at__lt=timezone.now() - REMEMBERED).delete()
    marks = [
        Erasure(account_id=project.account_id, project=project, digest=_compute_subject_digest(subject))
        for subject in subjects
    ]
    Erasure.objects.bulk_create(marks)
    keys = [mark.pk for mark in marks]

    def note_end() -> None:
        with tenant_scope(project):
            Erasure.objects.within(project).filter(pk__in=keys).update(ended_at=ClockTimestamp())

    # Should it fail, requests of the subject count as begun before for `LONGEST_ERASURE`.
    transaction.on_commit(note_end, robust=True)


def _erase_batch(project: Project, subjects: list[str]) -> None:
    logs = RequestLog.objects.within(project).filter(subjects__overlap=subjects)
    logs.update(**BLANK, subjects=[])
    # The rows stay, so that no late repeat writes again what was erased.
    answers = StoredAnswer.objects.within(project).filter(subjects__overlap=subjects)
    answers.update(body=None, body_hash=b"", subjects=[])
    anonymise_usage(project.account_id, project.pk, subjects)


def anonymise_usage(account: UUID, project: UUID, subjects: Iterable[str]) -> None:
    """Remove the subjects from usage rows; the account's sums stay."""
    named = list(subjects)
    waiting = Reservation.objects.within(account).filter(project=project, subject__in=named)
    waiting.update(subject="")
    SubjectUsage.objects.within(account).filter(project=project, subject__in=named).delete()


def blank_erased(project: UUID, rows: Sequence[RequestLog], *, waits: bool = True) -> set[str]:
    """Blanks the rows whose requests began before one of their subjects was erased; whom that concerned.

    Inside the project's scope, in the transaction that stores the rows. Where an erasure is at the log, raises
    `ErasureUnderWay` unless it `waits`.
    """
    named = {subject for row in rows for subject in row.subjects}
    if not named:
        return set()
    _share_log(project, waits=waits)
    erased_at = find_erasures(project, named)
    erased: set[str] = set()
    for row in rows:
        began = row.created_at - timedelta(milliseconds=row.milliseconds)
        gone = {subject for subject in row.subjects if subject in erased_at and began <= erased_at[subject]}
        if gone:
            row.request_body = row.response_body = row.subject_id = ""
            row.subjects = []
            erased |= gone
    return erased


def find_erasures(project: UUID, subjects: Iterable[str]) -> dict[str, datetime]:
    """Find which of these subjects were erased lately, and when by this host's clock: what began before is erased with
    them.

    Inside the project's scope.
    """
    by_digest = {digest: subject for subject in subjects for digest in compute_digests(_PURPOSE, subject)}
    marks = Erasure.objects.within(project).filter(digest__in=by_digest)
    rows = list(marks.values_list("digest", "created_at", "ended_at", ClockTimestamp()))
    now = timezone.now()
    erased_at: dict[str, datetime] = {}
    for digest, created_at, ended_at, clock in rows:
        at = (ended_at or created_at + LONGEST_ERASURE) + (now - clock)
        subject = by_digest[digest]
        erased_at[subject] = max(at, erased_at.get(subject, at))
    return erased_at


def was_anybody_erased(project: UUID, since: datetime) -> bool:
    """Return whether anybody was erased since, inside the project's tenant scope. Known for the time of `REMEMBERED`
    only."""
    return bool(Erasure.objects.within(project).filter(created_at__gte=since).exists())


def clear_erasures(project: Project) -> int:
    with tenant_scope(project):
        old = Erasure.objects.within(project).filter(created_at__lt=timezone.now() - REMEMBERED)
        return int(old.delete()[0])


_PURPOSE = "erasure"


def _compute_subject_digest(subject: str) -> str:
    return compute_digest(_PURPOSE, subject)


def _lock_log(project: UUID) -> None:
    """Lock until the transaction ends, so that erasures and those who store rows wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_compute_lock_number(project)])


def _share_log(project: UUID, *, waits: bool) -> None:
    """As `_lock_log`, for those who store rows, beside each other."""
    lock = "pg_advisory_xact_lock_shared" if waits else "pg_try_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {lock}(%s)", [_compute_lock_number(project)])
        (locked,) = cursor.fetchone()
    if not waits and not locked:
        raise ErasureUnderWay


def _compute_lock_number(project: UUID) -> int:
    name = hashlib.sha256(f"erasure:{project}".encode()).digest()
    return int.from_bytes(name[:8], "big", signed=True)
