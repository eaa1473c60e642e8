"""CrewAI: a memory of crews, agents and flows whose records are memories that nothing rewords."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Literal, cast

from crewai.memory.types import MemoryMatch, MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory
from crewai.memory.utils import join_scope_paths, normalize_scope_path
from pydantic import Field

from engram_client.client import Engram
from engram_client.errors import NotFound

# What one search of the API gives back at most, and what one call of delete takes.
MAX_RANKED, MAX_DELETED = 25, 1_000
# Names in a memory's `info`. The record is text: a JSON column would change some numbers and refuse "\u0000".
RECORD_ID, SCOPES, CATEGORIES, RECORD = "crewai_id", "crewai_scopes", "crewai_categories", "crewai_record"
_FACTS: Any = {"include_preference": False, "include_tool_memory": False}


class EngramStorage:
    """The records of one end user or one agent; CrewAI's `StorageBackend`.

    A record's content is the memory's text. A record belongs to its scope and to all scopes above it.
    """

    def __init__(self, client: Engram, *, user_id: str | None = None, agent_id: str | None = None) -> None:
        if (user_id is None) == (agent_id is None):
            raise ValueError("Name whose memories these are: either user_id or agent_id.")
        self.client = client
        self.owner: Any = {"user_id": user_id} if user_id is not None else {"agent_id": agent_id}

    def save(self, records: list[MemoryRecord]) -> None:
        for record in records:
            scope = normalize_scope_path(record.scope)
            kept = record.model_copy(update={"scope": scope})
            info = {
                RECORD_ID: record.id,
                SCOPES: [scope[:end] or "/" for end in _find_scope_ends(scope)],
                CATEGORIES: record.categories,
                RECORD: kept.model_dump_json(exclude={"content", "embedding"}),
            }
            self.client.add_verbatim(record.content.replace("\0", " "), info=info, **self.owner)

    def find(
        self,
        query: str,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        relativity: float | None = None,
    ) -> list[tuple[MemoryRecord, float]]:
        """At most 25 records that answer a question, the best first, each with its relativity from 0 to 1."""
        answer = self.client.search(
            query,
            memory_limit_number=min(limit, MAX_RANKED),
            include_preference=False,
            relativity=relativity,
            filter=_narrowed(scope_prefix, categories),
            **self.owner,
        )
        return [(_build_record(row), row["relativity"]) for row in answer["memory_detail_list"]]

    def search(self, query_embedding: list[float], *arguments: Any, **options: Any) -> Any:
        """Engram compares texts, not the vectors of a foreign model. Raises `TypeError`."""
        raise TypeError("Engram embeds questions itself: use EngramMemory in place of Memory(storage=...).")

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records for which all of this holds; how many they were."""
        wanted = metadata_filter or {}
        memory_ids = [
            row["id"]
            for row, record in self._records(scope_prefix, categories)
            if (record_ids is None or record.id in record_ids)
            and (older_than is None or _in_utc(record.created_at) < _in_utc(older_than))
            and all(record.metadata.get(name) == value for name, value in wanted.items())
        ]
        self._remove(memory_ids)
        return len(memory_ids)

    def update(self, record: MemoryRecord) -> None:
        """The new version is there before the old one goes."""
        old = [row["id"] for row in self._versions(record.id)]
        self.save([record])
        self._remove(old)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        rows = self._versions(record_id)
        return _build_record(rows[0]) if rows else None

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        records = sorted(self._all(scope_prefix), key=lambda record: _in_utc(record.created_at), reverse=True)
        return records[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        path = normalize_scope_path(scope)
        records = self._all(path)
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=path,
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=min(times, key=_in_utc, default=None),
            newest_record=max(times, key=_in_utc, default=None),
            child_scopes=_list_children(path, records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        path = normalize_scope_path(parent)
        return _list_children(path, self._all(path))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        return dict(Counter(name for record in self._all(scope_prefix) for name in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        return len(self._all(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        self.delete(scope_prefix)

    async def asave(self, records: list[MemoryRecord]) -> None:
        await asyncio.to_thread(self.save, records)

    async def asearch(self, query_embedding: list[float], *arguments: Any, **options: Any) -> Any:
        return self.search(query_embedding)

    async def adelete(self, *arguments: Any, **options: Any) -> int:
        return await asyncio.to_thread(self.delete, *arguments, **options)

    def _records(
        self, scope: str | None, categories: list[str] | None = None
    ) -> Iterator[tuple[Any, MemoryRecord]]:
        """Rows of the API with their records, page by page."""
        filter = _narrowed(scope, categories)
        for row in self.client.get_memories(filter=filter, **_FACTS, **self.owner):
            yield row, _build_record(row)

    def _all(self, scope: str | None) -> list[MemoryRecord]:
        return [record for _, record in self._records(scope)]

    def _versions(self, record_id: str) -> list[Any]:
        """The rows of one record, the last written first: one, and more only where two wrote at the same time."""
        filter = {"and": [{RECORD_ID: record_id}]}
        page = self.client.list_memories(filter=filter, size=50, **_FACTS, **self.owner)
        return list(page["memory_detail_list"])

    def _remove(self, memory_ids: list[str]) -> None:
        for start in range(0, len(memory_ids), MAX_DELETED):
            try:
                self.client.delete(memory_ids=memory_ids[start : start + MAX_DELETED])
            except NotFound:  # somebody else deleted one of them at the same time
                for memory_id in memory_ids[start : start + MAX_DELETED]:
                    self._remove_one(memory_id)

    def _remove_one(self, memory_id: str) -> None:
        try:
            self.client.delete(memory_ids=[memory_id])
        except NotFound:
            return


class EngramMemory(Memory):
    """CrewAI's `Memory` of one end user or one agent, which needs no embedding model and no vector store.

    Records are stored as they are, before the call returns, and found by Engram's search; scopes, categories and
    importance are those that the caller names, and no model guesses them. `relativity` is the least that a match
    must reach, the project's own unless it is set. Of a task's result CrewAI's `llm` says what is worth remembering;
    without one the result is stored whole. All methods raise `EngramError`.
    """

    relativity: float | None = Field(default=None, ge=0, le=1)

    def __init__(
        self, client: Engram, *, user_id: str | None = None, agent_id: str | None = None, **fields: Any
    ) -> None:
        super().__init__(storage=EngramStorage(client, user_id=user_id, agent_id=agent_id), **fields)

    def remember(self, content: str, *arguments: Any, **options: Any) -> MemoryRecord | None:
        records = self.remember_many([content], *arguments, **options)
        return records[0] if records else None

    def remember_many(
        self,
        contents: list[str],
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> list[MemoryRecord]:
        if self.read_only:
            return []
        root = self.root_scope if root_scope is None else root_scope
        records = [
            MemoryRecord(
                content=content,
                scope=join_scope_paths(root, scope),
                categories=categories or [],
                metadata=metadata or {},
                importance=self.default_importance if importance is None else importance,
                source=source,
                private=private,
            )
            for content in contents
            if content.strip()
        ]
        self._engram.save(records)
        return records

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        """At most 25 matches; what is private is for its own source. `depth` changes nothing."""
        where = join_scope_paths(self.root_scope, scope)
        scored = self._engram.find(query, where, categories, limit, self.relativity) if query.strip() else []
        return [
            MemoryMatch(record=record, score=score, match_reasons=["semantic"])
            for record, score in scored
            if not record.private or include_private or (source is not None and record.source == source)
        ]

    def update(
        self,
        record_id: str,
        content: str | None = None,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
    ) -> MemoryRecord:
        """Raises `ValueError` for a record that is not there."""
        record = self._engram.get_record(record_id)
        if record is None:
            raise ValueError(f"Record not found: {record_id}")
        changes: dict[str, Any] = {"content": content, "scope": scope, "categories": categories}
        changes |= {"metadata": metadata, "importance": importance}
        given = {name: value for name, value in changes.items() if value is not None}
        if self.read_only:
            return record
        changed = record.model_copy(update=given)
        self._engram.update(changed)
        return changed

    def extract_memories(self, content: str) -> list[str]:
        """By the `llm`, where one was given; else the content as it is."""
        if "llm" in self.model_fields_set:
            return super().extract_memories(content)
        return [content] if content.strip() else []

    @property
    def _engram(self) -> EngramStorage:
        return cast("EngramStorage", self.storage)


def _find_scope_ends(scope: str) -> list[int]:
    """Where the scopes above a scope end, the root first, and it itself: of `/a/b` 0, 2 and 4."""
    if scope == "/":
        return [0]
    return [*(place for place, letter in enumerate(scope) if letter == "/"), len(scope)]


def _narrowed(scope: str | None, categories: list[str] | None) -> dict[str, Any]:
    """Records below a scope that have at least one of the categories."""
    conditions: list[Any] = [{SCOPES: {"contains": normalize_scope_path(scope or "/")}}]
    if categories:
        conditions.append({"or": [{CATEGORIES: {"contains": name}} for name in categories]})
    return {"and": conditions}


def _build_record(row: Any) -> MemoryRecord:
    return MemoryRecord(content=row["memory_value"], **json.loads(row["info"][RECORD]))


def _list_children(path: str, records: list[MemoryRecord]) -> list[str]:
    """The scopes right below a path."""
    start = path.rstrip("/") + "/"
    names = {
        record.scope.removeprefix(start).partition("/")[0]
        for record in records
        if record.scope.startswith(start)
    }
    return sorted(start + name for name in names if name)


def _in_utc(time: datetime) -> datetime:
    """CrewAI's times have no zone and are meant in UTC."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)
