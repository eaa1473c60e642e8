"""How much processor time the web process takes to load, beside one that looks for garbage while it does.

    python -m benchmarks.load_time [--times 7]

All that is loaded lasts. `console.asgi` and `console.worker` switch the collector off until it is, as the documentation
of `gc.freeze` advises; the other process is kept from it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.support.report import Promise, Report, Table, machine

ROOT = Path(__file__).resolve().parents[1]
LOAD = (
    "import threading, console.asgi; [one.join() for one in threading.enumerate() if one.name == 'warm-up']"
)
WAYS = {"as it is": LOAD, "with collections": f"import gc; gc.disable = lambda: None; {LOAD}"}
MOST_OF_THE_OTHER = 0.95


def run_measurement(times: int) -> Report:
    report = Report("load_time", circumstances=machine() | {"times": times})
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(times):  # in turn, so that what else the machine does meets both
        for way, program in WAYS.items():
            taken[way].append(_load(program))
    middle = {way: median(each) for way, each in taken.items()}
    report.tables = [
        Table(
            "seconds of processor time until the web process is loaded, median",
            ["", "seconds"],
            [[way, round(seconds, 2)] for way, seconds in middle.items()],
        )
    ]
    ratio = middle["as it is"] / middle["with collections"]
    report.promises = [Promise("part of the time with collections", ratio, MOST_OF_THE_OTHER)]
    return report


def _load(program: str) -> float:
    """Processor time in seconds."""
    environment = {**os.environ, "SECRET_KEY": "s" * 40, "KEY_PEPPERS": "p" * 40, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, cwd=ROOT, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=7)
    run_measurement(parser.parse_args().times).publish()


if __name__ == "__main__":
    main()
