"""Reverts a change of a knowledge base: the earlier text holds again, and the history keeps both.

Everything that writes runs in the caller's transaction and under the cube's lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from memories.consolidation.revise import has_file, hash_memory_text, is_frozen, rewrite_memory
from memories.consolidation.versions import change_memory
from memories.engine import get_embedder
from memories.models import MemCube, Memory, MemoryVersion
from memories.values import NO_TALK, MemoryStatus
from tenancy.errors import CorrectionNotLast, DuplicateMemory, MemoryFrozen
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

REASON = "a correction was reverted"


@dataclass(frozen=True, slots=True)
class Earlier:
    """Text of a memory in an earlier version, with the vector of that."""

    text: str
    title: str
    vector: list[float]


def find_earlier_wording(project: Project, memory_id: UUID, number: int) -> Earlier | None:
    """Asks the model: no transaction may be open here."""
    with tenant_scope(project):
        version = MemoryVersion.objects.within(memory_id).filter(number=number).first()
    if version is None:
        return None
    return Earlier(version.text, version.title, get_embedder().embed_passages([version.text])[0])


def restore_wording(cube: MemCube, memory_id: UUID, number: int, earlier: Earlier | None, actor: str) -> None:
    """The memory says again what it said in this version.

    Raises `CorrectionNotLast` when it was reworded since, and `MemoryFrozen`.
    """
    memory = _lock_memory(cube, memory_id)
    if earlier is None or _find_wording_after(memory, number) != memory.text:
        raise CorrectionNotLast(str(memory_id))
    _refuse_twin(memory, earlier.text)
    fields = {"text": earlier.text, "title": earlier.title}
    if not has_file(memory):
        fields["conversation_key"] = NO_TALK  # it is no longer what that conversation said
    rewrite_memory(memory, fields, earlier.vector, actor=actor, reason=REASON)


def restore_replaced(cube: MemCube, before_id: UUID, after_id: UUID, actor: str) -> None:
    """Make a superseded memory valid again, and retire what had superseded it.

    Raises `CorrectionNotLast` when something else has superseded that since, and `MemoryFrozen`.
    """
    after, before = _lock_memory(cube, after_id), _lock_memory(cube, before_id)
    if not _holds(after) or before.superseded_by_id != after.pk:
        raise CorrectionNotLast(str(after_id))
    was_merged = before.status == MemoryStatus.MERGED
    if not was_merged:  # two passages that came to say the same: the other one said it before, and goes on to
        change_memory(after, actor=actor, reason=REASON, status=MemoryStatus.ARCHIVED)
    _refuse_twin(before, before.text)
    change_memory(
        before,
        actor=actor,
        reason=REASON,
        status=MemoryStatus.ACTIVATED,
        valid_until=None,
        superseded_by=None,
    )


def archive_added(cube: MemCube, memory_id: UUID, actor: str) -> None:
    """Archive an added memory. Raises `CorrectionNotLast` when it was superseded since, and `MemoryFrozen`."""
    memory = _lock_memory(cube, memory_id)
    if not _holds(memory):
        raise CorrectionNotLast(str(memory_id))
    change_memory(memory, actor=actor, reason=REASON, status=MemoryStatus.ARCHIVED)


class StatementBeside(NamedTuple):
    """A statement that puts passages right, and all of these passages, by their ids."""

    statement: UUID
    passages: list[UUID]


def list_statements_about(cube: MemCube, passage: UUID) -> list[StatementBeside]:
    """The statements that stand beside a passage since it was put right."""
    stated = Memory.objects.within(cube).current().filter(details__puts_right__has_key=str(passage))
    rows = stated.values_list("pk", "details__puts_right")
    return [StatementBeside(key, [UUID(pk) for pk in passages]) for key, passages in rows]


def _lock_memory(cube: MemCube, memory_id: UUID) -> Memory:
    rows = Memory.objects.within(cube).filter(pk=memory_id).defer("embedding", "words", "words_vector")
    memory: Memory | None = rows.select_for_update(of=("self",)).first()
    if memory is None:
        raise CorrectionNotLast(str(memory_id))
    if is_frozen(memory):
        raise MemoryFrozen(str(memory_id))
    return memory


def _holds(memory: Memory) -> bool:
    return memory.status == MemoryStatus.ACTIVATED and memory.valid_until is None


def _find_wording_after(memory: Memory, number: int) -> str:
    """Find what the memory said right after the version of this number was left."""
    following = memory.versions.filter(number=number + 1).first()
    return following.text if following is not None else memory.text


def _refuse_twin(memory: Memory, text: str) -> None:
    same = Memory.objects.within(memory.cube_id).current().exclude(pk=memory.pk)
    twin = same.filter(kind=memory.kind, content_hash=hash_memory_text(memory, text)).first()
    if twin is not None:
        raise DuplicateMemory(str(twin.pk))
