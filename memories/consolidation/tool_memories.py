"""Memories of tools in their cube.

There is one of each tool, which follows its schema; a run that goes on grows, the same run again counts, and how
often a tool works is computed from all runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from memories.consolidation.reconcile import DraftOrigin, EmbeddedDraft
from memories.consolidation.versions import WORKER, Reason, change_memory
from memories.models import Conversation, MemCube, Memory, MemorySource, Message
from memories.models.memory import MemoryQuerySet, get_owner_fields
from memories.text.content import hash_content
from memories.text.tools.drafts import build_tool_drafts
from memories.text.tools.runs import show_message
from memories.text.words.tokenize import search_terms
from memories.values import Draft, MemoryKind, MemoryStatus, OwnerKind, ToolCall, Turn
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

# A tool's rate is that of the cube's last so many runs: what was mended long ago no longer counts against it.
LAST_RUNS = 200
TOOLS = (MemoryKind.TOOL_SCHEMA, MemoryKind.TOOL_TRAJECTORY)
CHANGES = {MemoryKind.TOOL_SCHEMA: Reason.TOOL_CHANGED, MemoryKind.TOOL_TRAJECTORY: Reason.RUN_WENT_ON}

# Per cube and tool, the share of answered calls that worked.
Rates = dict[tuple[UUID, str], float]


def get_tool_calls(message: Message) -> tuple[ToolCall, ...]:
    """The tool calls of a message, without entries that are none."""
    sent = message.extra.get("tool_calls")
    return (
        tuple(_build_tool_call(call) for call in sent if _names_a_function(call))
        if isinstance(sent, list)
        else ()
    )


def _names_a_function(call: Any) -> bool:
    return isinstance(call, dict) and isinstance(call.get("function"), dict) and "name" in call["function"]


def _build_tool_call(call: dict[str, Any]) -> ToolCall:
    function, call_id = call["function"], call.get("id")
    arguments = function.get("arguments") or ""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(call_id if isinstance(call_id, str) else "", str(function["name"]), written)


def get_answered_call_id(message: Message) -> str:
    """The id of the call whose result the message is."""
    answered = message.extra.get("tool_call_id")
    return answered if isinstance(answered, str) else ""


def format_words_with_calls(message: Message) -> str:
    """The text and calls of a message, shortened and without secrets: tools return whole files with keys in them."""
    return show_message(message.text, get_tool_calls(message))


def find_tool_memories(
    conversation: Conversation, messages: Sequence[Message], turns: Sequence[Turn], tags: Sequence[str]
) -> list[Draft]:
    """Schemas and runs in a piece of a conversation. A run is named by the message that it began with."""
    drafts = build_tool_drafts(turns, [message.extra.get("tools") for message in messages], tags)
    return [
        _name_trajectory(draft, conversation, messages) if draft.kind is MemoryKind.TOOL_TRAJECTORY else draft
        for draft in drafts
    ]


def _name_trajectory(draft: Draft, conversation: Conversation, messages: Sequence[Message]) -> Draft:
    first, last = (messages[draft.turns[end]].position for end in (0, -1))
    return replace(draft, slot=f"run:{conversation.pk}:{first}", details={**draft.details, "last": last})


def remove_known_schemas(cubes: Sequence[MemCube], drafts: Sequence[Draft]) -> list[Draft]:
    """Leaves out the schemas that all these cubes hold as they are."""
    hashes = [hash_content(draft.text) for draft in drafts if draft.kind is MemoryKind.TOOL_SCHEMA]
    held = Memory.objects.within(cubes).current().filter(kind=MemoryKind.TOOL_SCHEMA, content_hash__in=hashes)
    places = {(cube, bytes(digest)) for cube, digest in held.values_list("cube", "content_hash")}
    known = {digest for digest in hashes if all((cube.pk, digest) in places for cube in cubes)}
    return [
        draft
        for draft in drafts
        if draft.kind is not MemoryKind.TOOL_SCHEMA or hash_content(draft.text) not in known
    ]


class ToolDrafts(NamedTuple):
    """The drafts that are left to be reconciled, and the ids of the memories that were changed."""

    left: list[EmbeddedDraft]
    changed: list[UUID]


def update_known_tools(cube: MemCube, drafts: Sequence[EmbeddedDraft], origin: DraftOrigin) -> ToolDrafts:
    """Update the memories that the cube has of the same tools or runs; their ids stay. Under the cube's lock."""
    left: list[EmbeddedDraft] = []
    changed: list[UUID] = []
    for embedded in drafts:
        held = _find_held(cube, embedded.draft, origin) if embedded.draft.kind in TOOLS else None
        if held is not None:
            left += _update_held(cube, held, embedded, origin, changed)
        else:
            _count_again(cube, embedded.draft)
            left.append(embedded)
    return ToolDrafts(left, changed)


def _select_current(cube: MemCube, kind: MemoryKind) -> MemoryQuerySet:
    memories: MemoryQuerySet = Memory.objects.within(cube).current().filter(kind=kind)
    return memories


def _find_held(cube: MemCube, draft: Draft, origin: DraftOrigin) -> Memory | None:
    of_slot = _select_current(cube, draft.kind).filter(slot=draft.slot)
    if cube.owner_kind == OwnerKind.PUBLIC:
        # Many people's tools are there; two of one name may be two.
        of_slot = of_slot.filter(sources__message__conversation__cube=origin.conversation.cube_id)
    return of_slot.first()


def _find_twin(cube: MemCube, held: Memory | None, draft: Draft) -> Memory | None:
    """Another memory that says the same."""
    same = _select_current(cube, draft.kind).filter(content_hash=hash_content(draft.text))
    return same.exclude(pk=held.pk).first() if held else same.first()


def _update_held(
    cube: MemCube, held: Memory, embedded: EmbeddedDraft, origin: DraftOrigin, changed: list[UUID]
) -> list[EmbeddedDraft]:
    """Update the memory that the cube has of a tool or run.

    Returns the drafts that are still to be reconciled: those that are now equal to another memory.
    """
    draft = embedded.draft
    if held.status == MemoryStatus.FROZEN or _is_old_news(held, draft, origin):
        return []
    if _find_twin(cube, held, draft) is not None:
        Memory.objects.within(cube).filter(pk=held.pk).delete()
        _count_again(cube, draft)
        return [embedded]
    change_memory(held, actor=WORKER, reason=CHANGES[draft.kind], **_build_fields(embedded, origin))
    tenant = get_owner_fields(cube)
    rows = [MemorySource(**tenant, memory=held, message=origin.messages[turn]) for turn in draft.turns]
    MemorySource.objects.bulk_create(rows, ignore_conflicts=True)
    changed.append(held.pk)
    return []


def _is_old_news(held: Memory, draft: Draft, origin: DraftOrigin) -> bool:
    """The same again, a schema from before the one that is held, or less of a run: tasks may overtake each other."""
    if bytes(held.content_hash) == hash_content(draft.text):
        return True
    if draft.kind is MemoryKind.TOOL_SCHEMA:
        return origin.began(draft) < (held.valid_from or held.created_at)
    return bool(draft.details["last"] < held.details["last"])


def _build_fields(embedded: EmbeddedDraft, origin: DraftOrigin) -> dict[str, Any]:
    draft = embedded.draft
    return {
        "title": draft.title,
        "text": draft.text,
        "content_hash": hash_content(draft.text),
        "tags": list(draft.tags),
        "details": draft.details,
        "language": draft.language,
        "words": " ".join(search_terms(draft.text)),
        "embedding": embedded.vector,
        "embedding_model": origin.embedder,
        "valid_from": origin.began(draft),
    }


def _count_again(cube: MemCube, draft: Draft) -> None:
    """The same request went the same way before: one memory, two runs."""
    twin = _find_twin(cube, None, draft) if draft.kind is MemoryKind.TOOL_TRAJECTORY else None
    if twin is None or twin.status == MemoryStatus.FROZEN:
        return
    twin.details = {**twin.details, "runs": twin.details.get("runs", 1) + 1}
    twin.save(update_fields=["details"])


def load_success_rates(project: Project, memories: Iterable[Memory]) -> Rates:
    """Load how often the tools of these memories worked, in the cubes that the memories are in."""
    cubes = {memory.cube_id for memory in memories if memory.kind == MemoryKind.TOOL_TRAJECTORY}
    if not cubes:
        return {}
    with tenant_scope(project):
        return {key: rate for cube in sorted(cubes) for key, rate in _load_rates_in(project, cube).items()}


def _load_rates_in(project: Project, cube: UUID) -> Rates:
    runs = Memory.objects.within(MemCube.objects.within(project).filter(pk=cube)).current()
    last = runs.filter(kind=MemoryKind.TOOL_TRAJECTORY).order_by("-created_at")[:LAST_RUNS]
    answered: dict[str, int] = {}
    succeeded: dict[str, int] = {}
    for tools, count in last.values_list("details__tools", "details__runs"):
        for tool in tools or ():
            name = tool["used_tool"]
            answered[name] = answered.get(name, 0) + tool["answered"] * (count or 1)
            succeeded[name] = succeeded.get(name, 0) + tool["succeeded"] * (count or 1)
    return {(cube, name): succeeded[name] / count if count else 0.0 for name, count in answered.items()}
