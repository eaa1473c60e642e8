"""Skills grow: conversations of a cube are read again, and what they say about tasks becomes skills.

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
from skills.generation.schedule import Growth
from skills.generation.writing import Growing, Grown, Made, Wanting, group_episodes, write_groups
from skills.models import Skill
from skills.reading.findings import Reading
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
class Case:
    """What a task works on."""

    cube: MemCube
    policies: SkillPolicies
    wishes: ExtractionPolicies
    growth: Growth
    conversations: list[LoadedConversation]


Read = list[tuple[LoadedConversation, list[Reading]]]


def grow(task: Task) -> None:
    """Does a growing task, or as much of it as one run may. Raises `outbox.Unfinished`, and `outbox.LeaseLost`."""
    scope, until = Scope(task.account_id, task.project_id), time.monotonic() + RUN_SECONDS
    with tenant_scope(scope):
        case = _read(task)
    if case is None:
        with tenant_scope(scope):
            outbox.complete(task, {"nothing": "emptied"})
        return
    with metering_usage(scope):
        read, unread = _read_conversations(case, until)
        made = Made(methods=dict.fromkeys(task.payload.get(FRUITLESS, ())))
        try:
            made.vectors |= _embed_texts(
                [reading.about for _, readings in read for reading in readings if _is_compared(reading)]
            )
            if not read or (not unread and time.monotonic() <= until):
                _write_skills(task, case, read, made, until)
                return
        except ProviderUnavailable:
            if read and asks_model():
                _keep_read(task, case, read, made, unread)
            raise
        _keep_read(task, case, read, made, unread)
        raise outbox.Unfinished


def _read_conversations(case: Case, until: float) -> tuple[Read, list[LoadedConversation]]:
    """What was read until the time was over, and what was not. `until`: a time of `time.monotonic()`, in seconds."""
    read: Read = []
    for conversation in case.conversations:
        if read and time.monotonic() > until:
            break
        read.append((conversation, _list_allowed_readings(case, conversation)))
    return read, case.conversations[len(read) :]


def _write_skills(task: Task, case: Case, read: Read, made: Made, until: float) -> None:
    """Write the skills that the episodes read make. `until`: a time of `time.monotonic()`, in seconds."""
    is_late = False
    for _ in range(PASSES):
        try:
            with tenant_scope(Scope(task.account_id, task.project_id)):
                is_done = _write(task, case, read, made, is_late=is_late)
        except Wanting as wanting:
            # The embedder first: what a model writes is lost where no vector can be made of it.
            made.vectors |= _embed_texts([*wanting.texts, *(order.mark for order in wanting.orders)])
            made.methods |= {order.mark: write_method(order) for order in wanting.orders}
            is_late = time.monotonic() > until
            continue
        if not is_done:
            raise outbox.Unfinished
        return
    raise outbox.InputsChanged(str(task.pk))


def _read(task: Task) -> Case | None:
    """None when the cube was emptied since, or the project lets no skills grow."""
    project = Project.objects.get(pk=task.own_project)
    cube = (
        MemCube.objects.within(project).filter(pk=task.payload["cube"], epoch=task.payload["epoch"]).first()
    )
    if cube is None:
        return None
    policies = SkillPolicies.of(project)
    growth = Growth.read(task.payload)
    wanted = growth.conversations if policies.generate else ()
    conversations = [
        conversation for key in wanted if (conversation := load_conversation(cube, key)) is not None
    ]
    return Case(cube, policies, ExtractionPolicies.of(project), growth, conversations)


def _list_allowed_readings(case: Case, conversation: LoadedConversation) -> list[Reading]:
    """What the conversation says of tasks, without what the project wants nobody to remember."""
    readings = read_conversation(conversation.turns, conversation.positions)
    return [reading.narrowed(case.wishes.forbids) for reading in readings]


def _is_compared(reading: Reading) -> bool:
    return bool(reading.request) and compute_weight(reading) >= COUNTS


def _embed_texts(texts: Sequence[str]) -> dict[str, list[float]]:
    wanted = list(dict.fromkeys(texts))
    return dict(zip(wanted, get_embedder().embed_passages(wanted), strict=True)) if wanted else {}


def _keep_read(task: Task, case: Case, read: Read, made: Made, unread: Sequence[LoadedConversation]) -> None:
    """Stores what was read, and leaves the task what was not. Raises `outbox.LeaseLost`."""
    with tenant_scope(Scope(task.account_id, task.project_id)):
        lock_cube(case.cube.pk)
        outbox.require_fence(task)
        if _is_emptied(task, case):
            return  # the next run finds nothing to do
        purged = _write_read(case, read, made)
        left = tuple(str(conversation.id) for conversation in unread)
        rest = Growth(left, purged=tuple(sorted(map(str, purged))))
        outbox.keep_payload(task, task.payload | rest.as_json())


def _write(task: Task, case: Case, read: Read, made: Made, *, is_late: bool) -> bool:
    """False when skills that a model has to write are left to the next run, which none but those that `is_late` does.

    Raises `Wanting` for what is to be made first, and `outbox.LeaseLost`.
    """
    lock_cube(case.cube.pk)
    outbox.require_fence(task)
    grown = Grown.read(task.result)
    if not _is_emptied(task, case):
        purged = _write_read(case, read, made)
        _write_grown(case, made, grown, frozenset(purged), is_late=is_late)
        if grown.is_unfinished:
            fruitless = [mark for mark, method in made.methods.items() if method is None]
            rest = Growth(purged=tuple(sorted(map(str, purged)))).as_json()
            outbox.keep_payload(task, task.payload | rest | {FRUITLESS: fruitless})
            outbox.keep_result(task, grown.as_result())
    if not grown.is_unfinished:
        outbox.complete(task, grown.as_result())
    transaction.on_commit(lambda: _announce_changes(task, grown))
    return not grown.is_unfinished


def _is_emptied(task: Task, case: Case) -> bool:
    rows = MemCube.objects.within(task.project_id).filter(pk=case.cube.pk, epoch=task.payload["epoch"])
    return not rows.exists()


def _write_read(case: Case, read: Read, made: Made) -> set[UUID]:
    """Returns the skills whose history says what was retracted."""
    purged = apply_deletions(case.cube, case.growth) | set(map(UUID, case.growth.purged))
    for conversation, readings in read:
        write_episodes(case.cube, conversation, readings, made.vectors)
    return purged


def _write_grown(case: Case, made: Made, grown: Grown, purged: frozenset[UUID], *, is_late: bool) -> None:
    if missing := fill_vectors(case.cube, made.vectors):
        raise Wanting(texts=missing)
    known = load_known_episodes(case.cube, get_embedder().name)
    memories = load_stated_memories(case.cube, {episode.conversation for episode in known})
    known = [settle_episode(episode, memories) for episode in known]
    policies = case.policies
    growing = Growing(
        case.cube, memories, made, policies.generate, not policies.approval, asks_model(), is_late
    )
    write_groups(growing, group_episodes(case.cube, known), purged, grown)


def _announce_changes(task: Task, grown: Grown) -> None:
    """Searches and pages follow what changed."""
    keys = [*grown.created, *grown.changed]
    with tenant_scope(Scope(task.account_id, task.project_id)):
        skills = Skill.objects.within(task.account_id).filter(pk__in=keys).exclude(memory=None)
        memories = list(skills.values_list("memory", flat=True))
    if memories or grown.deleted:
        announce_changed_memories(task.project_id, "refined", memories)
