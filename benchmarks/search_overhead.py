"""What `search/memory` costs beside embedding its query once.

    python -m benchmarks.search_overhead [--memories 100000] [--own 1000] [--queries 400]

One project holds many memories, of which the end user who searches has some. Every query is a new one, so that no
cache of vectors helps. The time of embedding is taken from the same request's trace: it ran in the same process,
under the same load, in the same moment. Candidates are read while the query is embedded, so that stages overlap; and
the same queries are embedded by themselves, to show whether that slows the embedding down.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import httpx
from tqdm import tqdm

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.seeds import SEARCHER, seed
from benchmarks.support.sentences import question

P95_MILLISECONDS = 15.0
WARM_UP = 30


@dataclass(frozen=True, slots=True)
class Timed:
    """One search: what the client waited, and what the server says about it; `began` is when each stage did."""

    waited: float
    served: float
    stages: dict[str, float]
    began: dict[str, float]

    @property
    def embedding(self) -> float:
        return self.stages["embed"]

    def waited_for(self, stage: str) -> float:
        """What a stage took beside the embedding of the query, which the request had to wait for anyway."""
        if stage not in self.stages:
            return 0.0
        began, embedding = self.began[stage], self.began["embed"]
        beside = min(began + self.stages[stage], embedding + self.embedding) - max(began, embedding)
        return self.stages[stage] - max(0.0, beside)


def measure(memories: int, own: int, queries: int) -> Report:
    size = {"memories": memories, "own_memories": own, "queries": queries}
    report = Report("search_overhead", circumstances=machine() | size)
    with installation() as (stack, developer):
        seed(developer.project_id, memories, own)
        bare = _bare(stack.url, queries)
        searches = _search(developer, queries)
        alone = [_embedded_alone(WARM_UP + number) for number in range(queries)]
    above = [one.waited - one.embedding for one in searches]
    report.tables = [_whole(searches, above, bare, alone, memories, own), _by_stage(searches)]
    report.promises = [Promise("p95 above embedding in ms", percentile(above, 95), P95_MILLISECONDS)]
    report.circumstances["ratio_p95_to_embedding"] = round(
        percentile([one.waited for one in searches], 95)
        / percentile([one.embedding for one in searches], 95),
        2,
    )
    return report


def _whole(
    searches: list[Timed], above: list[float], bare: list[float], alone: list[float], memories: int, own: int
) -> Table:
    return Table(
        f"search/memory, one client, {own} memories of the end user among {memories} of the project",
        SPREAD_COLUMNS,
        [
            spread("whole, as the client sees it", [one.waited for one in searches]),
            spread("embedding the query", [one.embedding for one in searches]),
            spread("the same queries embedded by themselves", alone),
            spread("above embedding", above),
            spread("above embedding, in the server", [one.served - one.embedding for one in searches]),
            spread("/healthz, as the client sees it", bare),
        ],
    )


def _by_stage(searches: list[Timed]) -> Table:
    names = list(dict.fromkeys(name for one in searches for name in one.stages))
    rows = [spread(name, [one.stages.get(name, 0.0) for one in searches]) for name in names]
    return Table("the same by stage of the trace; candidates and embedding overlap", SPREAD_COLUMNS, rows)


def _embedded_alone(number: int) -> float:
    from memories.engine import embedder

    began = time.perf_counter()
    embedder().embed_query(question(number))
    return (time.perf_counter() - began) * 1000


def _bare(url: str, calls: int) -> list[float]:
    times = []
    with httpx.Client(base_url=url, trust_env=False) as client:
        for _ in range(calls):
            began = time.perf_counter()
            client.get("/healthz").raise_for_status()
            times.append((time.perf_counter() - began) * 1000)
    return times


def _search(developer: Developer, queries: int) -> list[Timed]:
    waited: dict[str, float] = {}
    with httpx.Client(
        base_url=developer.api_base, headers=developer.headers, timeout=60, trust_env=False
    ) as api:
        for number in tqdm(range(WARM_UP + queries), unit="query", desc="search/memory"):
            began = time.perf_counter()
            answer = api.post("/search/memory", json={"user_id": SEARCHER, "query": question(number)})
            took = (time.perf_counter() - began) * 1000
            answer.raise_for_status()
            if number >= WARM_UP:
                waited[answer.headers["X-Request-Id"]] = took
    return with_traces(developer.project_id, waited)


def with_traces(project_id: str, waited: dict[str, float]) -> list[Timed]:
    """Log rows are written behind the answers, so the last ones may take a moment."""
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project, RequestLog

    project = Project.objects.get(pk=project_id)
    rows: dict[str, Any] = {}
    until = time.monotonic() + 30
    while len(rows) < len(waited):
        if time.monotonic() > until:
            raise TimeoutError(f"{len(waited) - len(rows)} requests never came into the log")
        time.sleep(0.2)
        with tenant_scope(project):
            found = RequestLog.objects.within(project).filter(request_id__in=waited)
            rows = {row.request_id: (row.milliseconds, row.trace) for row in found}
    return [
        Timed(
            took,
            rows[name][0],
            {stage["stage"]: stage["ms"] for stage in rows[name][1]},
            {stage["stage"]: stage["at"] for stage in rows[name][1]},
        )
        for name, took in waited.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--own", type=int, default=1_000)
    parser.add_argument("--queries", type=int, default=400)
    asked = parser.parse_args()
    measure(asked.memories, asked.own, asked.queries).publish()


if __name__ == "__main__":
    main()
