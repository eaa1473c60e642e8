"""What a learning record says to those who wait for it."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from skills.models import LearningRecord, SessionMessage
from skills.values import LearningState, MessageState
from tenancy.models import Project

# Messages of these states are never learned from.
LEFT_ALONE = [MessageState.DISABLE_TRACKING, MessageState.LIMIT_EXCEED]


def record_rows(project: Project) -> QuerySet[LearningRecord]:
    """With `has_matter`: whether the session says anything that could be learned from."""
    matter = SessionMessage.objects.within(project).filter(session=OuterRef("session"))
    rows: QuerySet[LearningRecord] = LearningRecord.objects.within(project)
    return rows.annotate(has_matter=Exists(matter.exclude(state__in=LEFT_ALONE)))


def as_told(record: LearningRecord) -> LearningRecord:
    """A session in which there is nothing to learn from is learned; reading that writes nothing."""
    if record.status == LearningState.PENDING and not record.has_matter:  # type: ignore[attr-defined]
        record.status = LearningState.COMPLETED
    return record
