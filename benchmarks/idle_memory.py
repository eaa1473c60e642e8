"""How much memory the whole system holds when nobody asks it anything: after its start, and after some use.

    python -m benchmarks.idle_memory [--wait 30]

Pages that several processes share count once (the kernel's proportional set size); PostgreSQL's shared memory is
counted apart, because it is a cache whose size the operator chooses. Where the kernel does not tell, resident sizes
are summed, which counts shared pages once for each process.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import httpx
import psutil

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import Promise, Report, Table, machine
from benchmarks.support.sentences import question, statement
from console.embedded.stack import Stack

MEBIBYTES = 900.0
ADDED, SEARCHED = 40, 40


def run_measurement(wait: int) -> Report:
    report = Report("idle_memory", circumstances=machine() | {"seconds_of_rest": wait})
    with installation() as (stack, developer):
        time.sleep(wait)
        fresh = _by_part(stack)
        _use(developer)
        time.sleep(wait)
        used = _by_part(stack)
    names = list(fresh)
    own = [name for name in names if name != SHARED]
    totals = [sum(part[name] for name in own) for part in (fresh, used)]
    rows: list[list[str | float | int]] = [[name, fresh[name], used[name]] for name in own]
    rows += [["all of it", *totals], [SHARED, fresh[SHARED], used[SHARED]]]
    title = f"MiB of memory, {wait} s after the start and {wait} s after {ADDED} additions and {SEARCHED} searches"
    report.tables = [Table(title, ["", "after start", "after use"], rows)]
    report.promises = [
        Promise("MiB after the start", totals[0], MEBIBYTES),
        Promise("MiB after some use", totals[1], MEBIBYTES),
    ]
    return report


SHARED = "postgres: shared memory (apart)"


def _by_part(stack: Stack) -> dict[str, float]:
    """MiB of each part of the system, its child processes included."""
    mebibytes = {}
    for name, pid in stack.pids.items():
        if pid is None:
            raise RuntimeError(f"{name} does not run")
        processes = [psutil.Process(pid)]
        if name != "supervisor":  # the other parts are its children
            processes += processes[0].children(recursive=True)
        sizes = [_size(process) for process in processes]
        own, shared = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
        if name == "postgres":
            mebibytes[SHARED] = shared
        mebibytes[name] = own if name == "postgres" else own + shared
    return dict(sorted(mebibytes.items()))


def _size(process: psutil.Process) -> tuple[float, float]:
    """MiB of its own and MiB of memory shared on purpose."""
    rollup = Path(f"/proc/{process.pid}/smaps_rollup")
    if not rollup.exists():
        return process.memory_info().rss / 2**20, 0.0
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in rollup.read_text().splitlines()[1:]}
    shared = kilobytes["Pss_Shmem"]
    return (kilobytes["Pss"] - shared) / 1024, shared / 1024


def _use(developer: Developer) -> None:
    with httpx.Client(
        base_url=developer.api_base, headers=developer.headers, timeout=60, trust_env=False
    ) as api:
        for number in range(ADDED):
            message = {"role": "user", "content": statement(number, "I")}
            body = {"user_id": f"user-{number % 4}", "messages": [message], "async_mode": False}
            api.post("/add/message", json=body).raise_for_status()
        for number in range(SEARCHED):
            body = {"user_id": f"user-{number % 4}", "query": question(number)}
            api.post("/search/memory", json=body).raise_for_status()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wait", type=int, default=30)
    run_measurement(parser.parse_args().wait).publish()


if __name__ == "__main__":
    main()
