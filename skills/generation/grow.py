"""Skills grow: conversations of a cube are read again, and what they say about tasks becomes skills.

No model is asked inside a transaction. The last one reads the cube's episodes afresh under its lock and writes
episodes, skills and the task's end together, so that the work may run twice or die at any line. What it finds missing
there (a vector, a text that a model writes) is made outside, and it begins again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from memories.consolidation.cube_locks import lock_cube
from memories.engine import get_embedder
from memories.engine.metering import metering_usage
from memories.jobs import outbox
from memories.models import MemCube, Task
from memories.settings.extraction import ExtractionPolicies
from memories.signals import memories_changed
from skills.generation.engine import asks_model, read_conversation, write_method
from skills.generation.episode_weight import COUNTS, compute_weight
from skills.generation.episodes import Talk, load_known_episodes, load_talk, write_episodes
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


@dataclass(frozen=True, slots=True)
class Case:
    """What a task works on."""

    cube: MemCube
    policies: SkillPolicies
    wishes: ExtractionPolicies
    growth: Growth
    talks: list[Talk]


Read = list[tuple[Talk, list[Reading]]]


def grow(task: Task) -> None:
    """Does the whole of a growing task. Raises `outbox.LeaseLost` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    with tenant_scope(scope):
        case = _read(task)
    if case is None:
        with tenant_scope(scope):
            outbox.complete(task, {"nothing": "emptied"})
        return
    with metering_usage(scope):
        read = [(talk, _list_allowed_readings(case, talk)) for talk in case.talks]
        made = Made()
        made.vectors |= _embed_texts([one.about for _, found in read for one in found if _is_compared(one)])
        for _ in range(PASSES):
            try:
                with tenant_scope(scope):
                    _write(task, case, read, made)
                return
            except Wanting as wanting:
                made.vectors |= _embed_texts(wanting.texts)
                made.methods |= {order.mark: write_method(order) for order in wanting.orders}
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
    talks = [talk for key in wanted if (talk := load_talk(cube, key)) is not None]
    return Case(cube, policies, ExtractionPolicies.of(project), growth, talks)


def _list_allowed_readings(case: Case, talk: Talk) -> list[Reading]:
    """What the conversation says of tasks, without what the project wants nobody to remember."""
    found = read_conversation(talk.turns, talk.positions)
    return [one.narrowed(case.wishes.forbids) for one in found]


def _is_compared(reading: Reading) -> bool:
    return bool(reading.request) and compute_weight(reading) >= COUNTS


def _embed_texts(texts: Sequence[str]) -> dict[str, list[float]]:
    wanted = list(dict.fromkeys(texts))
    return dict(zip(wanted, get_embedder().embed_passages(wanted), strict=True)) if wanted else {}


def _write(task: Task, case: Case, read: Read, made: Made) -> None:
    """Raises `Wanting` for what is to be made first, and `outbox.LeaseLost`."""
    lock_cube(case.cube.pk)
    outbox.require_fence(task)
    grown = Grown()
    if MemCube.objects.within(task.project_id).filter(pk=case.cube.pk, epoch=task.payload["epoch"]).exists():
        purged = apply_deletions(case.cube, case.growth) | set(map(UUID, case.growth.purged))
        for talk, readings in read:
            write_episodes(case.cube, talk, readings, made.vectors)
        grown = _build_grown(case, made, frozenset(purged))
    outbox.complete(task, grown.as_result())
    transaction.on_commit(lambda: _tell(task, grown))


def _build_grown(case: Case, made: Made, purged: frozenset[UUID]) -> Grown:
    known = load_known_episodes(case.cube, get_embedder().name)
    memories = load_stated_memories(case.cube, {one.conversation for one in known})
    known = [settle_episode(one, memories) for one in known]
    policies = case.policies
    growing = Growing(case.cube, memories, made, policies.generate, not policies.approval, asks_model())
    return write_groups(growing, group_episodes(case.cube, known), purged)


def _tell(task: Task, grown: Grown) -> None:
    """Searches and pages follow what changed."""
    keys = [*grown.created, *grown.changed]
    with tenant_scope(Scope(task.account_id, task.project_id)):
        found = Skill.objects.within(task.account_id).filter(pk__in=keys).exclude(memory=None)
        memories = [str(key) for key in found.values_list("memory", flat=True)]
    if memories or grown.deleted:
        memories_changed.send_robust(
            None, project_id=str(task.project_id), operation="refined", memory_ids=memories
        )
