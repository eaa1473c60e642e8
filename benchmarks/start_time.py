"""How long the whole system takes from the command to "ready": on an empty folder, and on a used one.

python -m benchmarks.start_time [--times 3]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

from benchmarks.support.installation import empty_folder
from benchmarks.support.report import Promise, Report, Table, machine
from console.embedded.stack import Stack

FIRST_SECONDS, LATER_SECONDS = 60.0, 10.0


def run_measurement(times: int) -> Report:
    report = Report("start_time", circumstances=machine() | {"later_starts": times})
    with empty_folder() as folder:
        stack = Stack(folder)
        first, stop = _timed(stack.start), [_timed(stack.stop)]
        later = []
        for _ in range(times):
            later.append(_timed(stack.start))
            stop.append(_timed(stack.stop))
    report.tables = [
        Table(
            "seconds from the command to ready",
            ["", "seconds"],
            [
                ["first start, empty folder", round(first, 1)],
                [f"later start, median of {times}", round(median(later), 1)],
                [f"stop, median of {times + 1}", round(median(stop), 1)],
            ],
        )
    ]
    report.promises = [
        Promise("first start in s", first, FIRST_SECONDS),
        Promise("slowest later start in s", max(later), LATER_SECONDS),
    ]
    return report


def _timed(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    run_measurement(parser.parse_args().times).publish()


if __name__ == "__main__":
    main()
