"""Schedule the generation of skills: one waiting task a cube, into which every cause is merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid5

from django.utils import timezone

from memories.engine import get_chat_model_for
from memories.ingest.read_messages import build_turns
from memories.jobs import outbox
from memories.models import MemCube, Message, Task
from memories.values import OwnerKind, TaskKind, TaskState
from skills.models import Episode, Skill
from skills.reading.split_conversation import may_hold_a_task
from skills.settings.skill_settings import SkillPolicies
from skills.values import SkillOrigin
from tenancy.isolation.scoping import Scope
from tenancy.models import Project

# A model reads a conversation that rests; asked after each message it would read the same ones again and again.
REST = timedelta(seconds=10)
AT_ONCE = timedelta()
SUBJECTS = {OwnerKind.END_USER, OwnerKind.AGENT}
_WAITING = [TaskState.QUEUED, TaskState.WAITING]


@dataclass(frozen=True, slots=True)
class GenerationInput:
    """Payload of a generation task: what it has to look at, as ids and numbers.

    `conversations` went on. `deleted` are places of messages (conversation and position) that lost a memory, each with
    the digests of the findings that said the same. `purged` are skills whose old versions say what was retracted,
    `doomed` those whose own memory was deleted.
    """

    conversations: tuple[str, ...] = ()
    deleted: tuple[tuple[str, int, tuple[str, ...]], ...] = ()
    purged: tuple[str, ...] = ()
    doomed: tuple[str, ...] = ()

    @classmethod
    def read(cls, payload: dict[str, Any]) -> GenerationInput:
        deleted = tuple((key, place, tuple(digests)) for key, place, digests in payload.get("deleted", ()))
        lists = {name: tuple(payload.get(name, ())) for name in ("conversations", "purged", "doomed")}
        return cls(deleted=deleted, **lists)

    def __or__(self, other: GenerationInput) -> GenerationInput:
        return GenerationInput(
            join_distinct(self.conversations, other.conversations),
            join_distinct(self.deleted, other.deleted),
            join_distinct(self.purged, other.purged),
            join_distinct(self.doomed, other.doomed),
        )

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def join_distinct(known: Iterable[Any], more: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys([*known, *more]))


def build_subject_id(cube_id: UUID) -> UUID:
    """The subject of a cube's generation tasks.

    Not the cube itself: refining a conversation must not wait until skills were generated from it.
    """
    return uuid5(cube_id, "skills")


def schedule_generation(
    cube: MemCube, cause: str, task_input: GenerationInput, pause: timedelta | None = None
) -> None:
    """Write a generation task in the caller's transaction, or add to the one that waits."""
    rows = Task.objects.within(cube.project_id).filter(kind=TaskKind.SKILL, subject=build_subject_id(cube.pk))
    waiting = rows.filter(state__in=_WAITING).select_for_update().order_by("created_at").first()
    if waiting is not None and waiting.payload["epoch"] == cube.epoch:
        waiting.payload = waiting.payload | (GenerationInput.read(waiting.payload) | task_input).as_json()
        waiting.save(update_fields=["payload"])
        return
    is_asked = get_chat_model_for(Scope(cube.account_id, cube.project_id)) is not None
    rest = pause if pause is not None else REST if is_asked else AT_ONCE
    outbox.write_work(
        cube.account_id,
        project_id=cube.project_id,
        kind=TaskKind.SKILL,
        dedupe_key=cause,
        payload={"cube": str(cube.pk), "epoch": cube.epoch} | task_input.as_json(),
        subject=build_subject_id(cube.pk),
        due_at=timezone.now() + rest if rest else None,
    )


def schedule_after_conversation(
    cube: MemCube, conversation_id: UUID, messages: Sequence[Message], task_id: UUID
) -> None:
    """Schedule generation after new messages; most conversations need none, and cost no row."""
    if cube.project_id is None or cube.owner_kind not in SUBJECTS:
        return
    turns = build_turns(messages)
    goes_on = Episode.objects.within(cube.project_id).filter(conversation=conversation_id)
    if not (may_hold_a_task(turns) or goes_on.exists()):
        return
    if SkillPolicies.of(Project.objects.get(pk=cube.project_id)).generate:
        schedule_generation(cube, f"talk {task_id}", GenerationInput(conversations=(str(conversation_id),)))


def schedule_after_feedback(cube: MemCube, task_id: UUID) -> None:
    """Schedule generation after feedback: skills must follow the memories that it corrected."""
    if Skill.objects.within(cube.account_id).filter(cube=cube, origin=SkillOrigin.GENERATED).exists():
        schedule_generation(cube, f"feedback {task_id}", GenerationInput(), AT_ONCE)
