"""Ask for a project's recall tests to be run again.

Every process that knows Django loads this with its signals; searches, which the tests run, are not loaded with it.
"""

from __future__ import annotations

from memories.jobs import outbox
from memories.models import RecallTest, Task
from memories.values import TaskKind, TaskState
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


def ask_for_recall_tests(project: Project) -> None:
    """Writes a task that runs the project's tests, if it has any; in the transaction of the change.

    One that has not begun is enough for several changes: it is held until this one is stored, and begins after it.
    """
    with tenant_scope(project):
        waiting = Task.objects.within(project).filter(kind=TaskKind.RECALL_TESTS, state=TaskState.QUEUED)
        is_asked = waiting.select_for_update(skip_locked=True).first() is not None
        if not is_asked and RecallTest.objects.within(project).exists():
            outbox.write_work(
                project.account_id,
                project_id=project.pk,
                kind=TaskKind.RECALL_TESTS,
                dedupe_key=str(uuid7()),
                payload={},
                subject=project.pk,
            )
