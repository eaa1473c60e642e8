"""The words of an erased end user or agent: in stored answers, in the request logs and on their way there.

What is on its way is known to one process only: with several web processes, a row that another one still holds when
the erasure commits keeps its bodies until retention takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from tenancy.models import Project, RequestLog, StoredAnswer
from tenancy.usage_models import Reservation, SubjectUsage

# No request lasts, and no row waits, as long as this.
REMEMBERED = timedelta(minutes=10)
BLANK = {"request_body": "", "response_body": "", "subject_id": ""}


def erase_from_logs(project: Project, subject: str) -> None:
    """Takes the words of a subject ("kind:id") out of what the project was asked and answered, inside its scope."""
    # Now for the rows that are stored before this commits, then for the requests that read until it did.
    erasures.remember(project.pk, subject)
    RequestLog.objects.within(project).filter(subjects__contains=[subject]).update(**BLANK, subjects=[])
    # The rows stay, so that no late repeat writes again what was erased.
    answers = StoredAnswer.objects.within(project).filter(subjects__contains=[subject])
    answers.update(body=None, body_hash=b"", subjects=[])
    # The account's sums stay as they are: only whose calls they were is forgotten.
    waiting = Reservation.objects.within(project.account_id).filter(project=project, subject=subject)
    waiting.update(subject="")
    SubjectUsage.objects.within(project.account_id).filter(project=project, subject=subject).delete()
    transaction.on_commit(lambda: erasures.remember(project.pk, subject))


class _Erasures:
    """Who was erased in the last minutes, and when."""

    def __init__(self) -> None:
        self._moments: dict[tuple[UUID, str], datetime] = {}
        self._lock = Lock()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """No erasure begins in here, so that none misses the row which is being stored."""
        with self._lock:
            yield

    def remember(self, project: UUID, subject: str) -> None:
        now = timezone.now()
        with self._lock:
            recent = {who: when for who, when in self._moments.items() if when > now - REMEMBERED}
            self._moments = recent | {(project, subject): now}

    def apply(self, row: RequestLog) -> None:
        """Blanks a row whose request began before one of its subjects was erased."""
        began = row.created_at - timedelta(milliseconds=row.milliseconds)
        moments = (self._moments.get((row.project_id, subject)) for subject in row.subjects)
        if any(moment is not None and began <= moment for moment in moments):
            row.request_body = row.response_body = row.subject_id = ""
            row.subjects = []


erasures = _Erasures()
