"""How the size of a knowledge base tells in `search/memory`.

    python -m benchmarks.search.knowledge_search [--small 1000] [--large 100000] [--queries 200]

One project, two knowledge bases. The passages are made of templates over real words; embedding a hundred thousand of
them would take hours, so some hundred are embedded and the others lie between two of those, a little aside. Queries
take turns between the two bases, so that both are measured in the same minutes; every query is a new one. Then the
index is held against comparing every vector.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from benchmarks.search_overhead import Timed, with_traces
from benchmarks.support.installation import Developer, installation
from benchmarks.support.passages import code, passage, question, title
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread

if TYPE_CHECKING:
    from memories.models import MemCube

RATIO = 2.0
WARM_UP = 20
EMBEDDED = 400
BATCH = 200
# One passage in so many says a reference that no other says.
CODED = 1_000
# Recall is asked of so many queries.
COMPARED = 100
USER = "searcher"
Bases = dict[str, str]


def run_measurement(small: int, large: int, queries: int) -> Report:
    report = Report("knowledge_search", circumstances=machine() | {"small": small, "large": large})
    with installation() as (stack, developer):
        vectors = _vectors()
        bases = {"small": _seed(developer, small, vectors), "large": _seed(developer, large, vectors)}
        _vacuum()
        searches = _search(developer, bases, queries)
        recall = _recall(developer, bases["large"])
        hits, asked = _coded(developer, bases["large"], large)
    waited = {name: [search.waited for search in timed] for name, timed in searches.items()}
    beside = {
        name: [search.waited - search.embedding for search in timed] for name, timed in searches.items()
    }
    report.tables = [
        Table(
            "search/memory with one knowledge base, one client",
            SPREAD_COLUMNS,
            [spread(f"whole, {name}", times) for name, times in waited.items()]
            + [spread(f"beside embedding, {name}", times) for name, times in beside.items()]
            + [spread("embedding", [search.embedding for timed in searches.values() for search in timed])],
        ),
        Table("the same by stage of the trace", SPREAD_COLUMNS, _stages(searches)),
        Table(
            "what the large base's index finds",
            ["", "share"],
            [
                ["of the nearest 10 passages", recall],
                ["of passages asked for by their reference", hits / asked],
            ],
        ),
    ]
    ratio = percentile(waited["large"], 50) / percentile(waited["small"], 50)
    report.promises = [
        Promise("p50 with the large base, in those with the small one", round(ratio, 2), RATIO),
        Promise("the same of p95", round(_ratio(waited, 95), 2), RATIO),
    ]
    return report


def _ratio(waited: dict[str, list[float]], percent: float) -> float:
    return percentile(waited["large"], percent) / percentile(waited["small"], percent)


def _stages(searches: dict[str, list[Timed]]) -> list[list[str | float | int]]:
    return [
        spread(f"{stage}, {name}", [search.stages.get(stage, 0.0) for search in timed])
        for stage in ("embed", "candidates", "rank", "cut", "load")
        for name, timed in searches.items()
    ]


def _vectors() -> NDArray[np.float64]:
    """Embeddings of passages, unit length: shape (EMBEDDED, d)."""
    from memories.engine import get_embedder

    texts = tqdm([passage(7 * number) for number in range(EMBEDDED)], unit="text", desc="embed")
    return np.array([get_embedder().embed_passages([text])[0] for text in texts])


def _seed(developer: Developer, count: int, vectors: NDArray[np.float64]) -> str:
    """A base of so many passages, linked to the project; its id."""
    from memories.models import CubeGrant, MemCube, Memory
    from memories.values import OwnerKind
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project

    project, name = Project.objects.get(pk=developer.project_id), f"base{uuid4()}"
    with tenant_scope(project):
        owner = {"owner_kind": OwnerKind.KNOWLEDGE_BASE, "owner_id": name}
        cube = MemCube.objects.create(account_id=project.account_id, **owner)
        CubeGrant.objects.create(account_id=project.account_id, project_id=project.pk, cube=cube)
    for first in tqdm(range(0, count, BATCH), unit_scale=BATCH, unit="passage", desc="seed"):
        batch = list(_passages(cube, first, min(BATCH, count - first), vectors))
        with tenant_scope(project):
            Memory.objects.bulk_create(batch, batch_size=100)
    return name


def _passages(cube: MemCube, first: int, count: int, vectors: NDArray[np.float64]) -> Iterator[Any]:
    from memories.engine import get_embedder
    from memories.models import Memory
    from memories.text.words.tokenize import search_terms

    random = np.random.default_rng(first)
    file = str(uuid4())
    for number in range(first, first + count):
        text = passage(number) + (f" Its reference is {code(number)}." if number % CODED == 0 else "")
        place = {"file": file, "name": "handbook.pdf", "page": 1 + number % BATCH, "ordinal": number}
        yield Memory(
            account_id=cube.account_id,
            cube=cube,
            kind="knowledge",
            title=title(number),
            text=text,
            content_hash=sha256(f"{number} {text}".encode()).digest(),
            conversation_key="default_session",
            confidence=0.99,
            details={"file": place},
            words=" ".join(search_terms(text)),
            embedding=_between(vectors, number, random),
            embedding_model=get_embedder().name,
        )


def _between(vectors: NDArray[np.float64], number: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Nearer to one real passage than to another, and a little beside both."""
    share = random.uniform(0.5, 1)
    other = vectors[random.integers(len(vectors))]
    mixed = share * vectors[number % len(vectors)] + (1 - share) * other
    noise = random.standard_normal(len(mixed))
    moved = mixed / np.linalg.norm(mixed) + 0.15 * noise / np.linalg.norm(noise)
    return np.asarray(moved / np.linalg.norm(moved))


def _vacuum() -> None:
    from django.db import connections

    with connections["owner"].cursor() as cursor:  # what autovacuum would do in its own time
        cursor.execute("VACUUM ANALYZE memories_memory")


def _search(developer: Developer, bases: Bases, queries: int) -> dict[str, list[Timed]]:
    """In turn with each base."""
    waited: dict[str, dict[str, float]] = {name: {} for name in bases}
    with _client(developer) as api:
        for number in tqdm(range(WARM_UP + queries), unit="query", desc="search/memory"):
            for place, (name, base) in enumerate(bases.items()):
                asked = question(2 * number + place)
                began = time.perf_counter()
                answer = api.post(
                    "/search/memory", json={"user_id": USER, "query": asked, "knowledgebase_ids": [base]}
                )
                took = (time.perf_counter() - began) * 1000
                answer.raise_for_status()
                if number >= WARM_UP:
                    waited[name][answer.headers["X-Request-Id"]] = took
    return {name: with_traces(developer.project_id, times) for name, times in waited.items()}


def _client(developer: Developer) -> httpx.Client:
    return httpx.Client(base_url=developer.api_base, headers=developer.headers, timeout=60, trust_env=False)


def _recall(developer: Developer, base: str) -> float:
    """The share of the truly nearest ten that the index finds among its candidates."""
    from django.db import connection

    from memories.engine import get_embedder
    from memories.models import CubeGrant, Memory
    from memories.retrieval.candidates import selection
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project

    project = Project.objects.get(pk=developer.project_id)
    shares = []
    for number in tqdm(range(COMPARED), unit="query", desc="recall"):
        vector = get_embedder().embed_query(question(100_000 + number))
        with tenant_scope(project):
            cube = CubeGrant.objects.within(project).get(cube__owner_id=base).cube_id
            passages = Memory.objects.within(cube).current()
            keys, way = selection.find_best_by_meaning(passages, vector, selection.EXACT_UP_TO + 1)
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL enable_indexscan = off")
            exact, _ = selection.find_best_by_meaning(passages, vector, 0)
        if way != "index":
            raise RuntimeError("the index was not used")
        shares.append(len(set(exact[:10]) & set(keys)) / 10)
    return float(np.mean(shares))


def _coded(developer: Developer, base: str, count: int) -> tuple[int, int]:
    """How many of the passages that only their reference tells apart come back for it."""
    hits = 0
    numbers = range(0, count, CODED)
    with _client(developer) as api:
        for number in numbers:
            body = {
                "user_id": USER,
                "query": f"What does {code(number)} say?",
                "knowledgebase_ids": [base],
                "relativity": 0,
            }
            items = (
                api.post("/search/memory", json=body).raise_for_status().json()["data"]["memory_detail_list"]
            )
            hits += any(code(number) in item["memory_value"] for item in items)
    return hits, len(numbers)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    asked = parser.parse_args()
    run_measurement(asked.small, asked.large, asked.queries).publish()


if __name__ == "__main__":
    main()
