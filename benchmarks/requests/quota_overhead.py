"""What it costs a request that it is known, limited, paid for and logged.

    python -m benchmarks.requests.quota_overhead [--calls 400] [--processes 4]

Searches of one account under a plan with a quota: the times of key, rate, quota and settling are taken from each
request's own trace; making its log row is timed beside it, because it happens when the trace is closed. Then several
processes take and settle places of one account as fast as they can, which says how many calls a second one row allows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

import httpx
from tqdm import tqdm

from benchmarks.search_overhead import Timed, with_traces
from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.sentences import question, statement

P95_MILLISECONDS = 3.0
WARM_UP = 30
STAGES = ("auth", "limit", "quota", "settle")
SECONDS = 5.0


def run_measurement(calls: int, processes: int) -> Report:
    report = Report("quota_overhead", circumstances=machine() | {"calls": calls, "processes": processes})
    with installation() as (_, developer):
        key = _limit(developer)
        searches = _search(developer, calls)[WARM_UP:]
        logging = _log_rows(developer, calls)
        taken = _take(key, processes)
    sums = [sum(search.stages.get(stage, 0.0) for stage in STAGES) for search in searches]
    whole = [of_trace + of_log for of_trace, of_log in zip(sums, logging, strict=True)]
    report.tables = [
        Table(
            "search/memory, one client, a plan with a quota",
            SPREAD_COLUMNS,
            [
                *(spread(stage, [search.stages.get(stage, 0.0) for search in searches]) for stage in STAGES),
                spread("log row, handed to the background", logging),
                spread("all of them in one request", whole),
                spread("the whole request, in the server", [search.served for search in searches]),
            ],
        ),
        Table(
            f"places of one account taken and settled by {processes} processes at once",
            ["", "figure"],
            [["a second", round(taken / SECONDS)]],
        ),
    ]
    report.promises = [
        Promise("p95 of key, rate, quota and log in ms", percentile(whole, 95), P95_MILLISECONDS)
    ]
    return report


def _limit(developer: Developer) -> str:
    """A quota that is never reached, on the plan of the person who measures."""
    from tenancy.models import Plan

    Plan.objects.update(monthly_searches=100_000_000, most_requests_per_second=100_000)
    time.sleep(1.1)  # keys are remembered with their plan for a second
    return developer.headers["Authorization"].split()[1]


def _search(developer: Developer, calls: int) -> list[Timed]:
    waited: dict[str, float] = {}
    with httpx.Client(
        base_url=developer.api_base, headers=developer.headers, timeout=60, trust_env=False
    ) as api:
        for number in range(20):
            message = {"role": "user", "content": statement(number, "I").replace("I is ", "I am ")}
            api.post(
                "/add/message", json={"user_id": "kim", "conversation_id": "talk", "messages": [message]}
            )
        for number in tqdm(range(WARM_UP + calls), unit="call", desc="search/memory"):
            began = time.perf_counter()
            answer = api.post("/search/memory", json={"user_id": "kim", "query": question(number)})
            answer.raise_for_status()
            waited[answer.headers["X-Request-Id"]] = (time.perf_counter() - began) * 1000
    return with_traces(developer.project_id, waited)


def _log_rows(developer: Developer, calls: int) -> list[float]:
    """Making a row with both bodies, as the view does, and putting it aside."""
    from tenancy.models import RequestLog
    from tenancy.runtime.background_writer import BackgroundWriter

    aside: BackgroundWriter[Any] = BackgroundWriter("measured", lambda rows: None)
    sent = {"user_id": "kim", "query": question(1)}
    answered = {
        "code": 0,
        "data": {"memory_detail_list": [{"memory_value": question(2)}] * 9},
        "message": "ok",
    }
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        row = RequestLog(
            project_id=developer.project_id,
            request_body=json.dumps(sent, ensure_ascii=False),
            response_body=json.dumps(answered, ensure_ascii=False),
        )
        aside.put(row)
        times.append((time.perf_counter() - began) * 1000)
    return times


TAKE = """
import sys, time, django
django.setup()
from tenancy.metering import quota
from tenancy.keys.keys import recognise_key
from tenancy.metering.meters import Meter
key, done = recognise_key(sys.argv[1]), 0
sys.stdin.readline()
until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    held = quota.open_hold(key)
    quota.reserve_quota(held, {Meter.SEARCH: 1})
    quota.settle_hold(held, "end_user:kim")
    done += 1
print(done)
"""


def _take(key: str, processes: int) -> int:
    command = [sys.executable, "-c", TAKE, key, str(SECONDS)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    time.sleep(4)  # until all have begun
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return sum(int(process.communicate()[0]) for process in running)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--processes", type=int, default=4)
    asked = parser.parse_args()
    run_measurement(asked.calls, asked.processes).publish()


if __name__ == "__main__":
    main()
