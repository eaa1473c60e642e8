"""LangGraph's `BaseStore`: JSON values by namespace and key, kept as memories that nothing rewords."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    validate_op_namespace,
)

from engram_client.client import Engram
from engram_client.errors import NotFound

Namespace = tuple[str, ...]
# What one search of the API gives back at most, and what it compares of a text.
MAX_RANKED, MAX_TEXT = 25, 8_000
# Names in a memory's `info`. The value is text: a JSON column would turn 1e300 into an integer and refuse "\u0000".
SPACE, PREFIXES, KEY, VALUE = "langgraph_namespace", "langgraph_prefixes", "langgraph_key", "langgraph_value"
CREATED, IS_INDEXED = "langgraph_created_at", "langgraph_is_indexed"


class EngramStore(BaseStore):
    """A store whose items are memories of end users, or of one agent.

    The part of a namespace at `user_at` is the end user that an item belongs to: of `("kim", "notes")` it is kim.
    A prefix that ends before that part names no user and is refused with `ValueError`. With `agent_id` all
    namespaces belong to that agent instead. The async methods run the sync ones in a thread. All methods raise
    `EngramError`.
    """

    supports_ttl = False

    def __init__(self, client: Engram, *, user_at: int = 0, agent_id: str | None = None) -> None:
        self.client, self.user_at, self.agent_id = client, user_at, agent_id

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads in their order, as all was before; then the last write of each key."""
        listed = list(ops)
        for op in listed:
            validate_op_namespace(op)
        results: list[Result] = [None if isinstance(op, PutOp) else self._read(op) for op in listed]
        writes = {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}
        for write in writes.values():
            self._write(write)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            rows = self._versions(op.namespace, op.key)
            return Item(**_item(rows[0])) if rows else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"Unknown operation: {type(op).__name__}")

    def _write(self, op: PutOp) -> None:
        """The new version is there before the old one goes, so that a reader always finds one."""
        versions = self._versions(op.namespace, op.key)
        if op.value is not None:
            now = datetime.now(UTC).isoformat()
            info = {
                SPACE: _joined(op.namespace),
                PREFIXES: [_joined(op.namespace[:end]) for end in range(len(op.namespace) + 1)],
                KEY: op.key,
                VALUE: _as_text(op.value),
                CREATED: versions[0]["info"][CREATED] if versions else now,
                IS_INDEXED: op.index is not False,
            }
            self.client.add_verbatim(_searchable(op) or op.key, info=info, **self._owner(op.namespace))
        if versions:
            try:
                self.client.delete(memory_ids=[row["id"] for row in versions])
            except NotFound:  # somebody else replaced it at the same time
                return

    def _versions(self, namespace: Namespace, key: str) -> list[Any]:
        """The rows of one key, newest first: one, and more only where two wrote it at the same time."""
        conditions = [{SPACE: _joined(namespace)}, {KEY: key}]
        page = self.client.list_memories(
            filter={"and": conditions}, size=50, **_FACTS, **self._owner(namespace)
        )
        return list(page["memory_detail_list"])

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.offset + op.limit
        items: list[SearchItem] = []
        for row in self._ranked(op) if op.query else self._all(op.namespace_prefix):
            if len(items) >= wanted:
                break
            item = _item(row)
            if _matches(item["value"], op.filter or {}):
                items.append(SearchItem(**item, score=row.get("relativity")))
        return items[op.offset : wanted]

    def _ranked(self, op: SearchOp) -> Iterator[Any]:
        """Up to 25 items, the best first."""
        answer = self.client.search(
            str(op.query),
            memory_limit_number=MAX_RANKED,
            relativity=0,
            include_preference=False,
            filter={"and": [_within(op.namespace_prefix), {IS_INDEXED: True}]},
            **self._owner(op.namespace_prefix),
        )
        yield from _newest(row for row in answer["memory_detail_list"])

    def _all(self, prefix: Namespace) -> Iterator[Any]:
        """All items below a prefix, the last written first, page by page."""
        filter = {"and": [_within(prefix)]}
        yield from _newest(self.client.get_memories(filter=filter, **_FACTS, **self._owner(prefix)))

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        prefix: Namespace = max((_fixed_prefix(condition) for condition in conditions), key=len, default=())
        spaces = {tuple(row["info"][SPACE].split(".")) for row in self._all(prefix)}
        kept = {
            space[: op.max_depth]
            for space in spaces
            if all(_fits(condition, space) for condition in conditions)
        }
        return sorted(kept)[op.offset : op.offset + op.limit]

    def _owner(self, namespace: Namespace) -> Any:
        if self.agent_id is not None:
            return {"agent_id": self.agent_id}
        if len(namespace) <= self.user_at:
            raise ValueError(
                f"The namespace {namespace!r} names no user: its part {self.user_at} must be one. "
                "Nothing is read across users; give the store an agent_id for what belongs to all of them."
            )
        return {"user_id": namespace[self.user_at]}


_FACTS: Any = {"include_preference": False, "include_tool_memory": False}


def _joined(namespace: Namespace) -> str:
    """LangGraph allows no periods in a part of a namespace."""
    return ".".join(namespace)


def _within(prefix: Namespace) -> dict[str, Any]:
    return {PREFIXES: {"contains": _joined(prefix)}}


def _as_text(value: Mapping[str, Any]) -> str:
    """Raises `TypeError` for what JSON cannot hold, `ValueError` for NaN and infinity."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text


def _searchable(op: PutOp) -> str:
    """The words by which an item is found: those of its `index` paths, else all of the value."""
    if op.index is False:
        return ""
    if op.index is None:
        texts: Iterable[str] = _words(op.value, "")
    else:
        texts = (text for path in op.index for text in get_text_at_path(op.value, path))
    text = "\n".join(texts)[:MAX_TEXT].replace("\0", " ")
    return text.encode(errors="replace").decode().strip()


def _words(value: Any, name: str) -> Iterator[str]:
    """Each text and number with the name before it that it has in the value."""
    if isinstance(value, Mapping):
        for inner, part in value.items():
            yield from _words(part, f"{inner}" if len(value) > 1 or name else "")
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _words(part, name)
    elif value is not None and value != "":
        yield f"{name}: {value}" if name else str(value)


def _newest(rows: Iterable[Any]) -> Iterator[Any]:
    """One row of each key: where two were written at the same time, the last."""
    seen: dict[tuple[str, str], Any] = {}
    for row in rows:
        place = (row["info"][SPACE], row["info"][KEY])
        if place not in seen:
            seen[place] = row
            yield row


def _item(row: Any) -> dict[str, Any]:
    info = row["info"]
    return {
        "value": json.loads(info[VALUE]),
        "key": info[KEY],
        "namespace": tuple(info[SPACE].split(".")),
        "created_at": datetime.fromisoformat(info[CREATED]),
        "updated_at": datetime.fromtimestamp(row["create_time"] / 1000, UTC),
    }


def _fixed_prefix(condition: MatchCondition) -> Namespace:
    """What a prefix says before its first wildcard."""
    if condition.match_type != "prefix":
        return ()
    path = condition.path
    return tuple(path[: path.index("*")]) if "*" in path else tuple(path)


def _fits(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(path) > len(namespace):
        return False
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    part = namespace[start : start + len(path)]
    return all(want in ("*", have) for want, have in zip(path, part, strict=True))


def _matches(value: Any, filter: Mapping[str, Any]) -> bool:
    return all(_agrees(value.get(name), wanted) for name, wanted in filter.items())


def _agrees(value: Any, wanted: Any) -> bool:
    """LangGraph's rule: operators, parts of objects, lists of the same length, or the same value."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, operator, operand) for operator, operand in wanted.items())
        return isinstance(value, Mapping) and _matches(value, wanted)
    if isinstance(wanted, list | tuple):
        is_list = isinstance(value, list | tuple) and len(value) == len(wanted)
        return is_list and all(map(_agrees, value, wanted))
    return bool(value == wanted)


def _compares(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return (value == operand) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    if not isinstance(value, int | float):
        return False
    number = float(operand)
    if operator in ("$gt", "$gte"):
        return value > number or (operator == "$gte" and value == number)
    return value < number or (operator == "$lte" and value == number)
