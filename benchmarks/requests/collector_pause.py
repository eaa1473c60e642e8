"""How long requests wait while the web process looks for garbage, which it does some seconds after a long body.

    python -m benchmarks.requests.collector_pause [--times 8]

A full collection holds the interpreter's lock, so that all requests wait for it. `console.asgi` takes what is loaded at
the start out of it (`gc.freeze`): with 220,000 objects it takes 0.2 s, without them less than a millisecond. `/healthz`
is asked without a pause, in a quiet span and in the span in which the collection runs; the longest wait of each counts.
"""

from __future__ import annotations

import argparse
import time

import httpx

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import Promise, Report, Table, machine, percentile
from console.http.release_process_memory import TRIM_SECONDS

# More than the quiet span's longest wait.
MILLISECONDS_MORE = 100.0
SPAN_SECONDS = 2.0
WARM_UP_SECONDS = 15.0
# Twice as many as `SMALL_BODY` in `tenancy.api.bodies.body_limit`.
LONG_BODY = 128 * 1024


def run_measurement(times: int) -> Report:
    report = Report("collector_pause", circumstances=machine() | {"times": times})
    quiet, collecting = [], []
    with installation() as (stack, developer), httpx.Client(timeout=60, trust_env=False) as client:
        time.sleep(WARM_UP_SECONDS)
        for _ in range(times):
            quiet.append(_longest_wait(client, stack.url))
            _send_long_body(client, developer)
            time.sleep(TRIM_SECONDS - SPAN_SECONDS / 2)
            collecting.append(_longest_wait(client, stack.url))
    medians = [round(percentile(waits, 50), 1) for waits in (quiet, collecting)]
    report.tables = [
        Table(
            f"longest wait for /healthz in {SPAN_SECONDS} s, ms, median of {times}",
            ["", "ms"],
            [["quiet", medians[0]], ["after a long body", medians[1]]],
        )
    ]
    report.promises = [Promise("ms more after a long body", medians[1] - medians[0], MILLISECONDS_MORE)]
    return report


def _longest_wait(client: httpx.Client, url: str) -> float:
    """Milliseconds."""
    until, longest = time.perf_counter() + SPAN_SECONDS, 0.0
    while (began := time.perf_counter()) < until:
        client.get(f"{url}/healthz").raise_for_status()
        longest = max(longest, (time.perf_counter() - began) * 1000)
    return longest


def _send_long_body(client: httpx.Client, developer: Developer) -> None:
    body = {"user_id": "kim", "query": "x" * LONG_BODY}
    client.post(f"{developer.api_base}/search/memory", json=body, headers=developer.headers)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=8)
    run_measurement(parser.parse_args().times).publish()


if __name__ == "__main__":
    main()
