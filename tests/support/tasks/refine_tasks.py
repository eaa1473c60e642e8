"""Refine tasks that a test does itself, when it wants and as often as it wants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories import tasks
from memories.ingest.accept_messages import add_messages
from memories.jobs import outbox
from memories.models import Task
from memories.values import NewMessage, NewMessages, OwnerKind, Subject, TaskState
from tenancy.models import Project

KIM = Subject(OwnerKind.END_USER, "kim")
THEN = datetime(2025, 7, 1, 12, tzinfo=UTC)
BEFORE = ["I live in Beijing.", "I like tea."]
NEWS = ["I moved to Shanghai in June 2025.", "I like tea.", "How are you?"]


def say(project: Project, *texts: str, day: int = 0) -> Task:
    """Adds messages whose task waits until the test does it: the stack's own worker does not find it due."""
    at = THEN + timedelta(days=day)
    messages = tuple(NewMessage("user", text, text, at, at.isoformat()) for text in texts)
    new = NewMessages((KIM,), f"talk {day}", messages, tags=("home",), allow_public=True)
    with transaction.atomic():
        task = add_messages(project, new)
        later = timezone.now() + timedelta(hours=1)
        Task.objects.within(project).filter(pk=task.pk).update(due_at=later)
    return task


def take(task: Task) -> Task:
    """The test's own claim, also of what another run left half done: at no moment the stack's worker may."""
    row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
    lease_until = timezone.now() + outbox.LEASE
    row.update(state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=lease_until)
    mine: Task = row.get()
    return mine


def begin(project: Project) -> Task:
    """A user with a past says news."""
    tasks.execute_task(take(say(project, *BEFORE)))
    return say(project, *NEWS, day=1)
