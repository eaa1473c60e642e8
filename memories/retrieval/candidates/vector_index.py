"""The HNSW index over passages of knowledge bases: one for each embedding model.

Source: Malkov & Yashunin, "Efficient and Robust Approximate Nearest Neighbor Search Using Hierarchical Navigable Small
World Graphs", IEEE TPAMI 2018; built by pgvector. Memories of one end user are few and compared exactly. An index
serves one model, because its vectors have one dimension and are comparable with one another only.
"""

from __future__ import annotations

import time
from hashlib import sha256

from django.db import OperationalError, connection, connections
from psycopg.errors import DeadlockDetected, LockNotAvailable

from memories.values import MemoryKind
from tenancy.runtime.ttl_cache import LockedTTLCache

# pgvector's limit for indexed vectors in single precision.
MOST_DIMENSIONS = 2_000
# Seconds for which a process caches whether the index is there.
_CACHED_SECONDS = 60.0
# The owner's role waits seconds for locks of others, such as a dump's, and tries again for this many seconds. Each
# failed try leaves an invalid index, which the next one drops.
_RETRY_SECONDS = 1800.0

_found = LockedTTLCache[str, bool](16, _CACHED_SECONDS)


def build_index_name(model: str) -> str:
    return f"memory_passages_{sha256(model.encode()).hexdigest()[:12]}"


def has_index(model: str) -> bool:
    """Return whether this model's vectors can be searched by an index now; asked of the database once a minute."""
    return _found.get_or_make(model, lambda: _is_valid("default", build_index_name(model)))


def build_index(model: str, dimensions: int) -> bool:
    """Build the model's index concurrently, unless it is there. False for vectors with too many dimensions.

    Call it outside of transactions; it uses the role that owns the tables.
    """
    name = build_index_name(model)
    if dimensions > MOST_DIMENSIONS:
        return False
    until = time.monotonic() + _RETRY_SECONDS
    while not _is_valid("owner", name):
        try:
            _build_index(name, model, dimensions)
        except OperationalError as error:
            is_in_the_way = isinstance(error.__cause__, (LockNotAvailable, DeadlockDetected))
            if not is_in_the_way or time.monotonic() > until:
                raise
    return True


def _build_index(name: str, model: str, dimensions: int) -> None:
    owner = connections["owner"]
    quoted = owner.ops.quote_name(name)
    with owner.cursor() as cursor:
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {quoted}")
        cursor.execute(
            f"CREATE INDEX CONCURRENTLY {quoted} ON memories_memory"
            f" USING hnsw ((embedding::vector({dimensions:d})) vector_cosine_ops)"
            " WHERE kind = %s AND embedding_model = %s",
            [MemoryKind.KNOWLEDGE.value, model],
        )


def _is_valid(alias: str, name: str) -> bool:
    database = connection if alias == "default" else connections[alias]
    with database.cursor() as cursor:
        cursor.execute(
            "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = %s"
            " AND relnamespace = 'public'::regnamespace",
            [name],
        )
        row = cursor.fetchone()
    return bool(row and row[0])
