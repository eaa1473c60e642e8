"""Re-extraction runs: start, count, list."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid5

from django.db.models import QuerySet

from memories.cubes.announcements import announce_changed_memories
from memories.jobs import outbox
from memories.models import Intake, MemCube, Task
from memories.values import SUBJECT_KINDS, Subject, TaskKind
from tenancy.audit.log import record_event
from tenancy.errors import EndUserUnknown
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, User

ACTOR = "reextract"
# The key in a memory's `details` that names the run which made it.
MADE_BY = "reextraction"
# The order of the tasks of one project's runs.
_RUNS = UUID("0d1f7a52-54f0-4a0c-9a35-6a6e3f2f4c11")


class ReextractionMode(StrEnum):
    PREVIEW = "preview"
    APPLY = "apply"
    UNDO = "undo"


@dataclass(slots=True)
class Counts:
    """Numbers of memories that a run adds, archives, keeps, and leaves alone because people had touched them."""

    requests: int = 0
    added: int = 0
    removed: int = 0
    kept: int = 0
    left_alone: int = 0

    def add(self, other: Counts) -> None:
        for name, count in asdict(other).items():
            setattr(self, name, getattr(self, name) + count)


def start_run(
    project: Project,
    mode: ReextractionMode,
    actor: User | None,
    run: UUID | None = None,
    subject: Subject | None = None,
    *,
    conversation: UUID | None = None,
) -> Task:
    """Writes the task of a run, of one end user or agent, or of one conversation, where one is named; `run` names the
    one to undo.

    Raises `EndUserUnknown`.
    """
    with tenant_scope(project):
        key = run or uuid7()
        payload = {"mode": mode.value, "run": str(key), "cube": find_cube_key(project, subject)}
        if conversation is not None:
            payload["conversation"] = str(conversation)
        order = uuid5(_RUNS, str(project.pk))
        task = outbox.write_work(
            project.account_id,
            project_id=project.pk,
            kind=TaskKind.REEXTRACT,
            dedupe_key=f"{mode}:{uuid7()}",
            payload=payload,
            subject=order,
        )
        if mode is not ReextractionMode.PREVIEW:
            detail = {"run": str(key), "is_undo": mode is ReextractionMode.UNDO}
            record_event(
                project.account, actor, "memories.reextracted", project, project=project, detail=detail
            )
    return task


def find_cube_key(project: Project, subject: Subject | None) -> str:
    if subject is None:
        return ""
    cube = MemCube.objects.within(project).filter(owner_kind=subject.kind, owner_id=subject.id).first()
    if cube is None:
        raise EndUserUnknown(subject.id)
    return str(cube.pk)


def list_runs(project: Project, most: int = 5) -> list[Task]:
    """The newest runs, previews and undos; call it inside the project's scope."""
    return list(Task.objects.within(project).filter(kind=TaskKind.REEXTRACT).order_by("-created_at")[:most])


def get_run_counts(task: Task) -> Counts:
    return Counts(**task.result.get("counts", {}))


def list_intakes(project: UUID, cube: str, conversation: str = "") -> QuerySet[Intake]:
    held: QuerySet[Intake] = Intake.objects.within(project).select_related("conversation__cube", "project")
    of_subjects = held.filter(conversation__cube__owner_kind__in=SUBJECT_KINDS)
    if conversation:
        of_subjects = of_subjects.filter(conversation=UUID(conversation))
    return of_subjects.filter(conversation__cube=UUID(cube)) if cube else of_subjects


def find_task(project: Project, key: UUID) -> Task:
    """A run's task as it is now."""
    with tenant_scope(project):
        task: Task = Task.objects.within(project).get(pk=key)
    return task


def format_run_reason(run: str) -> str:
    """The reason by which versions of memories name the run."""
    return f"made anew from its messages by run {run}"


def add_counts(task: Task, counts: Counts, **more: Any) -> None:
    """Adds to what the task has done, in the transaction of that: a step that is written is never done again."""
    total = get_run_counts(task)
    total.add(counts)
    outbox.store_result(task, {**task.result, "counts": asdict(total), **more})


def announce_change(task: Task) -> None:
    if task.payload["mode"] != ReextractionMode.PREVIEW:
        announce_changed_memories(task.project_id, "refined", [])
