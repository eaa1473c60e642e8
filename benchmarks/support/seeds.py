"""Many memories in little time: real vectors for some hundred texts, and neighbours of those for all others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from benchmarks.support.sentences import NAMES, statement

if TYPE_CHECKING:
    from memories.models import MemCube

SEARCHER = "searcher"
EMBEDDED = 320
BATCH = 1_000
# About as far from the text's vector as a paraphrase is.
NOISE = 0.25
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)


def seed(project_id: str, memories: int, own: int) -> None:
    """`own` memories of the end user who will search, the rest spread over others with as many each."""
    from django.db import connections

    from memories.cubes.access import provide_cube
    from memories.models import Memory
    from memories.values import OwnerKind, Subject
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project

    project = Project.objects.get(pk=project_id)
    vectors = _vectors()
    with tqdm(total=memories, unit="memory", desc="seed") as bar:
        for first in range(0, memories, own):
            name = SEARCHER if first == 0 else f"other-{first // own}"
            count = min(own, memories - first)
            with tenant_scope(project):
                cube = provide_cube(project, Subject(OwnerKind.END_USER, name))
            for start in range(first, first + count, BATCH):
                made = list(_memories(cube, start, min(BATCH, first + count - start), vectors))
                with tenant_scope(project):  # briefly: the database ends transactions that wait
                    Memory.objects.bulk_create(made)
                bar.update(len(made))
    with connections["owner"].cursor() as cursor:  # what autovacuum would do in its own time
        cursor.execute("VACUUM ANALYZE memories_memory")


def _vectors() -> NDArray[np.float64]:
    """Embeddings of statements, unit length: shape (EMBEDDED, d)."""
    from memories.engine import get_embedder

    texts = tqdm([statement(number) for number in range(EMBEDDED)], unit="text", desc="embed")
    return np.array([get_embedder().embed_passages([text])[0] for text in texts])


def _memories(cube: MemCube, first: int, count: int, vectors: NDArray[np.float64]) -> Iterator[Any]:
    """Statements and lines of a talk in turn, because the ranker scores them differently."""
    from memories.engine import get_embedder
    from memories.models import Memory
    from memories.models.memory import get_owner_fields
    from memories.text.words.tokenize import search_terms

    random = np.random.default_rng(first)
    for number in range(first, first + count):
        speaker = NAMES[number // 2 % 2] if number % 2 else ""
        text = f"{speaker}: {statement(number, 'I')}" if speaker else statement(number)
        yield Memory(
            **get_owner_fields(cube),
            cube=cube,
            kind="fact",
            title=text[:60],
            text=text,
            content_hash=sha256(text.encode()).digest(),
            speaker=speaker,
            conversation_key=f"talk-{number // 40}",
            position=number % 40,
            words=" ".join(search_terms(text)),
            event_time=BEGIN + timedelta(hours=number % 10_000),
            embedding=_near(vectors[number % len(vectors)], random),
            embedding_model=get_embedder().name,
        )


def _near(vector: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
    """Shape (d,), as the vector."""
    noise = random.standard_normal(len(vector))
    moved = vector + NOISE * noise / np.linalg.norm(noise)
    return np.asarray(moved / np.linalg.norm(moved))
