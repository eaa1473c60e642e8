"""What serving a request in one thread saves: processor time with our ASGI handler, over Django's own.

    python -m benchmarks.requests.handler_cost [--calls 300] [--times 3]

A process of its own serves the same call of the API, one after the other, with each handler in turn. Network and server
are left out, so that what remains is the handler, the middleware, the view and its queries.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import Promise, Report, Table, machine, percentile

# Of what Django's own handler uses.
SHARE = 0.85
HANDLERS = {
    "ours": "console.http.sync_handler:build_application",
    "Django's": "django.core.asgi:get_asgi_application",
}
SERVE = """
import asyncio, importlib, json, sys, time

module, name, calls, key = *sys.argv[1].split(":"), int(sys.argv[2]), sys.argv[3]
application = getattr(importlib.import_module(module), name)()
body = json.dumps({"user_id": "kim"}).encode()
path = "/api/openmem/v1/get/memory"
scope = {
    "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
    "path": path, "raw_path": path.encode(), "root_path": "", "query_string": b"",
    "headers": [(b"host", b"localhost"), (b"authorization", key.encode()), (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode())],
    "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
}

async def call():
    answers, events = [], [{"type": "http.request", "body": body, "more_body": False}]
    async def receive():
        if events:
            return events.pop()
        await asyncio.Event().wait()
    async def send(event):
        answers.append(event)
    await application(dict(scope), receive, send)
    assert answers[0]["status"] == 200, answers

async def serve():
    for _ in range(30):
        await call()
    began = time.process_time()
    for _ in range(calls):
        await call()
    return (time.process_time() - began) * 1000 / calls

print(asyncio.run(serve()))
"""


def run_measurement(calls: int, times: int) -> Report:
    report = Report("handler_cost", circumstances=machine() | {"calls": calls, "times": times})
    used: dict[str, list[float]] = {name: [] for name in HANDLERS}
    with installation() as (_, developer):
        for _ in range(times):
            for name, handler in HANDLERS.items():
                used[name].append(_serve(handler, calls, developer))
    shares = [ours / other for ours, other in zip(*used.values(), strict=True)]
    rows: list[list[str | float | int]] = [
        [name, round(percentile(milliseconds, 50), 2)] for name, milliseconds in used.items()
    ]
    report.tables = [Table("processor's time of one call, ms, median", ["", "ms"], rows)]
    report.promises = [Promise("share of the time with Django's handler", percentile(shares, 50), SHARE)]
    return report


def _serve(handler: str, calls: int, developer: Developer) -> float:
    """Milliseconds of processor for each call."""
    command = [sys.executable, "-c", SERVE, handler, str(calls), developer.headers["Authorization"]]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    run_measurement(asked.calls, asked.times).publish()


if __name__ == "__main__":
    main()
