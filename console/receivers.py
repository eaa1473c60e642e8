"""Send page update events for signals of the other apps."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from console.data.recall_tests.ask import ask_for_recall_tests
from console.http.realtime.socket import broadcast
from knowledgebase.signals import file_changed
from memories.jobs.outbox import mark_long_tasks
from memories.retrieval.browse.saved_views import delete_member_views
from memories.signals import memories_changed, task_changed
from skills.signals import skill_changed
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Project, RequestLog, User
from tenancy.signals import billing_changed, key_refused, member_left, request_logged, search_changed


@receiver(request_logged)
def send_request_event(sender: Any, project_id: str, entry: RequestLog, **_: Any) -> None:
    broadcast(
        project_id,
        "request",
        id=str(entry.pk),
        endpoint=entry.endpoint,
        code=entry.code,
        ms=entry.milliseconds,
        origin=entry.origin,
    )


@receiver(key_refused)
def send_refused_key_event(sender: Any, project_id: str, **_: Any) -> None:
    """Pages that wait for a first request look again."""
    broadcast(project_id, "refusal")


@receiver(search_changed)
def run_recall_tests_again(sender: Any, project: Project, **_: Any) -> None:
    ask_for_recall_tests(project)


@receiver(search_changed)
def mark_tasks_of_own_model(sender: Any, project: Project, **_: Any) -> None:
    """Tasks that were written before the project had a model of its own ask it too."""
    with tenant_scope(project):
        mark_long_tasks(project)


@receiver(member_left)
def delete_views(sender: Any, account: Account, member: User, **_: Any) -> None:
    delete_member_views(account, member)


@receiver(task_changed)
def send_task_event(sender: Any, project_id: str, task_id: str, kind: str, status: str, **_: Any) -> None:
    broadcast(project_id, "task", id=task_id, kind=kind, status=status)


@receiver(memories_changed)
def send_memories_event(
    sender: Any, project_id: str, operation: str, memory_ids: list[str], **_: Any
) -> None:
    broadcast(project_id, "memory", op=operation, count=len(memory_ids))


@receiver(file_changed)
def send_file_event(
    sender: Any,
    *,
    base_id: str,
    file_id: str,
    project_ids: list[str],
    state: str,
    done: int,
    total: int,
    **_: Any,
) -> None:
    for project_id in project_ids:
        broadcast(project_id, "kbfile", base=base_id, id=file_id, state=state, done=done, total=total)


@receiver(skill_changed)
def send_skill_event(sender: Any, project_id: str, skill_id: str, operation: str, **_: Any) -> None:
    """Skills of a knowledge base have no project; their files send events of their own."""
    if project_id:
        broadcast(project_id, "skill", id=skill_id, op=operation)


@receiver(billing_changed)
def send_billing_event(sender: Any, account_id: str, state: str, **_: Any) -> None:
    """Sent to each project of the account, because sockets belong to projects."""
    for project_id in Project.objects.filter(account=UUID(account_id)).values_list("pk", flat=True):
        broadcast(str(project_id), "billing", state=state)
