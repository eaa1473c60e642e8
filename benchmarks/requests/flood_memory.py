"""How much larger the web process stays after large bodies and hostile files than it is after ordinary use.

    python -m benchmarks.requests.flood_memory [--wait 20] [--floods 2]

Ordinary use comes first: messages, searches, a session that is read, a file, some pages. Each flood sends
bodies of 9 MB with a right and a wrong key, hostile Markdown, and stores and reads sessions with large pictures, from
eight threads at once. What the kernel counts as the process's own and its share of the rest is asked after some rest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx

from benchmarks.requests.session_reading import filled_session, pictures, words
from benchmarks.support.installation import Developer, installation, make_developer
from benchmarks.support.report import Promise, Report, Table, machine
from benchmarks.support.sentences import question, statement
from benchmarks.work.noisy_neighbour import LARGE_BODY, file_part, hostile_text, message

MEBIBYTES_MORE = 50.0
SENDERS = 8
BODIES, STORED, READ, HOSTILE_CALLS, FILES_A_CALL = 60, 12, 12, 6, 20
PAGES = ("/", "/pricing/", "/sign-in/", "/docs/", "/api/docs/", "/openapi.json")


def run_measurement(wait: int, floods: int) -> Report:
    report = Report("flood_memory", circumstances=machine() | {"seconds_of_rest": wait})
    with installation() as (stack, developer):
        web = stack.pids["web"]
        if web is None:
            raise RuntimeError("the web process does not run")
        attacker = make_developer(stack, "attacker")
        sizes = {"after the start": _size(web)}
        for _ in range(2):  # so that what the first one loads counts as ordinary
            _use(stack.url, developer)
        time.sleep(wait)
        sizes["after ordinary use"] = ordinary = _size(web)
        for number in range(1, floods + 1):
            statuses = _flood(attacker)
            time.sleep(wait)
            name = f"after flood {number}"
            sizes[name] = _size(web)
            more = sizes[name] - ordinary
            report.promises.append(Promise(f"MiB over ordinary use {name}", more, MEBIBYTES_MORE))
            report.circumstances[f"answers of flood {number}"] = str(statuses)
    rows: list[list[str | float | int]] = [[name, size] for name, size in sizes.items()]
    report.tables = [Table("MiB of the web process", ["", "MiB"], rows)]
    return report


def _size(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _use(url: str, developer: Developer) -> None:
    with httpx.Client(headers=developer.headers, timeout=120, trust_env=False) as api:
        for number in range(40):
            user = f"user-{number % 4}"
            body = {"user_id": user, "messages": [{"role": "user", "content": statement(number, "I")}]}
            api.post(f"{developer.api_base}/add/message", json=body).raise_for_status()
            search = {"user_id": user, "query": question(number)}
            api.post(f"{developer.api_base}/search/memory", json=search).raise_for_status()
        part = file_part("IyBSdWxlcwoKVGhlIHNoZWQgaXMgY2xvc2VkLgo=", "rules.md")
        api.post(f"{developer.api_base}/add/message", json=message("kim", [part])).raise_for_status()
        for page in PAGES:
            api.get(url + page, follow_redirects=True)
    with _sessions(developer) as sessions:
        session = filled_session(sessions, [*words(20), *pictures(1, 200_000)])
        sessions.get(f"session/{session}/messages").raise_for_status()


def _flood(attacker: Developer) -> dict[int, int]:
    """How often each status was answered; 0: the connection was closed."""
    bodies = [
        b'{"user_id": "kim", "x": [' + b"{}," * (LARGE_BODY // 3) + b"{}]}",
        b'{"user_id": "kim", "x": "' + b"x" * LARGE_BODY + b'"}',
        b'{"user_id": "kim", "x": [' + b'{"a": [1]},' * 30_000 + b"{}]}",
    ]
    unknown = {"Authorization": "Token mpg-" + "x" * 38}
    hostile = message("kim", [file_part(hostile_text(), f"{at}.md") for at in range(FILES_A_CALL)])
    statuses: dict[int, int] = {}

    with _sessions(attacker) as sessions:
        session = filled_session(sessions, pictures(6, 4_000_000))
        picture = {"blob": next(pictures(1, 4_000_000))}
        api = partial(httpx.post, timeout=120, trust_env=False)
        get_memory, add_message = f"{attacker.api_base}/get/memory", f"{attacker.api_base}/add/message"
        calls: list[Callable[[], httpx.Response]] = []
        for number in range(BODIES):
            body = bodies[number % len(bodies)]
            calls.append(partial(api, get_memory, content=body, headers=attacker.headers))
            calls.append(partial(api, get_memory, content=body, headers=unknown))
        calls += [partial(sessions.post, f"session/{session}/messages", json=picture)] * STORED
        calls += [partial(sessions.get, f"session/{session}/messages")] * READ
        calls += [partial(api, add_message, json=hostile, headers=attacker.headers)] * HOSTILE_CALLS

        def send(call: Callable[[], httpx.Response]) -> int:
            try:
                return call().status_code
            except httpx.TransportError:
                return 0

        with ThreadPoolExecutor(SENDERS) as at_once:
            for status in at_once.map(send, calls):
                statuses[status] = statuses.get(status, 0) + 1
    return dict(sorted(statuses.items()))


def _sessions(developer: Developer) -> httpx.Client:
    key = developer.headers["Authorization"].partition(" ")[2]
    return httpx.Client(
        base_url=developer.api_base.replace("/api/openmem/v1", "/api/v1/"),
        headers={"Authorization": f"Bearer {key}"},
        timeout=120,
        trust_env=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wait", type=int, default=20)
    parser.add_argument("--floods", type=int, default=2)
    asked = parser.parse_args()
    run_measurement(asked.wait, asked.floods).publish()


if __name__ == "__main__":
    main()
