"""How long checking the largest package that the rules allow takes, and what the child process that does it holds.

    python -m benchmarks.work.skill_zip [--times 3]

Four shapes of "largest": as many bytes as an archive may have, as many as it may unpack to, as many files, and all of
it at once. Each is read the way an upload is; memory is the child's, measured by a process whose only child it was.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryFile

from benchmarks.support.report import Promise, Report, Table, machine
from skills.packages.limits import MAX_FILE, MAX_FILES, MAX_TOTAL, MAX_ZIP, MB

CHILD = Path(__file__).parents[2] / "skills/packages/unpack_child.py"
SECONDS, MEGABYTES = 2.0, 64.0
TOP = b"---\nname: Largest\ndescription: As large as a package may be\n---\n\n## Procedure\n\n1. Look\n"
# Starts the child and says what it took: only a process whose one child it was knows that child's memory.
WATCH = """
import json, os, resource, subprocess, sys, tempfile
with tempfile.TemporaryFile() as out:
    done = subprocess.run([sys.executable, "-I", sys.argv[1], str(out.fileno()), "zip"], stdin=sys.stdin,
                          stdout=subprocess.PIPE, env={}, pass_fds=[out.fileno()])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, json.loads(done.stdout)]))
"""


def run_measurement(times: int) -> Report:
    report = Report("skill_zip", circumstances=machine() | {"times": times})
    packages = {
        f"{MAX_ZIP // MB} MB that do not shrink": _packed(2, (MAX_ZIP - MB) // 2, random_bytes=True),
        f"{MAX_TOTAL // MB} MB that shrink to little": _packed(
            MAX_TOTAL // MAX_FILE - 1, MAX_FILE, random_bytes=False
        ),
        f"{MAX_FILES} files": _packed(MAX_FILES - 1, 4_096, random_bytes=True),
        f"{MAX_FILES} files, {MAX_TOTAL // MB - 2} MB unpacked": _packed(
            MAX_FILES - 1, (MAX_TOTAL - 2 * MB) // (MAX_FILES - 1), random_bytes=False
        ),
    }
    rows = [
        [name, round(len(content) / MB, 1), *_checked(content, times)] for name, content in packages.items()
    ]
    columns = ["", "MB packed", "seconds", "CPU s", "MB at most", "files"]
    report.tables = [Table("checking a package, in a child process", columns, [list(row) for row in rows])]
    report.promises = [
        Promise("seconds for the slowest", max(float(row[2]) for row in rows), SECONDS),
        Promise("MB of the largest child", max(float(row[4]) for row in rows), MEGABYTES),
    ]
    return report


def _packed(count: int, size: int, *, random_bytes: bool) -> bytes:
    chance = random.Random(1)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr("SKILL.md", TOP)
        for number in range(count):
            content = chance.randbytes(size) if random_bytes else (f"line {number}\n".encode() * size)[:size]
            archive.writestr(f"references/{number}.txt", content)
    return out.getvalue()


def _checked(content: bytes, times: int) -> tuple[float, float, float, int]:
    """The slowest of so many times."""
    took = [_once(content) for _ in range(times)]
    return max(took, key=lambda figures: figures[0])


def _once(content: bytes) -> tuple[float, float, float, int]:
    with TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        began = time.perf_counter()
        command = [sys.executable, "-c", WATCH, str(CHILD)]
        output = subprocess.run(command, stdin=file, capture_output=True, check=True, text=True).stdout
        seconds = time.perf_counter() - began
    megabytes, busy, answer = json.loads(output)
    if "files" not in answer:
        raise RuntimeError(f"the package was refused: {answer}")
    return round(seconds, 2), round(busy, 2), round(megabytes, 1), len(answer["files"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=3)
    run_measurement(parser.parse_args().times).publish()


if __name__ == "__main__":
    main()
