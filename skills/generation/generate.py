"""The task that generates skills: reads conversations of a cube and writes what they say about tasks as skills.

No model is asked inside a transaction. The last one reads the cube's episodes afresh under its lock and writes
episodes, skills and the task's end together, so that the work may run twice or die at any line. What it finds missing
there (a vector, a text that a model writes) is made outside, and it begins again.

Models are slow, and a run is short: what they have read and written when its time is over is stored, in one transaction
with what is left to do, and the next run goes on with that. While no embedder answers, what was read is stored without
vectors, so that no model is paid again for it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from memories.consolidation.cube_locks import lock_cube
from memories.cubes.announcements import announce_changed_memories
from memories.engine import get_embedder
from memories.engine.metering import metering_usage
from memories.engine.protocols import ProviderUnavailable
from memories.jobs import outbox
from memories.models import MemCube, Task
from memories.settings.extraction import ExtractionPolicies
from skills.generation.engine import asks_model, read_conversation, write_method
from skills.generation.episode_weight import COUNTS, compute_weight
from skills.generation.episodes import (
    LoadedConversation,
    fill_vectors,
    load_conversation,
    load_known_episodes,
    write_episodes,
)
from skills.generation.evidence import load_stated_memories, settle_episode
from skills.generation.retractions import apply_deletions
from skills.generation.schedule import GenerationInput
from skills.generation.writing import (
    InputsMissing,
    PreparedInputs,
    WritingContext,
    WrittenSkills,
    group_episodes,
    write_groups,
)
from skills.models import Skill
from skills.reading.findings import TaskReading
from skills.settings.skill_settings import SkillPolicies
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

# So many times it begins again for what was missing: each skill may want a text, and then its vector.
PASSES = 100
# After so long no model is asked any more and the rest is left to the next run, for Celery ends runs of two minutes, in
# which other tasks may come before; the last answer may take `remote.LONGEST_SECONDS`. Each run gets one at least.
RUN_SECONDS = 45.0
# In a task's payload: of which episodes a model was asked to write a skill, and nothing came of it.
FRUITLESS = "fruitless"


@dataclass(frozen=True, slots=True)
class GenerationCase:
    """The cube, settings and conversations that a task works on."""

    cube: MemCube
    policies: SkillPolicies
    wishes: ExtractionPolicies
    task_input: GenerationInput
    conversations: list[LoadedConversation]


Read = list[tuple[LoadedConversation, list[TaskReading]]]


def generate_skills(task: Task) -> None:
    """Run a generation task, or as much of it as fits in one run. Raises `outbox.Unfinished` and `outbox.LeaseLost`."""
    scope, until = Scope(task.account_id, task.project_id), time.monotonic() + RUN_SECONDS
    with tenant_scope(scope):
        case = _load_case(task)
    if case is None:
        with tenant_scope(scope):
            outbox.complete(task, {"nothing": "emptied"})
        return
    with metering_usage(scope):
        read, unread = _read_conversations(case, until)
        prepared = PreparedInputs(methods=dict.fromkeys(task.payload.get(FRUITLESS, ())))
        try:
            prepared.vectors |= _embed_texts(
                [reading.about for _, readings in read for reading in readings if _is_compared(reading)]
            )
            if not read or (not unread and time.monotonic() <= until):
                _write_skills(task, case, read, prepared, until)
                return
        except ProviderUnavailable:
            if read and asks_model():
                _store_readings(task, case, read, prepared, unread)
            raise
        _store_readings(task, case, read, prepared, unread)
        raise outbox.Unfinished


def _read_conversations(case: GenerationCase, until: float) -> tuple[Read, list[LoadedConversation]]:
    """Read conversations until the time is over; return what was read and what was not.

    `until`: a time of `time.monotonic()`, in seconds.
    """
    read: Read = []
    for conversation in case.conversations:
        if read and time.monotonic() > until:
            break
        read.append((conversation, _list_allowed_readings(case, conversation)))
    return read, case.conversations[len(read) :]


def _write_skills(
    task: Task, case: GenerationCase, read: Read, prepared: PreparedInputs, until: float
) -> None:
    """Write the skills that the episodes read make. `until`: a time of `time.monotonic()`, in seconds."""
    is_late = False
    for _ in range(PASSES):
        try:
            with tenant_scope(Scope(task.account_id, task.project_id)):
                is_done = _write_results(task, case, read, prepared, is_late=is_late)
        except InputsMissing as missing:
            # The embedder first: what a model writes is lost where no vector can be made of it.
            prepared.vectors |= _embed_texts([*missing.texts, *(order.mark for order in missing.orders)])
            prepared.methods |= {order.mark: write_method(order) for order in missing.orders}
            is_late = time.monotonic() > until
            continue
        if not is_done:
            raise outbox.Unfinished
        return
    raise outbox.InputsChanged(str(task.pk))


def _load_case(task: Task) -> GenerationCase | None:
    """Load what the task works on; None when the cube was emptied since.

    No conversation is loaded where the project has generation switched off.
    """
    project = Project.objects.get(pk=task.own_project)
    cube = (
        MemCube.objects.within(project).filter(pk=task.payload["cube"], epoch=task.payload["epoch"]).first()
    )
    if cube is None:
        return None
    policies = SkillPolicies.of(project)
    task_input = GenerationInput.read(task.payload)
    wanted = task_input.conversations if policies.generate else ()
    conversations = [
        conversation for key in wanted if (conversation := load_conversation(cube, key)) is not None
    ]
    return GenerationCase(cube, policies, ExtractionPolicies.of(project), task_input, conversations)


def _list_allowed_readings(case: GenerationCase, conversation: LoadedConversation) -> list[TaskReading]:
    """Read what the conversation says about tasks, without what the project forbids to remember."""
    readings = read_conversation(conversation.turns, conversation.positions)
    return [reading.narrowed(case.wishes.forbids) for reading in readings]


def _is_compared(reading: TaskReading) -> bool:
    return bool(reading.request) and compute_weight(reading) >= COUNTS


def _embed_texts(texts: Sequence[str]) -> dict[str, list[float]]:
    wanted = list(dict.fromkeys(texts))
    return dict(zip(wanted, get_embedder().embed_passages(wanted), strict=True)) if wanted else {}


def _store_readings(
    task: Task,
    case: GenerationCase,
    read: Read,
    prepared: PreparedInputs,
    unread: Sequence[LoadedConversation],
) -> None:
    """Store the readings, and leave the conversations that were not read in the task. Raises `outbox.LeaseLost`."""
    with tenant_scope(Scope(task.account_id, task.project_id)):
        lock_cube(case.cube.pk)
        outbox.require_fence(task)
        if _is_emptied(task, case):
            return  # the next run finds nothing to do
        purged = _write_read(case, read, prepared)
        left = tuple(str(conversation.id) for conversation in unread)
        rest = GenerationInput(left, purged=tuple(sorted(map(str, purged))))
        outbox.store_payload(task, task.payload | rest.as_json())


def _write_results(
    task: Task, case: GenerationCase, read: Read, prepared: PreparedInputs, *, is_late: bool
) -> bool:
    """Write episodes and skills in the caller's transaction; False when some are left to the next run.

    Only when `is_late` are skills left that a model has to write. Raises `InputsMissing` for what must be made outside
    of the transaction first, and `outbox.LeaseLost`.
    """
    lock_cube(case.cube.pk)
    outbox.require_fence(task)
    written = WrittenSkills.read(task.result)
    if not _is_emptied(task, case):
        purged = _write_read(case, read, prepared)
        _write_groups_of_cube(case, prepared, written, frozenset(purged), is_late=is_late)
        if written.is_unfinished:
            fruitless = [mark for mark, method in prepared.methods.items() if method is None]
            rest = GenerationInput(purged=tuple(sorted(map(str, purged)))).as_json()
            outbox.store_payload(task, task.payload | rest | {FRUITLESS: fruitless})
            outbox.store_result(task, written.as_result())
    if not written.is_unfinished:
        outbox.complete(task, written.as_result())
    transaction.on_commit(lambda: _announce_changes(task, written))
    return not written.is_unfinished


def _is_emptied(task: Task, case: GenerationCase) -> bool:
    rows = MemCube.objects.within(task.project_id).filter(pk=case.cube.pk, epoch=task.payload["epoch"])
    return not rows.exists()


def _write_read(case: GenerationCase, read: Read, prepared: PreparedInputs) -> set[UUID]:
    """Apply deletions and write episodes; return the skills whose history says what was retracted."""
    purged = apply_deletions(case.cube, case.task_input) | set(map(UUID, case.task_input.purged))
    for conversation, readings in read:
        write_episodes(case.cube, conversation, readings, prepared.vectors)
    return purged


def _write_groups_of_cube(
    case: GenerationCase,
    prepared: PreparedInputs,
    written: WrittenSkills,
    purged: frozenset[UUID],
    *,
    is_late: bool,
) -> None:
    if missing := fill_vectors(case.cube, prepared.vectors):
        raise InputsMissing(texts=missing)
    known = load_known_episodes(case.cube, get_embedder().name)
    memories = load_stated_memories(case.cube, {episode.conversation for episode in known})
    known = [settle_episode(episode, memories) for episode in known]
    policies = case.policies
    context = WritingContext(
        case.cube, memories, prepared, policies.generate, not policies.approval, asks_model(), is_late
    )
    write_groups(context, group_episodes(case.cube, known), purged, written)


def _announce_changes(task: Task, written: WrittenSkills) -> None:
    """Announce the memories of changed skills to searches and open pages."""
    keys = [*written.created, *written.changed]
    with tenant_scope(Scope(task.account_id, task.project_id)):
        skills = Skill.objects.within(task.account_id).filter(pk__in=keys).exclude(memory=None)
        memories = list(skills.values_list("memory", flat=True))
    if memories or written.deleted:
        announce_changed_memories(task.project_id, "refined", memories)
