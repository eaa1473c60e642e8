"""Failed work, once more."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories import outbox
from memories.models import Task
from memories.values import TaskState


@transaction.atomic
def run_again(tasks: QuerySet[Task]) -> int:
    """Puts failed and dead tasks of the query back into the queue, with their attempts forgotten."""
    over = tasks.select_for_update().filter(state__in=[TaskState.FAILED, TaskState.DEAD])
    keys = list(over.values_list("pk", flat=True))
    tasks.filter(pk__in=keys).update(
        state=TaskState.QUEUED,
        attempts=0,
        crashes=0,
        due_at=timezone.now(),
        announced_at=None,
        finished_at=None,
        error_code="",
        error_text="",
    )
    for key in keys:
        outbox.announce_on_commit(key)
    return len(keys)
