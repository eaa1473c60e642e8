"""Tasks of attachments that a test runs itself."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.files import storage
from memories.files.message_files import receive_files
from memories.ingest.accept_messages import add_messages
from memories.jobs import outbox
from memories.models import Task
from memories.values import NewMessage, NewMessages, OwnerKind, Subject, TaskState
from tenancy.models import Project

KIM = Subject(OwnerKind.END_USER, "kim")


def send(project: Project, value: Any, name: str = "rules.md") -> Task:
    """A message with a file whose task waits for the test: the stack's own worker does not find it due."""
    content = [{"type": "file", "file": {"file_data": value, "filename": name}}]
    message = NewMessage("user", content, "", timezone.now(), "")
    new = NewMessages((KIM,), "talk", (message,), allow_public=True)
    with storage.delete_uncommitted_files() as kept:
        new = receive_files(project, new, kept)
        with transaction.atomic():
            add_messages(project, new)
            kept.keep_on_commit()
            Task.objects.within(project).filter(kind="attachment").update(
                due_at=timezone.now() + outbox.LEASE * 60
            )
    return Task.objects.within(project).get(kind="attachment")


def take(task: Task) -> Task:
    row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
    lease_until = timezone.now() + outbox.LEASE
    row.update(state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=lease_until)
    mine: Task = row.get()
    return mine
