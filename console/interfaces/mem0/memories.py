"""One memory, many of them, and all of somebody's: read, change, delete, rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, Q
from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.mem0.add import OldAddView
from console.interfaces.mem0.answers import build_history_rows, build_memory_row, record_event
from console.interfaces.mem0.base import Mem0View
from console.interfaces.mem0.filters import parse_filters
from console.interfaces.mem0.parsing import (
    ENTITIES,
    parse_day,
    parse_flag,
    parse_id,
    parse_json_object,
    parse_metadata,
    parse_time,
    parse_uuid,
)
from console.interfaces.mem0.search import OldListView
from memories.api.serializers.messages import MAX_INFO
from memories.consolidation.cube_locks import lock_cubes
from memories.feedback.ratings import Rating, rate_memory
from memories.lifecycle.delete import delete_filtered, delete_memories
from memories.lifecycle.edit import Amendment, amend_memory, embed_wordings
from memories.lifecycle.entities import PERSONAL_KINDS, select_personal_memories
from memories.models import Memory, MemorySource, MemoryVersion
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.listing import UNSHOWN
from memories.retrieval.queries.filters import MemoryFilter
from tenancy.errors import InvalidParameters, NotFound, RequiredFieldEmpty
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.meters import Meter
from tenancy.models import Project

MOST_AT_ONCE = 1_000
# Each of them is locked until the change is stored, and the database's table of locks is small.
MOST_OWNERS = 100
# What may say whose memories are all deleted, and what clients say beside it.
NARROWING = (*ENTITIES, "filters", "metadata")
BESIDE = frozenset({"source", "org_id", "project_id"})
CHANGED = ("text", "metadata", "timestamp", "expiration_date")
# How many steps back a memory may have replaced others.
LONGEST_CHAIN = 1_000


def find_personal(project: Project, memory_id: Any, *, with_history: bool = False) -> Memory:
    """One memory in any state. Raises `InvalidParameters` for what is no UUID, `NotFound` for another project's."""
    key = parse_uuid(memory_id, "memory_id")
    with tenant_scope(project):
        held = select_personal_memories(project).filter(pk=key).select_related("cube").defer(*UNSHOWN)
        if with_history:
            sources = MemorySource.objects.within(key).select_related("message")
            held = held.prefetch_related(
                Prefetch("sources", sources), Prefetch("versions", MemoryVersion.objects.within(key))
            )
        memory: Memory | None = held.first()
    if memory is None:
        raise NotFound(f"memory {key}")
    return memory


def read_change(sent: Mapping[str, Any], memory_id: str, place: str = "") -> Amendment:
    """Return what a client wishes to change. Raises `RequiredFieldEmpty` where it names nothing.

    `place` stands before the names of fields in what is raised: where in the body the change is.
    """
    if "expiration_date" not in sent and all(sent.get(name) is None for name in CHANGED):
        raise RequiredFieldEmpty(f"one of {', '.join(f'{place}{name}' for name in CHANGED)}")
    text = sent.get("text")
    if text is not None and (not isinstance(text, str) or not text.strip()):
        raise InvalidParameters(f"{place}text: must be a text")
    said_at, last_day = sent.get("timestamp"), sent.get("expiration_date")
    return Amendment(
        memory_id,
        text=text,
        info=parse_metadata(sent, place),
        created_at=None if said_at is None else parse_time(said_at, f"{place}timestamp"),
        expires_on=None if last_day is None else parse_day(last_day, f"{place}expiration_date"),
        never_expires="expiration_date" in sent and last_day is None,
    )


def read_delete_linked(query: Mapping[str, Any]) -> bool:
    """Return whether the memories that a deleted one replaced are deleted, too."""
    return parse_flag(query.get("delete_linked"), "delete_linked", default=False)


class MemoryView(Mem0View):
    named = {"GET": "get", "PUT": "update", "DELETE": "delete"}

    def get(self, request: Request, **_: Any) -> Response:
        memory = find_personal(self.project, self.segment("memory_id"))
        self.is_about(memory.cube.owner_kind, memory.cube.owner_id)
        return self.answer(build_memory_row(memory))

    def put(self, request: Request, **_: Any) -> Response:
        memory = find_personal(self.project, self.segment("memory_id"))
        self.is_about(memory.cube.owner_kind, memory.cube.owner_id)
        wanted = read_change(self.sent, str(memory.pk))
        self.charge([wanted.text or ""])
        vectors = embed_wordings([wanted.text] if wanted.text else [])
        return self.answer(self.run_once(lambda: self._change_memories(wanted, vectors)))

    def _change_memories(self, wanted: Amendment, vectors: list[list[float]]) -> dict[str, Any]:
        amend_memory(self.project, wanted, vectors[0] if vectors else None)
        return build_memory_row(find_personal(self.project, wanted.memory_id))

    def delete(self, request: Request, **_: Any) -> Response:
        cascades = read_delete_linked(request.query_params)
        is_asked = "delete_linked" in request.query_params
        return self.answer(self.run_once(lambda: self._delete_memories(is_asked, cascades)))

    def _delete_memories(self, is_asked: bool, cascades: bool) -> dict[str, Any]:
        with tenant_scope(self.project):
            memory = find_personal(self.project, self.segment("memory_id"))
            linked = _list_replaced_ids(select_personal_memories(self.project), memory.pk) if cascades else []
            delete_memories(self.project, [str(key) for key in (memory.pk, *linked)])
        counted = {"cascade_count": len(linked)} if is_asked else {}
        return {"message": "Memory deleted successfully!", **counted}


def _list_replaced_ids(memories: MemoryQuerySet, key: UUID) -> list[UUID]:
    """All that this memory replaced, and what those had replaced."""
    keys: dict[UUID, None] = {}
    last = [key]
    while last and len(keys) < LONGEST_CHAIN:
        rows = memories.filter(superseded_by__in=last).exclude(pk__in=[key, *keys])
        last = list(rows.values_list("pk", flat=True))
        keys |= dict.fromkeys(last)
    return list(keys)


class HistoryView(Mem0View):
    def get(self, request: Request, **_: Any) -> Response:
        memory = find_personal(self.project, self.segment("memory_id"), with_history=True)
        self.is_about(memory.cube.owner_kind, memory.cube.owner_id)
        return self.answer(build_history_rows(memory))


class MemoriesView(OldAddView, OldListView):
    """`/v1/memories/`: DELETE is today's `delete_all`; POST and GET are those of older clients."""

    reads = False
    named = {"GET": "list", "POST": "add", "DELETE": "delete_all"}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.meter = Meter.ADD if request.method == "POST" else Meter.OTHER  # type: ignore[misc]  # by method
        super().initial(request, *args, **kwargs)

    post = OldAddView.post

    def get(self, request: Request, **_: Any) -> Response:
        sent: dict[str, Any] = request.query_params.dict()
        for name in ("fields", "categories"):
            if name in sent:
                sent[name] = request.query_params.getlist(name)
        return self._answer_list_or_page(sent)

    def delete(self, request: Request, **_: Any) -> Response:
        lists = request.query_params.lists()
        wanted = read_delete_all(
            {name: values[0] if len(values) == 1 else list(values) for name, values in lists}
        )
        refuse_delete_all_body(self.sent)
        return self.answer(self.run_once(lambda: self._delete_all(wanted)))

    def _delete_all(self, wanted: Q) -> dict[str, Any]:
        with tenant_scope(self.project):
            delete_filtered(self.project, MemoryFilter(wanted, Q(), Q()), PERSONAL_KINDS)
            event = record_event(self.project, "DELETE_ALL")
        return {"message": "Memories deleted successfully!", "event_id": str(event.pk)}


def refuse_delete_all_body(sent: Mapping[str, Any]) -> None:
    if sent:
        raise InvalidParameters("the body must be empty: write what to delete into the query")


def read_delete_all(query: Mapping[str, Any]) -> Q:
    """Build the condition of memories to be deleted from the query, in which a repeated name is a list of values.

    Refuses whatever it does not know: leaving it out would delete more.
    """
    for name, value in query.items():
        if isinstance(value, list):
            raise InvalidParameters(f"{name[:60]}: stands twice in the query")
        if name not in NARROWING and name not in BESIDE:
            raise InvalidParameters(f"{name[:60]}: delete_all does not know it")
    named: dict[str, Any] = {name: parse_id(query[name], name) for name in ENTITIES if name in query}
    filters = parse_json_object(query["filters"], "filters") if "filters" in query else {}
    if not named and not filters:
        raise RequiredFieldEmpty(f"one of {', '.join(ENTITIES)}: all memories of nobody are not deleted")
    metadata = parse_json_object(query["metadata"], "metadata") if "metadata" in query else {}
    conditions = [part for part in (named, filters, {"metadata": metadata} if metadata else {}) if part]
    return parse_filters({"AND": conditions}).everything


def read_rating(sent: Mapping[str, Any]) -> tuple[Rating | None, str | None]:
    """A rating and its reason. Raises what is wrong with them."""
    rating, reason = _parse_rating(sent.get("feedback")), sent.get("feedback_reason")
    if reason is not None and (not isinstance(reason, str) or len(reason) > MAX_INFO):
        raise InvalidParameters(f"feedback_reason: must be a text of at most {MAX_INFO} characters")
    return rating, reason


def read_batch(sent: Mapping[str, Any]) -> list[tuple[UUID, Mapping[str, Any]]]:
    """The memories that a batch names, each with its item of the body."""
    items = sent.get("memories")
    if not isinstance(items, list) or not items:
        raise RequiredFieldEmpty("memories")
    if len(items) > MOST_AT_ONCE:
        raise InvalidParameters(f"memories: at most {MOST_AT_ONCE}, not {len(items)}")
    pairs: list[tuple[UUID, Mapping[str, Any]]] = []
    for number, entry in enumerate(items):
        if not isinstance(entry, dict):
            raise InvalidParameters(f"memories[{number}]: must be an object")
        pairs.append((parse_uuid(entry.get("memory_id"), f"memories[{number}].memory_id"), entry))
    return pairs


def read_batch_changes(sent: Mapping[str, Any]) -> list[Amendment]:
    return [
        read_change(entry, str(key), f"memories[{number}].")
        for number, (key, entry) in enumerate(read_batch(sent))
    ]


def require_memories(project: Project, keys: Sequence[str]) -> set[UUID]:
    """All or nothing: the cubes that hold them. Raises `NotFound` that names the first that is not the project's."""
    with tenant_scope(project):
        held = select_personal_memories(project).filter(pk__in=keys).values_list("pk", "cube")
        cubes = {str(key): cube for key, cube in held}
    for number, key in enumerate(keys):
        if key not in cubes:
            raise NotFound(f"memories[{number}].memory_id: memory {key}")
    return set(cubes.values())


class BatchView(Mem0View):
    named = {"PUT": "batch_update", "DELETE": "batch_delete"}

    def put(self, request: Request, **_: Any) -> Response:
        wanted = read_batch_changes(self.sent)
        texts = [amendment.text for amendment in wanted if amendment.text]
        self.charge(texts)
        vectors = dict(zip(texts, embed_wordings(texts), strict=True))
        return self.answer(self.run_once(lambda: self._change_memories(wanted, vectors)))

    def _change_memories(self, wanted: list[Amendment], vectors: dict[str, list[float]]) -> dict[str, Any]:
        with tenant_scope(self.project):
            cubes = require_memories(self.project, [amendment.memory_id for amendment in wanted])
            if len(cubes) > MOST_OWNERS:
                raise InvalidParameters(
                    f"memories: of at most {MOST_OWNERS} owners at once, not {len(cubes)}"
                )
            lock_cubes(self.project, cubes)
            for amendment in wanted:
                amend_memory(self.project, amendment, vectors.get(amendment.text or ""))
        return {"message": f"Successfully updated {len(wanted)} memories"}

    def delete(self, request: Request, **_: Any) -> Response:
        keys = [str(key) for key, _ in read_batch(self.sent)]
        return self.answer(self.run_once(lambda: self._delete_memories(keys)))

    def _delete_memories(self, keys: list[str]) -> dict[str, Any]:
        with tenant_scope(self.project):
            require_memories(self.project, keys)
            delete_memories(self.project, keys)
        return {"message": f"Successfully deleted {len(set(keys))} memories"}


class FeedbackView(Mem0View):
    meter = Meter.FEEDBACK

    def post(self, request: Request, **_: Any) -> Response:
        memory = find_personal(self.project, self.sent.get("memory_id"))
        self.is_about(memory.cube.owner_kind, memory.cube.owner_id)
        rating, reason = read_rating(self.sent)
        self.charge([reason or ""])
        return self.answer(self.run_once(lambda: self._rate(memory, rating, reason)))

    def _rate(self, memory: Memory, rating: Rating | None, reason: str | None) -> dict[str, Any]:
        with tenant_scope(self.project):
            rate_memory(memory, rating, reason)
        return {"id": str(memory.pk), "feedback": rating, "feedback_reason": reason}


def _parse_rating(value: Any) -> Rating | None:
    if value is None:
        return None
    if isinstance(value, str) and value in Rating.__members__:
        return Rating(value)
    raise InvalidParameters(f"feedback: must be one of {', '.join(Rating)}, or null")
