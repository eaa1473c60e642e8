"""How long `engram` takes before its first request, beside an empty Python program.

python -m benchmarks.requests.command_start [--times 15]

`search` is measured up to the request: nobody listens at the address, and the connection is refused at once. It is
tried once, so that no pause is counted. A start waits for little but the processor, so processor time stands for the
time itself on a machine that has nothing else to do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from socket import socket
from statistics import median

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.support.report import Promise, Report, Table, machine

# Of the packages that these need, and no others: httpx imports more where click is installed.
NEEDED = ("httpx", "typer")
ROOT = Path(__file__).resolve().parents[2]
MOST_MILLISECONDS = 200.0
RUN = "from engram_cli.main import run; run()"
# The client's tries are set to one: pauses between them are no start.
SEARCH = f"import engram_client.requests as r; r.delay_after_failure = lambda *_: None; {RUN}"


def run_measurement(times: int) -> Report:
    report = Report("command_start", circumstances=machine() | {"times": times})
    with socket() as bound, tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as packages:
        link_packages(Path(packages))
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        environment = {
            **os.environ,
            "HOME": home,
            "PYTHONPATH": f"{ROOT / 'clients/python'}:{ROOT / 'cli'}:{packages}",
            "ENGRAM_API_KEY": "mpg-x",
            "ENGRAM_BASE_URL": url,
        }
        commands = {
            "python -c pass": ["-c", "pass"],
            "engram --help": ["-c", RUN, "--help"],
            "engram search, up to its request": ["-c", SEARCH, "search", "x", "--user-id", "kim"],
        }
        # In turn, so that what else the machine does meets all of them.
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(times + 1):
            for name, arguments in commands.items():
                taken[name].append(_milliseconds(arguments, environment))
    middle = {name: median(each[1:]) for name, each in taken.items()}
    base = middle["python -c pass"]
    report.tables = [
        Table(
            "milliseconds of processor time from start to end, median",
            ["", "ms", "times python -c pass"],
            [[name, round(value, 1), round(value / base, 1)] for name, value in middle.items()],
        )
    ]
    report.promises = [
        Promise(f"{name} in ms", value, MOST_MILLISECONDS) for name, value in middle.items() if name[0] == "e"
    ]
    return report


def link_packages(folder: Path) -> None:
    """What an environment holds into which only the command was installed."""
    waiting, seen = list(NEEDED), set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        needed = distribution(name)
        for file in needed.files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (folder / top).exists():
                (folder / top).symlink_to(Path(str(needed.locate_file(top))))
        requirements = [Requirement(line) for line in needed.requires or ()]
        waiting += [
            requirement.name
            for requirement in requirements
            if not requirement.marker or requirement.marker.evaluate({"extra": ""})
        ]


def _milliseconds(arguments: list[str], environment: dict[str, str]) -> float:
    """Processor time of one run, which other work on the machine changes little."""
    process = subprocess.Popen(
        [sys.executable, "-S", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (used.ru_utime + used.ru_stime) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=15)
    run_measurement(parser.parse_args().times).publish()


if __name__ == "__main__":
    main()
