"""The re-extraction task: make memories anew from stored messages, after new rules or with another model.

A run goes through the requests that brought messages, oldest first. Each is one step, in one transaction under the
cube's lock and the task's fence: what the messages say by today's extraction is compared with what was made of them.
What both have stays, what only the old one has is archived, what only the new one has is consolidated as if it had been
said just then. So a run may be killed at any line and started twice; a second one finds nothing to do.

What people edited, froze, moved to the trash or deleted is left alone, and so is all that was made of the same
messages. Memories of tools and files, public memories and knowledge bases are left alone too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction

from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.reconcile import Outcome, reconcile_drafts
from memories.consolidation.versions import change_memory
from memories.ingest.reextraction.comparison import (
    Prepared,
    RequestComparison,
    compare_request,
    is_cleared,
    prepare_drafts,
)
from memories.ingest.reextraction.runs import (
    ACTOR,
    MADE_BY,
    Counts,
    ReextractionMode,
    add_counts,
    announce_change,
    find_cube_key,
    format_run_reason,
    list_intakes,
)
from memories.ingest.reextraction.undo import undo_run
from memories.ingest.refine import RefineWork, build_origin, read_work
from memories.ingest.request_options import apply_options
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import Intake, MemCube, Task
from memories.profiles import bindings
from memories.values import MemoryStatus, Subject
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

# One go of the task: then everybody else's work has its turn.
STEPS, SECONDS = 20, 5.0
# Requests that a sample is made of, and the texts of each sort that are shown.
SAMPLED, SHOWN = 40, 8


@dataclass(frozen=True, slots=True)
class Sample:
    """Texts that a run would add and archive, of the newest requests."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def reextract_memories(task: Task) -> None:
    """Does a run, or as much of it as one go may. Raises `Unfinished`, and `outbox.LeaseLost`."""
    scope = Scope(task.account_id, task.project_id)
    until = time.monotonic() + SECONDS
    if task.payload["mode"] == ReextractionMode.UNDO:
        undo_run(task, scope, until)
    else:
        _go_on(task, scope, until)


def _go_on(task: Task, scope: Scope, until: float) -> None:
    for _ in range(STEPS):
        with tenant_scope(scope):
            intake = _find_next_intake(task)
            if intake is None:
                outbox.complete(task, task.result)
                announce_change(task)
                return
            work = read_work(intake)
        compared = prepare_drafts(scope, work)
        labels = bindings.load_labels(scope, intake.conversation.cube) if compared.drafts else {}
        with tenant_scope(scope):
            counts = _take_step(task, work, compared, labels)
            add_counts(task, counts, cursor=str(intake.pk))
        if time.monotonic() > until:
            break
    raise Unfinished


def _find_next_intake(task: Task) -> Intake | None:
    mine = list_intakes(task.own_project, task.payload["cube"], task.payload.get("conversation", ""))
    after = task.result.get("cursor")
    intake: Intake | None = (mine.filter(pk__gt=after) if after else mine).order_by("pk").first()
    return intake


def _take_step(task: Task, work: RefineWork, prepared: Prepared, labels: dict[str, Any]) -> Counts:
    """Do one step in the caller's transaction; a preview writes as well, and is rolled back."""
    cube = work.intake.conversation.cube
    lock_cube(cube.pk)
    outbox.require_fence(task)
    if is_cleared(work) or not MemCube.objects.within(task.own_project).filter(pk=cube.pk).exists():
        return Counts(requests=1)
    is_preview = task.payload["mode"] == ReextractionMode.PREVIEW
    with transaction.atomic():
        compared = compare_request(work, prepared)
        outcome = _write_comparison(task, work, compared, prepared.by)
        if not is_preview:
            bindings.fill_fields(cube, outcome.added + outcome.merged, labels)
        transaction.set_rollback(is_preview)
    # What turned out to be said by another memory already is not added.
    return replace(compared.counts(), added=len(outcome.added))


def _write_comparison(task: Task, work: RefineWork, compared: RequestComparison, by: str) -> Outcome:
    run = task.payload["run"]
    for memory in compared.outdated:
        change_memory(memory, actor=ACTOR, reason=format_run_reason(run), status=MemoryStatus.ARCHIVED)
    marked = [
        replace(embedded, draft=replace(embedded.draft, details={**embedded.draft.details, MADE_BY: run}))
        for embedded in compared.news
    ]
    # An origin of its own, so that a memory of this run differs from the one that the first refinement wrote.
    own = uuid5(UUID(run), str(work.intake.pk))
    origin = replace(build_origin(task, work, by), task=own, keeps_words=True)
    outcome = reconcile_drafts(work.intake.conversation.cube, marked, origin) if marked else Outcome()
    apply_options(work.intake, outcome.added)
    return outcome


def sample_changes(project: Project, subject: Subject | None = None) -> Sample:
    """Sample what a run would change in the newest requests: extracted here and now, and written nowhere."""
    scope = Scope.of_project(project)
    added: list[str] = []
    removed: list[str] = []
    with tenant_scope(project):
        newest = list(list_intakes(project.pk, find_cube_key(project, subject)).order_by("-pk")[:SAMPLED])
    for intake in newest:
        with tenant_scope(project):
            work = read_work(intake)
        prepared = prepare_drafts(scope, work)
        if is_cleared(work):
            continue
        with tenant_scope(project):
            compared = compare_request(work, prepared)
        added += [embedded.draft.text for embedded in compared.news]
        removed += [memory.text for memory in compared.outdated]
        if len(added) >= SHOWN and len(removed) >= SHOWN:
            break
    return Sample(tuple(added[:SHOWN]), tuple(removed[:SHOWN]))
