"""The index by which large knowledge bases are searched: one for each embedder, over passages only.

Vectors of a cube's own rows are few and compared one by one. An index serves one model only, because its vectors
have one width and are near to one another alone.
"""

from __future__ import annotations

import time
from hashlib import sha256

from django.db import OperationalError, connection, connections
from psycopg.errors import DeadlockDetected, LockNotAvailable

from memories.values import Kind

# What the index can hold of a vector in single precision.
MOST_DIMENSIONS = 2_000
# How long a process believes what it found.
_BELIEVED = 60.0
# The owner's role waits for locks of others, such as a dump's, for seconds only and comes again for so long.
# Each broken try leaves a stump, which the next one clears away.
_RETRY_SECONDS = 1800.0

_found: dict[str, tuple[float, bool]] = {}


def index_name(model: str) -> str:
    return f"memory_passages_{sha256(model.encode()).hexdigest()[:12]}"


def has_index(model: str) -> bool:
    """Whether this model's vectors can be searched by an index now; asked of the database once a minute."""
    seen = _found.get(model)
    if seen is None or time.monotonic() - seen[0] > _BELIEVED:
        seen = _found[model] = (time.monotonic(), _is_valid("default", index_name(model)))
    return seen[1]


def build_index(model: str, dimensions: int) -> bool:
    """Makes the model's index beside a serving installation, unless it is there. False for vectors too wide for one.

    Not in a transaction, and by the role that owns the tables.
    """
    name = index_name(model)
    if dimensions > MOST_DIMENSIONS:
        return False
    until = time.monotonic() + _RETRY_SECONDS
    while not _is_valid("owner", name):
        try:
            _build(name, model, dimensions)
        except OperationalError as failure:
            is_in_the_way = isinstance(failure.__cause__, (LockNotAvailable, DeadlockDetected))
            if not is_in_the_way or time.monotonic() > until:
                raise
    return True


def _build(name: str, model: str, dimensions: int) -> None:
    owner = connections["owner"]
    quoted = owner.ops.quote_name(name)
    with owner.cursor() as cursor:
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {quoted}")
        cursor.execute(
            f"CREATE INDEX CONCURRENTLY {quoted} ON memories_memory"
            f" USING hnsw ((embedding::vector({dimensions:d})) vector_cosine_ops)"
            " WHERE kind = %s AND embedding_model = %s",
            [Kind.KNOWLEDGE.value, model],
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
