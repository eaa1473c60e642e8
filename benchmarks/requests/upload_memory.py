"""How much the web process grows while large files are uploaded to a knowledge base, as JSON and as a form.

    python -m benchmarks.requests.upload_memory [--megabytes 100]

The body is sent piece by piece. Resident memory is sampled all the while; what a small upload of the same form has
loaded before does not count, for it stays whatever comes after.
"""

from __future__ import annotations

import argparse
import base64
import time
from collections.abc import Callable, Iterator
from threading import Event, Thread

import httpx
import psutil

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import Promise, Report, Table, machine
from console.embedded.stack import Stack

GROWTH_MEBIBYTES = 64.0
SAMPLE_SECONDS = 0.01
# In whole lines and whole groups of three bytes, so that its Base64 pieces follow each other.
LINE = b"A night in a hotel in the city may cost 120 euros.\n"
PIECE = LINE * 20_000
BOUNDARY = "piece-of-a-form"
NAME = "large.txt"


class Watch:
    """The largest resident size of the process and its children while it was watched, in MiB."""

    def __init__(self, pid: int) -> None:
        self._processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        self._done = Event()
        self._thread = Thread(target=self._look, daemon=True)
        self.peak = 0.0

    def size(self) -> float:
        return sum(process.memory_info().rss for process in self._processes) / 2**20

    def _look(self) -> None:
        while not self._done.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, self.size())

    def __enter__(self) -> Watch:
        self.before = self.peak = self.size()
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._done.set()
        self._thread.join()

    @property
    def growth(self) -> float:
        return self.peak - self.before


def content(size: int, number: int) -> Iterator[bytes]:
    """So many bytes of text, others for each upload."""
    start = f"{number:050d}\n".encode()
    left = size - len(start)
    yield start
    while left > 0:
        yield PIECE[:left]
        left -= len(PIECE)


def as_json(base: str, size: int, number: int) -> tuple[Iterator[bytes], int, str]:
    head = f'{{"knowledgebase_id": "{base}", "file": [{{"name": "{number}-{NAME}", "content": "'.encode()
    tail = b'"}]}'

    def body() -> Iterator[bytes]:
        yield head
        for piece in content(size, number):
            yield base64.b64encode(piece)
        yield tail

    return body(), len(head) + (size + 2) // 3 * 4 + len(tail), "application/json"


def as_form(base: str, size: int, number: int) -> tuple[Iterator[bytes], int, str]:
    named = f'name="file"; filename="{number}-{NAME}"'
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; {named}\r\n\r\n".encode()
    tail = f"\r\n--{BOUNDARY}--\r\n".encode()

    def body() -> Iterator[bytes]:
        yield head
        yield from content(size, number)
        yield tail

    return body(), len(head) + size + len(tail), f"multipart/form-data; boundary={BOUNDARY}"


Written = Callable[[str, int, int], tuple[Iterator[bytes], int, str]]


def run_measurement(megabytes: int) -> Report:
    report = Report("upload_memory", circumstances=machine() | {"megabytes": megabytes})
    rows: list[list[str | float | int]] = []
    with installation() as (stack, developer):
        base = _base(developer)
        for number, (name, write) in enumerate({"JSON, Base64": as_json, "form": as_form}.items()):
            _upload(developer, base, write, 3 * 2**20, 2 * number)
            growth, seconds = _watched(
                stack, developer, base, write=write, size=megabytes * 2**20, number=2 * number + 1
            )
            rows.append([name, growth, seconds])
            report.promises.append(
                Promise(f"MiB that the web process grew, {name}", growth, GROWTH_MEBIBYTES)
            )
    title = f"the web process while a file of {megabytes} MB comes in"
    report.tables = [Table(title, ["", "MiB more", "seconds"], rows)]
    return report


def _watched(
    stack: Stack, developer: Developer, base: str, *, write: Written, size: int, number: int
) -> tuple[float, float]:
    web = stack.pids["web"]
    if web is None:
        raise RuntimeError("the web process does not run")
    began = time.perf_counter()
    with Watch(web) as watch:
        _upload(developer, base, write, size, number)
    return watch.growth, time.perf_counter() - began


def _base(developer: Developer) -> str:
    body = {"knowledgebase_name": "Large files"}
    answer = httpx.post(
        f"{developer.api_base}/create/knowledgebase", json=body, headers=developer.headers, trust_env=False
    )
    return str(answer.raise_for_status().json()["data"]["id"])


def _upload(developer: Developer, base: str, write: Written, size: int, number: int) -> None:
    body, length, content_type = write(base, size, number)
    answer = httpx.post(
        f"{developer.api_base}/add/knowledgebase-file",
        params={"knowledgebase_id": base},
        content=body,
        headers={**developer.headers, "Content-Type": content_type, "Content-Length": str(length)},
        timeout=300,
        trust_env=False,
    )
    answer.raise_for_status()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=100)
    run_measurement(parser.parse_args().megabytes).publish()


if __name__ == "__main__":
    main()
