"""Delete texts and files of messages after their retention time; when, by whom and where they were said stays.

The memories that came of them stay, and through what is left of the messages they still know whose they are: deleting
an end user finds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.utils import timezone

from memories.files.message_files import drop_message_files
from memories.models import Message, Task
from memories.models.task import OPEN_STATES
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.requests.retention_settings import RetentionPolicies
from tenancy.runtime.batching import run_for_each_owner

# So many messages in a transaction.
BATCH = 500


def clear_messages() -> int:
    """One round over all projects at work: nobody could look at what an archived one loses. May be killed at any time:
    what is left is left to the next."""
    return run_for_each_owner("clear_messages", Project.objects.at_work(), _clear_project)


def _clear_project(project: Project) -> int:
    before = RetentionPolicies.of(project).get_message_cutoff(timezone.now())
    return sum(_delete_in_batches(project, before)) if before else 0


def _delete_in_batches(project: Project, before: datetime) -> Iterator[int]:
    """Each a small transaction; a message that somebody is writing is left to the next round.

    So is one that work of that age has still to read: after a long outage of the workers nothing is lost.
    """
    unread = (
        Task.objects.within(project).filter(state__in=OPEN_STATES, created_at__lt=before).values("subject")
    )
    while True:
        with tenant_scope(project):
            due = Message.objects.within(project).filter(created_at__lt=before, cleared_at=None)
            due = due.exclude(conversation__cube__in=unread).exclude(attachments__in=unread)
            locked = due.order_by("created_at").select_for_update(skip_locked=True)
            keys = list(locked.values_list("pk", flat=True)[:BATCH])
            drop_message_files(project, keys)
            batch = Message.objects.within(project).filter(pk__in=keys)
            batch.update(text="", content=None, extra={}, cleared_at=timezone.now())
        yield len(keys)
        if len(keys) < BATCH:
            return
