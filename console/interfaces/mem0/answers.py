"""Memories, versions, events and entities in the shapes that mem0's clients read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.utils import timezone

from memories.ingest.accept_messages import RAW_TAG
from memories.lifecycle.entities import UNNAMED, Entity, select_personal_memories
from memories.models import Conversation, Intake, MemCube, Memory, MemoryVersion, Task
from memories.values import MemoryStatus, OwnerKind, TaskKind, TaskState
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

PENDING, RUNNING, SUCCEEDED, FAILED = "PENDING", "RUNNING", "SUCCEEDED", "FAILED"
TYPE_OF = {
    OwnerKind.END_USER: "user",
    OwnerKind.AGENT: "agent",
    OwnerKind.APP: "app",
    OwnerKind.RUN: "run",
}
# What becomes of a memory, by the list of a task's result that names it.
OUTCOMES = {"added": "ADD", "merged": "UPDATE", "superseded": "DELETE"}
# In the payload of a task that records what was done at once, and has nothing to do.
EVENT = "event"


def format_iso_time(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def get_entity_ids(memory: Memory, cube: MemCube | None = None) -> dict[str, str | None]:
    """The entities that a memory is about. A conversation that was sent without a name has none here either."""
    cube = cube or memory.cube
    owner = {cube.owner_kind: cube.owner_id}
    run = "" if memory.conversation_key.startswith(UNNAMED) else memory.conversation_key
    return {
        "user_id": owner.get(OwnerKind.END_USER),
        "agent_id": owner.get(OwnerKind.AGENT) or memory.agent_id or None,
        "app_id": owner.get(OwnerKind.APP) or memory.app_id or None,
        "run_id": owner.get(OwnerKind.RUN) or run or None,
    }


def build_memory_row(
    memory: Memory, fields: Sequence[str] = (), cube: MemCube | None = None
) -> dict[str, Any]:
    """Every key that some client reads is there in every answer. `fields` narrow it; the id always stays.

    `cube` is its owner's, where the caller has it at hand.
    """
    ids = get_entity_ids(memory, cube)
    row = {
        "id": str(memory.pk),
        "memory": memory.text,
        **ids,
        "session_id": ids["run_id"],
        "metadata": memory.info,
        "categories": [tag for tag in memory.tags if tag != RAW_TAG],
        "created_at": format_iso_time(memory.created_at),
        "updated_at": format_iso_time(memory.updated_at),
        "expiration_date": memory.expires_on.isoformat() if memory.expires_on else None,
        "immutable": memory.status == MemoryStatus.FROZEN,
        "replaced_by": str(memory.superseded_by_id) if memory.superseded_by_id else None,
    }
    return select_fields(row, fields)


def select_fields(row: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name == "id" or name in fields} if fields else row


def build_history_rows(memory: Memory) -> list[dict[str, Any]]:
    """Oldest first: how it began, then each change with what it said before and after."""
    versions: list[MemoryVersion] = sorted(memory.versions.all(), key=lambda version: version.number)
    texts = [*(version.text for version in versions), memory.text]
    messages = sorted(
        (source.message for source in memory.sources.all()), key=lambda message: message.said_at
    )
    about = {name: value for name, value in get_entity_ids(memory).items() if name == "user_id"}
    categories = [tag for tag in memory.tags if tag != RAW_TAG]
    rows = [
        {
            "id": str(uuid5(NAMESPACE_URL, f"{memory.pk}#added")),
            "event": "ADD",
            "input": [{"role": message.role, "content": message.text} for message in messages],
            "old_memory": None,
            "new_memory": texts[0],
            "created_at": format_iso_time(memory.created_at),
            "updated_at": format_iso_time(memory.created_at),
        }
    ]
    rows += [
        {
            "id": str(version.pk),
            "event": "UPDATE",
            "input": [],
            "old_memory": version.text,
            "new_memory": after,
            "created_at": format_iso_time(version.created_at),
            "updated_at": format_iso_time(version.created_at),
        }
        for version, after in zip(versions, texts[1:], strict=True)
    ]
    whole = {"memory_id": str(memory.pk), **about, "metadata": memory.info, "categories": categories}
    return [{**row, **whole} for row in rows]


def build_entity_row(project: Project, entity: Entity) -> dict[str, Any]:
    return {
        "id": str(uuid5(project.pk, f"{entity.kind}:{entity.name}")),
        "name": entity.name,
        "type": TYPE_OF[entity.kind],
        "owner": str(project.account_id),
        "metadata": None,
        "total_memories": entity.memories,
        "created_at": format_iso_time(entity.created_at),
        "updated_at": format_iso_time(entity.updated_at),
    }


def build_result_row(memory: Memory, event: str) -> dict[str, Any]:
    return {"id": str(memory.pk), "event": event, "data": {"memory": memory.text}}


def build_event_rows(project: Project, tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """The events of these tasks; as many questions of the database for many as for one."""
    keys = {key for task in tasks for name in OUTCOMES for key in task.result.get(name, [])}
    with tenant_scope(project):
        memories = {
            str(memory.pk): memory
            for memory in select_personal_memories(project).filter(pk__in=keys).only("text")
        }
        intakes = _load_intakes(project, tasks)
    files = {key for task in tasks for key in task.payload.get("files", [])}
    states = {str(task.pk): task for task in Task.objects.within(project).filter(pk__in=files)}
    return [_build_event(task, memories, intakes, states) for task in tasks]


def _load_intakes(project: Project, tasks: Iterable[Task]) -> dict[str, Intake]:
    keys = [task.payload["intake"] for task in tasks if "intake" in task.payload]
    intakes = Intake.objects.within(project).filter(pk__in=keys).select_related("conversation__cube")
    return {str(intake.pk): intake for intake in intakes}


def _build_event(
    task: Task, memories: Mapping[str, Memory], intakes: Mapping[str, Intake], files: Mapping[str, Task]
) -> dict[str, Any]:
    parts = [task, *(files[key] for key in task.payload.get("files", []) if key in files)]
    status = _combine_status(parts)
    intake = intakes.get(task.payload.get("intake", ""))
    ended = max((part.finished_at for part in parts if part.finished_at), default=None)
    is_over = status in {SUCCEEDED, FAILED}
    results = [
        build_result_row(memories[key], event)
        for name, event in OUTCOMES.items()
        for key in task.result.get(name, [])
        if key in memories
    ]
    broken = next((part for part in parts if part.state in {TaskState.FAILED, TaskState.DEAD}), None)
    return {
        "id": str(task.pk),
        "event_type": task.payload.get(EVENT, "ADD"),
        "status": status,
        "payload": _build_payload(intake) if intake else {},
        "metadata": intake.info if intake else None,
        "results": results,
        "created_at": format_iso_time(task.created_at),
        "updated_at": format_iso_time(ended or task.created_at),
        "started_at": format_iso_time(task.created_at) if status != PENDING else None,
        "completed_at": format_iso_time(ended) if is_over else None,
        "latency": round((ended - task.created_at).total_seconds() * 1000, 1) if is_over and ended else None,
        "error": (broken.error_text or broken.error_code or "failed") if broken else None,
    }


def _combine_status(parts: Sequence[Task]) -> str:
    states = {part.state for part in parts}
    if states & {TaskState.FAILED, TaskState.DEAD}:
        return FAILED
    if states == {TaskState.COMPLETED}:
        return SUCCEEDED
    return PENDING if states == {TaskState.QUEUED} else RUNNING


def _build_payload(intake: Intake) -> dict[str, Any]:
    talk: Conversation = intake.conversation
    cube = talk.cube
    run = None if talk.external_id.startswith(UNNAMED) else talk.external_id
    ids = {f"{TYPE_OF[OwnerKind(cube.owner_kind)]}_id": cube.owner_id} if cube.owner_kind in TYPE_OF else {}
    given = {"agent_id": intake.agent_id or None, "app_id": intake.app_id or None, "run_id": run}
    named = {name: value for name, value in (given | ids).items() if value}
    return {**named, "metadata": intake.info}


def record_event(project: Project, event: str, **payload: Any) -> Task:
    """A task that is done already, so that the event of what was done at once can be read."""
    task: Task = Task.objects.create(
        account_id=project.account_id,
        project_id=project.pk,
        kind=TaskKind.PURGE,
        subject=project.pk,
        dedupe_key=str(uuid7()),
        payload={EVENT: event, **payload},
        state=TaskState.COMPLETED,
        finished_at=timezone.now(),
    )
    return task
