"""Edit a memory, by a member or the API: the old text stays in its history, and searches follow at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from memories.consolidation.cube_locks import lock_memory
from memories.consolidation.revise import find_duplicate, is_frozen, rewrite_memory
from memories.consolidation.versions import BY_HAND, build_member_actor
from memories.cubes.announcements import announce_changed_memories
from memories.engine import get_embedder
from memories.engine.protocols import ProviderUnavailable
from memories.engine.statements import embed_statements
from memories.lifecycle.states import may_become, supersede_rivals
from memories.models import Memory
from memories.retrieval.browse.listing import find_owner_cube
from memories.text.topics.tags import build_title, choose_tags
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from memories.values import MemoryKind, MemoryStatus
from tenancy.audit import log
from tenancy.errors import (
    Conflict,
    DuplicateMemory,
    InvalidParameters,
    MemoryBeingRefined,
    MemoryFrozen,
    MemoryUnavailable,
    NotFound,
)
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, User
from tenancy.requests.trace import trace_stage
from tenancy.storage.allowance import refuse_if_exceeded

ACTOR = "api"
# Of a memory's fields those that take space; it can be archived when there is none left.
GROWING = {"text", "title", "tags", "info"}
# A text that keeps this share of its words is still about the same state.
SAME_STATE = 0.5


@dataclass(frozen=True, slots=True)
class Amendment:
    """One change by hand; None leaves a field as it is. `never_expires` clears the last day.

    `seen` is the version that its author looked at, 0 for programs that do not say; `reason` is shown in the history.
    """

    memory_id: str
    text: str | None = None
    title: str | None = None
    status: MemoryStatus | None = None
    tags: tuple[str, ...] | None = None
    info: dict[str, Any] | None = None
    created_at: datetime | None = None
    expires_on: date | None = None
    never_expires: bool = False
    seen: int = 0
    reason: str = ""


def embed_wording(text: str | None) -> list[float] | None:
    """The vector of a new text; no transaction may be open here. Raises `MemoryUnavailable`."""
    return None if text is None else embed_wordings([text])[0]


def embed_wordings(texts: Sequence[str]) -> list[list[float]]:
    """The same for several texts, in one go."""
    if not texts:
        return []
    with trace_stage("embed") as note:
        note["model"] = get_embedder().name
        try:
            return embed_statements(texts)
        except ProviderUnavailable as error:
            raise MemoryUnavailable("the text could not be embedded") from error


def amend_memory(
    project: Project, wanted: Amendment, vector: list[float] | None, by: User | None = None
) -> Memory:
    """The memory as it is now; `by` is the member who changed it, None for the API.

    Raises `NotFound` for an id that the project does not hold, `InvalidParameters` for a step that the life of a
    memory does not have and for the text of a tool's schema, `MemoryFrozen`, `MemoryBeingRefined` for the raw
    memory of a turn, `DuplicateMemory` when another memory of the subject says the new text, and `Conflict` when the
    memory has another version than the one that was seen.
    """
    with trace_stage("store"), tenant_scope(project):
        memory = _load_amended(project, wanted.memory_id)
        _refuse_stale_or_frozen(memory, wanted)
        fields = _list_changes(memory, wanted)
        if fields:
            _write_change(project, memory, fields, vector, MemoryChange.of(wanted, fields, by))
        if fields.keys() & GROWING:
            refuse_if_exceeded(project.account_id)
    return memory


def _load_amended(project: Project, memory_id: str) -> Memory:
    """The memory, while nobody else compares and writes in its cube, or deletes it."""
    cube = find_owner_cube(project, memory_id)
    if cube is None:
        raise NotFound(memory_id[:60])
    memory = lock_memory(cube.pk, memory_id)
    if memory is None:
        raise NotFound(memory_id[:60])
    return memory


def _refuse_stale_or_frozen(memory: Memory, wanted: Amendment) -> None:
    if wanted.seen not in {0, memory.version}:
        raise Conflict(f"there is a version {memory.version} meanwhile")
    if is_frozen(memory):
        raise MemoryFrozen(str(memory.pk))
    if memory.is_raw:
        raise MemoryBeingRefined(str(memory.pk))
    if wanted.status not in {None, MemoryStatus(memory.status), *may_become(memory)}:
        raise InvalidParameters(f"status: a memory that is {memory.status} cannot become {wanted.status}")
    if memory.kind == MemoryKind.TOOL_SCHEMA and wanted.text not in {None, memory.text}:
        raise InvalidParameters("content: a tool's schema is changed by sending the tool with its new schema")
    will_hold = (wanted.status or memory.status) == MemoryStatus.ACTIVATED and memory.valid_until is None
    text = memory.text if wanted.text is None else wanted.text
    twin = find_duplicate(memory, text) if will_hold else None
    if twin is not None:
        raise DuplicateMemory(str(twin.pk))


def _list_changes(memory: Memory, wanted: Amendment) -> dict[str, Any]:
    """The fields that differ, and those that follow from a changed text."""
    given: dict[str, Any] = {"text": wanted.text, "title": wanted.title, "status": wanted.status}
    given |= {"tags": None if wanted.tags is None else list(wanted.tags), "info": wanted.info}
    given |= {"created_at": wanted.created_at, "expires_on": wanted.expires_on}
    fields = {
        name: value for name, value in given.items() if value is not None and value != getattr(memory, name)
    }
    if wanted.never_expires and memory.expires_on is not None:
        fields["expires_on"] = None
    if "text" in fields:
        fields["slot"] = _choose_slot(memory, fields["text"])
        if wanted.title is None:
            fields["title"] = _choose_title(memory, fields["text"])
        if wanted.tags is None and (tags := _follow_tags(memory, fields["text"])) != memory.tags:
            fields["tags"] = tags
    return fields


def _choose_slot(memory: Memory, text: str) -> str:
    """The state it describes, as long as the new text is about it; else a later statement would replace it wrongly."""
    _, _, thing = memory.slot.partition(":")
    before, now = set(extract_keywords(memory.text)), set(extract_keywords(text))
    is_same = len(before & now) >= SAME_STATE * len(before) and set(extract_keywords(thing)) <= now
    return memory.slot if is_same else ""


def _choose_title(memory: Memory, text: str) -> str:
    gone = set(extract_keywords(memory.text)) - set(extract_keywords(text))
    is_stale = bool(gone & set(extract_keywords(memory.title)))
    return build_title(text, detect_language(text)) if is_stale else memory.title


def _follow_tags(memory: Memory, text: str) -> list[str]:
    """The tags that the old text gave are replaced by those of the new one; what somebody else gave stays."""
    before = choose_tags(memory.text, memory.language, ())
    if not set(before) & set(memory.tags):
        return memory.tags
    now = choose_tags(text, detect_language(text), memory.tags)
    kept = [tag for tag in memory.tags if tag not in before or tag in now]
    return [*kept, *(tag for tag in now if tag not in before and tag not in kept)]


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """Changed fields, who changed them, and why."""

    names: list[str]
    member: User | None
    reason: str

    @classmethod
    def of(cls, wanted: Amendment, fields: Mapping[str, Any], by: User | None) -> MemoryChange:
        names = sorted(set(fields) - {"slot"})
        why = f"“{wanted.reason}”" if wanted.reason else ", ".join(names)
        return cls(names, by, f"{BY_HAND}: {why}")

    @property
    def actor(self) -> str:
        return build_member_actor(self.member) if self.member else ACTOR


def _write_change(
    project: Project, memory: Memory, fields: dict[str, Any], vector: list[float] | None, change: MemoryChange
) -> None:
    rewrite_memory(memory, fields, vector, actor=change.actor, reason=change.reason)
    if fields.get("status") == MemoryStatus.ACTIVATED:
        supersede_rivals(memory, change.actor)  # of the state that it is about now
    log.record_event(
        project.account,
        change.member,
        "memory.updated",
        memory,
        project=project,
        detail={"fields": change.names},
    )
    announce_changed_memories(project.pk, "updated", [memory.pk])
