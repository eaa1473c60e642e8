"""The entities that memories are about (end users, agents, applications, runs): list them, select their memories.

An end user owns a cube. The other three own one where nobody else is named; beside an end user they are labels of a
memory, and both are meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, F, Max, Min, Q, QuerySet, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Collate

from memories.consolidation.cube_locks import hold_cubes
from memories.files.message_files import drop_message_files
from memories.lifecycle.erase import erase_memories, wait_for_work
from memories.lifecycle.erase_subject import erase_subject_rows
from memories.models import Conversation, Intake, MemCube, Memory, Message
from memories.models.memory import MemoryQuerySet
from memories.models.trash_visibility import seeing_trash
from memories.values import SUBJECT_KINDS, MemoryKind, OwnerKind, Subject
from tenancy.errors import EndUserUnknown, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.requests.log_erasure import erase_from_logs

# The kinds of memories that say something of somebody.
PERSONAL_KINDS = (MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.EVENT)
# The column that labels a memory beside its owner.
LABELS = {OwnerKind.AGENT: "agent_id", OwnerKind.APP: "app_id", OwnerKind.RUN: "conversation_key"}
# So many of each kind are looked at when they may have gone with another entity.
MOST_BESIDE = 1_000
# In the order in which pages list names.
BY_CODE_POINT = "C"
# The conversation of messages that name none, where each request is one of its own.
UNNAMED = "unnamed:"


@dataclass(frozen=True, slots=True)
class Entity:
    """One of them, with how many memories hold today, the first and the last of them."""

    kind: OwnerKind
    name: str
    memories: int
    created_at: datetime
    updated_at: datetime


def is_about(kind: OwnerKind, name: str) -> Q:
    """Build the condition that memories are about this entity, as its own or by their label."""
    owned = Q(cube__owner_kind=kind, cube__owner_id=name)
    return owned | Q(**{LABELS[kind]: name}) if kind in LABELS else owned


def is_about_one_of(kind: OwnerKind, names: Sequence[str]) -> Q:
    """Build the condition that memories are about any of these entities."""
    owned = Q(cube__owner_kind=kind, cube__owner_id__in=names)
    return owned | Q(**{f"{LABELS[kind]}__in": names}) if kind in LABELS else owned


def is_about_any(kind: OwnerKind) -> Q:
    """Build the condition that memories are about some entity of this kind."""
    owned = Q(cube__owner_kind=kind)
    if kind not in LABELS:
        return owned
    labelled = ~Q(**{LABELS[kind]: ""})
    if kind == OwnerKind.RUN:
        labelled &= ~Q(conversation_key__startswith=UNNAMED)
    return owned | labelled


def select_personal_memories(project: Project) -> MemoryQuerySet:
    """The project's memories of somebody, whatever their state. Inside the project's scope."""
    cubes = MemCube.objects.within(project).filter(owner_kind__in=SUBJECT_KINDS)
    memories: MemoryQuerySet = Memory.objects.within(cubes).filter(kind__in=PERSONAL_KINDS)
    return memories


def count_entities(project: Project) -> dict[OwnerKind, int]:
    """Count how many of each kind hold memories today."""
    with tenant_scope(project):
        return {kind: _select_names(_select_held(project), kind).distinct().count() for kind in SUBJECT_KINDS}


def list_entities(project: Project, counts: Mapping[OwnerKind, int], start: int, size: int) -> list[Entity]:
    """A page of all that hold memories today: users first, then agents, applications and runs, each by name."""
    entities: list[Entity] = []
    with tenant_scope(project):
        for kind in SUBJECT_KINDS:
            if start < counts[kind] and len(entities) < size:
                rows = _group_by_name(_select_held(project), kind)[start : start + size - len(entities)]
                entities += [Entity(kind, *row) for row in rows]
            start = max(0, start - counts[kind])
    return entities


def find_entity(project: Project, kind: OwnerKind, name: str) -> Entity:
    """Raises `NotFound` for one that holds no memory."""
    with tenant_scope(project):
        held = _select_held(project).filter(is_about(kind, name))
        row = _group_by_name(held, kind).filter(name=name).first()
    if row is None:
        raise NotFound(f"{kind} {name}")
    return Entity(kind, *row)


def _select_held(project: Project) -> MemoryQuerySet:
    return select_personal_memories(project).current()


def _select_names(held: MemoryQuerySet, kind: OwnerKind) -> QuerySet[Any, Any]:
    """Select the entity of this kind that each memory is about: its owner, or a label of its conversation."""
    name: Combinable = F("cube__owner_id")
    if kind in LABELS:
        name = Case(When(cube__owner_kind=kind, then=name), default=F(LABELS[kind]))
    return held.filter(is_about_any(kind)).order_by().values(name=Collate(name, BY_CODE_POINT))


def _group_by_name(held: MemoryQuerySet, kind: OwnerKind) -> QuerySet[Any, Any]:
    """Rows of a name, how many memories are about it, and when the first came and the last was changed."""
    first, last = Min("created_at"), Max("updated_at")
    grouped = _select_names(held, kind).annotate(count=Count("pk"), first=first, last=last)
    return grouped.order_by("name").values_list("name", "count", "first", "last")


def erase_entity(project: Project, kind: OwnerKind, name: str) -> list[Subject]:
    """Deletes it with all its memories and conversations, for good, and returns whose last memories went with them.

    Raises `EndUserUnknown` when there is nothing.
    """
    with tenant_scope(project), seeing_trash():
        cubes = MemCube.objects.within(project)
        about = Memory.objects.within(cubes).filter(is_about(kind, name))
        own = cubes.filter(owner_kind=kind, owner_id=name).values_list("pk", flat=True).first()
        wait_for_work(project, about, also=own)
        beside = _list_labels_beside(project, about)
        if own:
            erase_subject_rows(project, Subject(kind, name))
        conversations = _list_sole_conversations(project, kind, name)
        hold_cubes(about)
        erased = erase_memories(project, about) if kind in LABELS else 0
        _erase_conversations(project, conversations)
        if not (own or erased or conversations):
            raise EndUserUnknown(name)
        erase_from_logs(project, [f"{kind}:{name}"])
        return [
            subject
            for subject in beside
            if subject != Subject(kind, name) and not _is_known(project, subject)
        ]


def _list_labels_beside(project: Project, memories: MemoryQuerySet) -> list[Subject]:
    subjects: list[Subject] = []
    for kind, column in LABELS.items():
        names = memories.order_by().exclude(**{column: ""}).values_list(column, flat=True).distinct()
        subjects += [Subject(kind, name) for name in names[:MOST_BESIDE] if not name.startswith(UNNAMED)]
    return subjects


def _is_known(project: Project, subject: Subject) -> bool:
    held = Memory.objects.within(MemCube.objects.within(project))
    return bool(held.filter(is_about(subject.kind, subject.id)).exists())


def _list_sole_conversations(project: Project, kind: OwnerKind, name: str) -> list[Any]:
    """The conversations that were all with this agent or application, or are this run."""
    conversations = Conversation.objects.within(project)
    if kind == OwnerKind.RUN:
        return list(conversations.filter(external_id=name).values_list("pk", flat=True))
    if kind not in LABELS:
        return []
    intakes = Intake.objects.within(project)
    with_it = intakes.filter(**{LABELS[kind]: name}).values("conversation")
    with_others = intakes.exclude(**{LABELS[kind]: name}).values("conversation")
    return list(conversations.filter(pk__in=with_it).exclude(pk__in=with_others).values_list("pk", flat=True))


def _erase_conversations(project: Project, keys: list[Any]) -> None:
    if not keys:
        return
    messages = Message.objects.within(project).filter(conversation__in=keys)
    drop_message_files(project, list(messages.values_list("pk", flat=True)))
    conversations = Conversation.objects.within(project).filter(pk__in=keys)
    conversations._raw_delete(conversations.db)  # straight to SQL, where the keys cascade
