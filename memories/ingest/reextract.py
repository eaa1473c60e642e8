"""Makes memories anew from the messages that are stored: after a new version of the rules, or with another model.

A run goes through the requests that brought messages, oldest first. Each is one step, in one transaction under the
cube's lock and the task's fence: what the messages say by today's extraction is compared with what was made of them.
What both have stays, what only the old one has is archived, what only the new one has is consolidated as if it had been
said just then. So a run may be killed at any line and started twice; a second one finds nothing to do.

What people edited, froze, threw away or deleted is left alone, and so is all that was made of the same messages.
Memories of tools and files, public memories and knowledge bases are left alone too.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Q, QuerySet

from memories.consolidation.neighbours import Embedded, embed_drafts
from memories.consolidation.reconcile import Outcome, lock_cube, reconcile_drafts
from memories.consolidation.revise import is_frozen
from memories.consolidation.versions import POLICY, WORKER, change_memory
from memories.engine.local.corrections import without_superseded
from memories.engine.metering import metering_usage
from memories.ingest.attachments import Unfinished
from memories.ingest.refine import Work, extract_drafts, origin_of, read_work
from memories.jobs import outbox
from memories.lifecycle.erase import erase_memories
from memories.models import Intake, MemCube, Memory, MemoryVersion, Message, Task
from memories.models.memory import MemoryQuerySet
from memories.models.trash_visibility import seeing_trash
from memories.profiles import bindings
from memories.signals import memories_changed
from memories.text.content import content_hash
from memories.values import Draft, Kind, OwnerKind, Status, Subject, TaskKind, TaskState
from tenancy.audit.log import record_event
from tenancy.errors import EndUserUnknown
from tenancy.ids import uuid7
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project, User

ACTOR = "reextract"
# The key in a memory's `details` that names the run which made it.
MADE_BY = "reextraction"
# One go of the task: then everybody else's work has its turn.
STEPS, SECONDS = 20, 5.0
UNDONE_AT_ONCE = 50
# Requests that a sample is made of, and the texts of each sort that are shown.
SAMPLED, SHOWN = 40, 8
# The order of the tasks of one project's runs.
_RUNS = UUID("0d1f7a52-54f0-4a0c-9a35-6a6e3f2f4c11")
RECALLABLE = (Status.ACTIVATED, Status.FROZEN)
_MADE = (Kind.FACT, Kind.PREFERENCE)
_SUBJECTS = (OwnerKind.END_USER, OwnerKind.AGENT)


class Mode(StrEnum):
    PREVIEW = "preview"
    APPLY = "apply"
    UNDO = "undo"


@dataclass(slots=True)
class Counts:
    """How many memories a run adds, archives, keeps, and leaves alone because people had touched them."""

    requests: int = 0
    added: int = 0
    removed: int = 0
    kept: int = 0
    left_alone: int = 0

    def add(self, other: Counts) -> None:
        for name, count in asdict(other).items():
            setattr(self, name, getattr(self, name) + count)


@dataclass(frozen=True, slots=True)
class Sample:
    """Texts that a run would add and archive, of the newest requests."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one request's messages said by the old extraction and say by today's."""

    news: list[Embedded] = field(default_factory=list)
    outdated: list[Memory] = field(default_factory=list)
    kept: int = 0
    left_alone: int = 0

    def counts(self) -> Counts:
        return Counts(1, len(self.news), len(self.outdated), self.kept, self.left_alone)


def start_run(
    project: Project, mode: Mode, actor: User | None, run: UUID | None = None, subject: Subject | None = None
) -> Task:
    """Writes the task of a run, of one end user or agent where one is named; `run` names the one to undo.

    Raises `EndUserUnknown`.
    """
    with tenant_scope(project):
        key = run or uuid7()
        payload = {"mode": mode.value, "run": str(key), "cube": _cube_key(project, subject)}
        order = uuid5(_RUNS, str(project.pk))
        task = outbox.write_work(
            project.account_id, project.pk, TaskKind.REEXTRACT, f"{mode}:{uuid7()}", payload, order
        )
        if mode is not Mode.PREVIEW:
            detail = {"run": str(key), "is_undo": mode is Mode.UNDO}
            record_event(
                project.account, actor, "memories.reextracted", project, project=project, detail=detail
            )
    return task


def _cube_key(project: Project, subject: Subject | None) -> str:
    if subject is None:
        return ""
    cube = MemCube.objects.within(project).filter(owner_kind=subject.kind, owner_id=subject.id).first()
    if cube is None:
        raise EndUserUnknown(subject.id)
    return str(cube.pk)


def runs_of(project: Project, most: int = 5) -> list[Task]:
    """The newest runs, previews and undos; call it inside the project's scope."""
    return list(Task.objects.within(project).filter(kind=TaskKind.REEXTRACT).order_by("-created_at")[:most])


def counts_of(task: Task) -> Counts:
    return Counts(**task.result.get("counts", {}))


def reextract_memories(task: Task) -> None:
    """Does a run, or as much of it as one go may. Raises `Unfinished`, and `outbox.LeaseLost`."""
    scope = Scope(task.account_id, task.project_id)
    until = time.monotonic() + SECONDS
    if task.payload["mode"] == Mode.UNDO:
        _undo(task, scope, until)
    else:
        _go_on(task, scope, until)


def _go_on(task: Task, scope: Scope, until: float) -> None:
    for _ in range(STEPS):
        with tenant_scope(scope):
            intake = _next_intake(task)
            if intake is None:
                outbox.complete(task, task.result)
                _announce(task)
                return
            work = read_work(intake)
        compared = _prepared(scope, work)
        labels = bindings.labels_for(scope, intake.conversation.cube) if compared.drafts else {}
        with tenant_scope(scope):
            counts = _step(task, work, compared, labels)
            _note_progress(task, counts, intake)
        if time.monotonic() > until:
            break
    raise Unfinished


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything slow of one step: drafts with vectors, and who extracted them."""

    drafts: list[Embedded]
    by: str


def _prepared(scope: Scope, work: Work) -> Prepared:
    """No transaction may be open here."""
    if _is_cleared(work):
        return Prepared([], "")
    with metering_usage(scope):
        found = extract_drafts(work)
    drafts = [draft for draft in without_superseded(found.drafts) if draft.kind in _MADE]
    return Prepared(embed_drafts(drafts), found.by)


def _is_cleared(work: Work) -> bool:
    """The project's retention took words of it: what was made of them cannot be made anew."""
    return any(message.cleared_at is not None for message in work.messages[work.known :])


def _next_intake(task: Task) -> Intake | None:
    mine = _intakes(task.own_project, task.payload["cube"])
    after = task.result.get("cursor")
    found: Intake | None = (mine.filter(pk__gt=after) if after else mine).order_by("pk").first()
    return found


def _intakes(project: UUID, cube: str) -> QuerySet[Intake]:
    held: QuerySet[Intake] = Intake.objects.within(project).select_related("conversation__cube", "project")
    of_subjects = held.filter(conversation__cube__owner_kind__in=_SUBJECTS)
    return of_subjects.filter(conversation__cube=cube) if cube else of_subjects


def _step(task: Task, work: Work, prepared: Prepared, labels: dict[str, Any]) -> Counts:
    """In the caller's transaction; a preview writes as well, and rolls back."""
    cube = work.intake.conversation.cube
    lock_cube(cube.pk)
    outbox.require_fence(task)
    if _is_cleared(work) or not MemCube.objects.within(task.own_project).filter(pk=cube.pk).exists():
        return Counts(requests=1)
    is_preview = task.payload["mode"] == Mode.PREVIEW
    with transaction.atomic():
        compared = _compare(work, prepared)
        outcome = _write(task, work, compared, prepared.by)
        if not is_preview:
            bindings.fill_fields(cube, outcome.added + outcome.merged, labels)
        transaction.set_rollback(is_preview)
    return replace_added(compared.counts(), len(outcome.added))


def replace_added(counts: Counts, added: int) -> Counts:
    """What turned out to be said by another memory already is not added."""
    return replace(counts, added=added)


def _compare(work: Work, prepared: Prepared) -> Comparison:
    """Under the cube's lock."""
    messages = work.messages[work.known :]
    withheld = _withheld(work, messages)
    made = _made_of(work, messages)
    holding = [memory for memory in made if memory.valid_until is None and memory.status in RECALLABLE]
    free = [memory for memory in holding if not withheld & _sources_of(memory) and _is_machine_made(memory)]
    drafts = [one for one in prepared.drafts if not withheld & _turns_of(one.draft, work)]
    said = {(one.draft.kind, content_hash(one.draft.text)) for one in drafts}
    known = {key for memory in made for key in _wordings_of(memory)}
    read = {message.pk for message in work.messages}
    # What other messages say too stays: they may say it still.
    outdated = [
        memory for memory in free if not said & set(_wordings_of(memory)) and _sources_of(memory) <= read
    ]
    news = [one for one in drafts if (one.draft.kind, content_hash(one.draft.text)) not in known]
    return Comparison(news, outdated, len(free) - len(outdated), len(holding) - len(free))


def _made_of(work: Work, messages: Sequence[Message]) -> list[Memory]:
    """The memories that came from these messages, the replaced too; without what a run has archived."""
    mine = Memory.objects.within(work.intake.conversation.cube).filter(kind__in=_MADE, is_rough=False)
    found = mine.filter(sources__message__in=[message.pk for message in messages]).distinct()
    rows = found.defer("embedding", "words", "words_vector").prefetch_related("sources", "versions")
    return [memory for memory in rows if not _is_archived_by_run(memory)]


def _is_archived_by_run(memory: Memory) -> bool:
    newest = next(iter(memory.versions.all()), None)
    return memory.status == Status.ARCHIVED and newest is not None and newest.actor == ACTOR


def _wordings_of(memory: Memory) -> list[tuple[Kind, bytes]]:
    """Its text, and what was said in other words or before it was enriched."""
    kind = Kind(memory.kind)
    others = [
        text for version in memory.versions.all() for text in (version.text, version.other_text) if text
    ]
    return [(kind, bytes(memory.content_hash)), *((kind, content_hash(text)) for text in others)]


def _sources_of(memory: Memory) -> set[UUID]:
    return {source.message_id for source in memory.sources.all()}


def _turns_of(draft: Draft, work: Work) -> set[UUID]:
    return {work.messages[turn].pk for turn in draft.turns if turn >= work.known}


def _is_machine_made(memory: Memory) -> bool:
    """No person, program or feedback has changed it since the engine wrote it."""
    is_untouched = all(version.actor in {WORKER, POLICY, ACTOR} for version in memory.versions.all())
    return (
        is_untouched
        and not is_frozen(memory)
        and not memory.details.get("feedback")
        and bool(memory.extracted_by)
    )


def _withheld(work: Work, messages: Sequence[Message]) -> set[UUID]:
    """Messages of which people had a memory changed, thrown away or deleted."""
    keys = [message.pk for message in messages]
    withheld = {message.pk for message in messages if message.withheld_at is not None}
    cube = work.intake.conversation.cube
    with seeing_trash():
        mine = Memory.objects.within(cube).filter(kind__in=_MADE, sources__message__in=keys).distinct()
        rows = mine.defer("embedding", "words", "words_vector").prefetch_related("sources", "versions")
        for memory in rows:
            if memory.status == Status.DELETED or not _is_machine_made(memory):
                withheld |= _sources_of(memory)
        if _had_more(work):
            withheld |= set(keys)
    return withheld


def _had_more(work: Work) -> bool:
    """Whether something that the first refinement made is deleted since: before messages were marked, only its task
    knows."""
    task = (
        Task.objects.within(work.intake.project_id)
        .filter(kind=TaskKind.REFINE, dedupe_key=str(work.intake.pk))
        .first()
    )
    added = set(task.result.get("added", ())) if task else set()
    if not added:
        return False
    left = Memory.objects.within(work.intake.conversation.cube).filter(pk__in=added).count()
    return bool(left < len(added))


def _write(task: Task, work: Work, compared: Comparison, by: str) -> Outcome:
    run = task.payload["run"]
    for memory in compared.outdated:
        change_memory(memory, actor=ACTOR, reason=_reason(run), status=Status.ARCHIVED)
    marked = [
        replace(one, draft=replace(one.draft, details={**one.draft.details, MADE_BY: run}))
        for one in compared.news
    ]
    # An origin of its own, so that a memory of this run is told from the one that the first refinement wrote.
    origin = replace(origin_of(task, work, by), task=uuid5(UUID(run), str(work.intake.pk)))
    return reconcile_drafts(work.intake.conversation.cube, marked, origin) if marked else Outcome()


def _reason(run: str) -> str:
    return f"made anew from its messages by run {run}"


def _note_progress(task: Task, counts: Counts, intake: Intake) -> None:
    """In the step's transaction: a step that is written is never done again."""
    total = counts_of(task)
    total.add(counts)
    task.result = {**task.result, "counts": asdict(total), "cursor": str(intake.pk)}
    _save_result(task)


def _save_result(task: Task) -> None:
    held = Task.every.filter(pk=task.pk, fence=task.fence, state=TaskState.RUNNING)
    if not held.update(result=task.result):
        raise outbox.LeaseLost(str(task.pk))


def _undo(task: Task, scope: Scope, until: float) -> None:
    run = task.payload["run"]
    while True:
        with tenant_scope(scope):
            counts = _undo_some(task, run)
            if counts is None:
                outbox.complete(task, task.result)
                _announce(task)
                return
            total = counts_of(task)
            total.add(counts)
            task.result = {**task.result, "counts": asdict(total)}
            _save_result(task)
        if time.monotonic() > until:
            raise Unfinished


def _undo_some(task: Task, run: str) -> Counts | None:
    """Deletes what the run made, then restores what it archived; None when nothing is left."""
    project = Project.objects.select_related("account").get(pk=task.own_project)
    mine: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(project))
    seen = task.result.get("seen", "")
    made = mine.filter(**{f"details__{MADE_BY}": run})
    made = made.filter(pk__gt=seen) if seen else made
    batch = list(made.order_by("pk").prefetch_related("versions")[:UNDONE_AT_ONCE])
    if batch:
        _lock_all(task, batch)
        untouched = [memory.pk for memory in batch if _is_machine_made(memory)]
        task.result = {**task.result, "seen": str(batch[-1].pk)}
        erase_memories(project, mine.filter(pk__in=untouched), is_by_person=False)
        return Counts(removed=len(untouched), left_alone=len(batch) - len(untouched))
    return _restore_some(task, mine, run)


def _restore_some(task: Task, mine: MemoryQuerySet, run: str) -> Counts | None:
    versions = MemoryVersion.objects.within(mine).filter(actor=ACTOR, reason=_reason(run))
    after = task.result.get("restored", "")
    versions = versions.filter(pk__gt=after) if after else versions
    batch = list(versions.select_related("memory").order_by("pk")[:UNDONE_AT_ONCE])
    if not batch:
        return None
    _lock_all(task, [version.memory for version in batch])
    restored = sum(_restore(mine, version) for version in batch)
    task.result = {**task.result, "restored": str(batch[-1].pk)}
    return Counts(added=restored, left_alone=len(batch) - restored)


def _restore(mine: MemoryQuerySet, version: MemoryVersion) -> bool:
    """False where somebody changed it since, or where another memory says it now."""
    memory = mine.select_for_update(of=("self",)).filter(pk=version.memory_id).first()
    if memory is None or memory.status != Status.ARCHIVED or memory.version != version.number + 1:
        return False
    same = Q(kind=memory.kind, content_hash=memory.content_hash)
    if Memory.objects.within(memory.cube_id).current().filter(same).exclude(pk=memory.pk).exists():
        return False
    change_memory(
        memory, actor=ACTOR, reason="a run of making memories anew was undone", status=version.status
    )
    return True


def _lock_all(task: Task, memories: Sequence[Memory]) -> None:
    for key in sorted({memory.cube_id for memory in memories}):
        lock_cube(key)
    outbox.require_fence(task)


def _announce(task: Task) -> None:
    if task.payload["mode"] != Mode.PREVIEW:
        project = str(task.project_id)
        transaction.on_commit(
            lambda: memories_changed.send_robust(None, project_id=project, operation="refined", memory_ids=[])
        )


def sample_changes(project: Project, subject: Subject | None = None) -> Sample:
    """What a run would change in the newest requests: extracted here and now, and written nowhere."""
    scope = Scope.of_project(project)
    added: list[str] = []
    removed: list[str] = []
    with tenant_scope(project):
        newest = list(_intakes(project.pk, _cube_key(project, subject)).order_by("-pk")[:SAMPLED])
    for intake in newest:
        with tenant_scope(project):
            work = read_work(intake)
        prepared = _prepared(scope, work)
        if _is_cleared(work):
            continue
        with tenant_scope(project):
            compared = _compare(work, prepared)
        added += [one.draft.text for one in compared.news]
        removed += [memory.text for memory in compared.outdated]
        if len(added) >= SHOWN and len(removed) >= SHOWN:
            break
    return Sample(tuple(added[:SHOWN]), tuple(removed[:SHOWN]))


__all__ = [
    "Counts",
    "Mode",
    "Sample",
    "counts_of",
    "reextract_memories",
    "runs_of",
    "sample_changes",
    "start_run",
]
