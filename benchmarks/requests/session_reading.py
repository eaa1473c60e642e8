"""What it costs the web process to read a session whole: few large messages, and many small ones.

    python -m benchmarks.requests.session_reading [--large 6] [--megabytes 4] [--small 5000]

The session is read as a client does that names no limit: page after page until there are no more. Resident memory is
sampled all the while, after one small session was read, which loads what stays whatever comes after.
"""

from __future__ import annotations

import argparse
import base64
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from benchmarks.requests.upload_memory import Watch
from benchmarks.support.installation import installation
from benchmarks.support.report import Promise, Report, Table, machine

# Of one answer; a message that is larger alone is one answer.
ANSWER_MEGABYTES = 8.0
GROWTH_MEBIBYTES = 64.0
SENDERS = 4


@dataclass(frozen=True, slots=True)
class Read:
    """How a session was read: the most that the process grew (MiB), the largest answer (MB), seconds."""

    messages: int
    answers: int
    largest: float
    growth: float
    seconds: float
    counting: float


def pictures(count: int, size: int) -> Iterator[dict[str, Any]]:
    """Messages with a picture each, whose Base64 is so many bytes long."""
    for _ in range(count):
        url = f"data:image/png;base64,{base64.b64encode(os.urandom(size * 3 // 4)).decode()}"
        yield {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


def words(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        yield {
            "role": "user",
            "content": f"Message {number}: the parcel of order {number * 7} is on its way.",
        }


def filled_session(client: httpx.Client, blobs: Iterable[dict[str, Any]]) -> str:
    """A session that nobody learns from, with these messages."""
    made = client.post("session", json={"disable_task_tracking": True}).raise_for_status()
    session = str(made.json()["data"]["id"])

    def send(blob: dict[str, Any]) -> None:
        while True:
            answer = client.post(f"session/{session}/messages", json={"blob": blob})
            if answer.status_code != 429:
                answer.raise_for_status()
                return
            time.sleep(float(answer.headers["Retry-After"]))

    with ThreadPoolExecutor(SENDERS) as at_once:
        for _ in at_once.map(send, blobs):
            pass
    return session


def read_whole(client: httpx.Client, session: str, watch: Watch) -> Read:
    messages, answers, largest, cursor = 0, 0, 0, ""
    with watch:
        began = time.perf_counter()
        while True:
            query = {"cursor": cursor} if cursor else {}
            answer = client.get(f"session/{session}/messages", params=query).raise_for_status()
            page = answer.json()["data"]
            messages, answers = messages + len(page["items"]), answers + 1
            largest = max(largest, len(answer.content))
            if not page["has_more"]:
                break
            cursor = page["next_cursor"]
        seconds = time.perf_counter() - began
    began = time.perf_counter()
    client.get(f"session/{session}/token_counts").raise_for_status()
    counting = time.perf_counter() - began
    return Read(messages, answers, largest / 1e6, watch.growth, seconds, counting)


def run_measurement(large: int, megabytes: int, small: int) -> Report:
    circumstances = machine() | {"large": large, "megabytes": megabytes, "small": small}
    report = Report("session_reading", circumstances=circumstances)
    rows: list[list[str | float | int]] = []
    with installation() as (stack, developer):
        key = developer.headers["Authorization"].partition(" ")[2]
        with httpx.Client(
            base_url=f"{stack.url}/api/v1/",
            headers={"Authorization": f"Bearer {key}"},
            timeout=120,
            trust_env=False,
        ) as client:
            web = stack.pids["web"]
            if web is None:
                raise RuntimeError("the web process does not run")
            read_whole(client, filled_session(client, words(20)), Watch(web))
            cases = {
                f"{small} short messages": words(small),
                f"{large} pictures of {megabytes} MB": pictures(large, megabytes * 10**6),
            }
            for name, blobs in cases.items():
                read = read_whole(client, filled_session(client, blobs), Watch(web))
                rows.append(
                    [name, read.answers, read.largest, read.growth, read.seconds, 1000 * read.counting]
                )
                report.promises += [
                    Promise(f"MB of the largest answer, {name}", read.largest, ANSWER_MEGABYTES * 1.1),
                    Promise(f"MiB that the web process grew, {name}", read.growth, GROWTH_MEBIBYTES),
                ]
    columns = ["", "answers", "MB of the largest", "MiB more", "seconds", "ms to count tokens"]
    report.tables = [Table("reading a session whole", columns, rows)]
    return report


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", type=int, default=6)
    parser.add_argument("--megabytes", type=int, default=4)
    parser.add_argument("--small", type=int, default=5_000)
    asked = parser.parse_args()
    run_measurement(asked.large, asked.megabytes, asked.small).publish()


if __name__ == "__main__":
    main()
