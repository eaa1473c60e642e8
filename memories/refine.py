"""A task's messages become memories: extract, embed, compare, write.

No model is called inside a transaction. The last transaction reads the cube afresh under its lock, writes all
memories and completes the task under its fence, so that the work may run twice or die at any line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from memories import outbox
from memories.cubes import public_cube
from memories.engine import embedder, extractor
from memories.models import Intake, MemCube, Memory, Message, Task
from memories.reconcile import Embedded, Origin, Outcome, lock_cube, reconcile
from memories.signals import conversation_refined, memories_changed
from memories.values import Draft, Turn
from tenancy.scoping import Scope, tenant_scope

# So many messages before the new ones are read again, for what the new ones answer ("I will choose the first").
CONTEXT = 4


@dataclass(frozen=True, slots=True)
class Work:
    """What a refine task works on, read in one go; `known` of the messages were refined before."""

    intake: Intake
    messages: list[Message]
    known: int


def refine(task: Task) -> None:
    """Does the whole of a refine task. Raises `outbox.LostFence` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    with tenant_scope(scope):
        work = _read(task)
    drafts = _think(work) if work else []
    with tenant_scope(scope):
        outcome = _write(task, work, drafts)
        outbox.complete(task, _result(outcome))
        transaction.on_commit(lambda: _tell(task, work, outcome))


def _read(task: Task) -> Work | None:
    """None when the cube was emptied after the messages came: what they said must not come back."""
    intake = (
        Intake.objects.within(task.project_id)
        .select_related("conversation__cube")
        .filter(pk=task.payload["intake"])
        .first()
    )
    if intake is None or _cube_of(intake).epoch != task.payload["epoch"]:
        return None
    spoken = Message.objects.within(task.project_id).filter(conversation=intake.conversation)
    first = max(0, intake.first - CONTEXT)
    messages = list(spoken.filter(position__range=(first, intake.last)).order_by("position"))
    return Work(intake, messages, intake.first - first)


def _cube_of(intake: Intake) -> MemCube:
    cube: MemCube = intake.conversation.cube
    return cube


def _think(work: Work) -> list[Embedded]:
    """Everything slow, outside any transaction."""
    drafts = extractor().extract([_turn(message) for message in work.messages], work.intake.tags)
    return embed_drafts([draft for draft in drafts if max(draft.turns) >= work.known])


def embed_drafts(drafts: Sequence[Draft]) -> list[Embedded]:
    if not drafts:
        return []
    vectors = embedder().embed_passages([draft.text for draft in drafts])
    return [Embedded(draft, vector) for draft, vector in zip(drafts, vectors, strict=True)]


def _turn(message: Message) -> Turn:
    speaker = message.extra.get("role_name") or ""
    return Turn(message.role, message.text, message.said_at, speaker if isinstance(speaker, str) else "")


def _write(task: Task, work: Work | None, drafts: Sequence[Embedded]) -> Outcome:
    if work is None:
        return Outcome()
    cube = _cube_of(work.intake)
    lock_cube(cube.pk)
    outbox.require_fence(task)
    current = MemCube.objects.within(task.project_id).filter(pk=cube.pk, epoch=task.payload["epoch"])
    if not current.exists():
        return Outcome()
    if task.payload["rough"] and not _retire_rough(cube, task.payload["rough"]):
        return Outcome()
    origin = _origin(task, work)
    outcome = reconcile(cube, drafts, origin)
    if work.intake.allow_public:
        reconcile(public_cube(work.intake.project), drafts, origin)
    return outcome


def _retire_rough(cube: MemCube, rough: str) -> bool:
    """False when a client has deleted the fast memory meanwhile: what it said must not come back refined."""
    deleted, _ = Memory.objects.within(cube).filter(pk=rough, is_rough=True).delete()
    return deleted > 0


def _origin(task: Task, work: Work) -> Origin:
    intake = work.intake
    return Origin(
        conversation=intake.conversation,
        messages=work.messages,
        task=task.pk,
        embedder=embedder().name,
        agent_id=intake.agent_id,
        app_id=intake.app_id,
        info=intake.info,
    )


def _result(outcome: Outcome) -> dict[str, Any]:
    def ids(keys: list[UUID]) -> list[str]:
        return [str(key) for key in keys]

    return {
        "added": ids(outcome.added),
        "merged": ids(outcome.merged),
        "superseded": ids(outcome.superseded),
    }


def _tell(task: Task, work: Work | None, outcome: Outcome) -> None:
    changed = [str(key) for key in outcome.added + outcome.merged + outcome.superseded]
    memories_changed.send_robust(
        None, project_id=str(task.project_id), operation="refined", memory_ids=changed
    )
    if work is not None:
        conversation_refined.send_robust(
            None,
            project_id=str(task.project_id),
            conversation_id=str(work.intake.conversation_id),
            memory_ids=changed,
        )
