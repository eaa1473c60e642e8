"""What it is worth that a cube is at hand: the first search of an end user, and later ones.

    python -m benchmarks.search.prepared_search [--users 20] [--own 1000]

Each user is searched four times: first (nothing is at hand), again, at once after a new message (what changed is read
by the search itself), and a second after another message (it was read before the search came). Every query is new.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import httpx
from tqdm import tqdm

from benchmarks.search_overhead import Timed, with_traces
from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Report, Table, machine, percentile, spread
from benchmarks.support.seeds import seed
from benchmarks.support.sentences import question

SITUATIONS = ("first", "again", "at once after a message", "a second after a message")
PREPARED_AFTER = 1.0
WARM_UP = 10


def run_measurement(users: int, own: int) -> Report:
    report = Report("prepared_search", circumstances=machine() | {"users": users, "own_memories": own})
    with installation() as (stack, developer):
        seed(developer.project_id, users * own, own)
        searches = _search(developer, users)
    report.tables = [
        _table(
            "candidates, read while the query is embedded",
            searches,
            lambda search: search.stages["candidates"],
        ),
        _table(
            "above embedding, as the client sees it",
            searches,
            lambda search: search.waited - search.embedding,
        ),
    ]
    cold, prepared = (
        percentile([search.stages["candidates"] for search in searches[name]], 50)
        for name in (SITUATIONS[0], SITUATIONS[3])
    )
    report.circumstances["ratio_first_to_prepared"] = round(cold / prepared, 1)
    return report


def _table(title: str, searches: dict[str, list[Timed]], figure: Any) -> Table:
    rows = [spread(name, [figure(search) for search in timed]) for name, timed in searches.items()]
    return Table(title, SPREAD_COLUMNS, rows)


def _search(developer: Developer, users: int) -> dict[str, list[Timed]]:
    names = [f"other-{number}" for number in range(1, users)]
    waited: dict[str, dict[str, float]] = {name: {} for name in SITUATIONS}
    number = 0
    with httpx.Client(
        base_url=developer.api_base, headers=developer.headers, timeout=60, trust_env=False
    ) as api:
        for _ in range(WARM_UP):
            number += 1
            _ask(api, "searcher", number)
        for name in tqdm(names, unit="user", desc="search/memory"):
            for situation in SITUATIONS:
                if situation in SITUATIONS[2:]:
                    _say(api, name, number)
                if situation == SITUATIONS[3]:
                    time.sleep(PREPARED_AFTER)
                number += 1
                request, took = _ask(api, name, number)
                waited[situation][request] = took
    return {name: with_traces(developer.project_id, times) for name, times in waited.items()}


def _say(api: httpx.Client, user: str, number: int) -> None:
    message = {"role": "user", "content": f"Hello again, number {number}."}
    body = {"user_id": user, "conversation_id": "bench", "messages": [message]}
    api.post("/add/message", json=body).raise_for_status()


def _ask(api: httpx.Client, user: str, number: int) -> tuple[str, float]:
    began = time.perf_counter()
    answer = api.post("/search/memory", json={"user_id": user, "query": question(number)})
    took = (time.perf_counter() - began) * 1000
    answer.raise_for_status()
    return answer.headers["X-Request-Id"], took


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--own", type=int, default=1_000)
    asked = parser.parse_args()
    run_measurement(asked.users, asked.own).publish()


if __name__ == "__main__":
    main()
