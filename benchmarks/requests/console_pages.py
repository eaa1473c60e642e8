"""How long the console's pages take on the load set: many memories, log rows and end users in one project.

    python -m benchmarks.requests.console_pages [--memories 100000] [--rows 1000000] [--users 5000] [--times 20]
                                                [--only-fill]

The memories have vectors as those of `search_overhead`; the log is that of `usage_page`, in one project. With
--only-fill the installation is left running for a look until Enter is pressed, and nothing is measured.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import httpx

from benchmarks.requests.usage_page import fill_log, sign_in_owner, time_page
from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.seeds import SEARCHER, seed

P95_MILLISECONDS = 200.0
OF_PROJECT = {
    "overview": "",
    "quickstart": "quickstart/",
    "API keys": "api-keys/",
    "playground": "playground/",
    "memories": "memories/",
    "memories, words": "memories/?q=violin",
    "memories, words that stand together": "memories/?q=Lisbon+in+January",
    "memories, a word that none holds": "memories/?q=zzyzx",
    "memories of one end user": f"memories/?subject={SEARCHER}",
    "memories, oldest first": "memories/?sort=created",
    "trash": "memories/trash/",
    "memory health": "health/",
    "end users": "users/",
    "one end user": f"users/{SEARCHER}/",
    "conversations": "conversations/",
    "tasks": "tasks/",
    "knowledge bases": "knowledge/",
    "skills": "skills/",
    "request logs": "logs/",
    "request logs, refused": "logs/?code=40002",
    "request logs, words": "logs/?q=user-17",
    "one request": "logs/request-3/",
    "settings": "settings/",
}
OF_ACCOUNT = {
    "projects": "",
    "usage": "usage/",
    "limits": "limits/",
    "members": "members/",
    "audit log": "audit/",
}


def run_measurement(memories: int, rows: int, users: int, times: int) -> Report:
    size = {"memories": memories, "rows": rows, "end_users": users}
    report = Report("console_pages", circumstances=machine() | size)
    with installation() as (stack, developer):
        began = time.monotonic()
        account = fill(developer, memories, rows, users)
        report.circumstances["seconds_to_fill"] = round(time.monotonic() - began)
        paths = {name: f"/p/{developer.project_id}/{path}" for name, path in OF_PROJECT.items()}
        paths |= {name: f"/a/{account}/{path}" for name, path in OF_ACCOUNT.items()}
        with httpx.Client(
            base_url=stack.url, cookies=sign_in_owner(), timeout=60, trust_env=False, follow_redirects=True
        ) as browser:
            bare = time_page(browser, "/healthz", times)
            pages = {name: time_page(browser, path, times) for name, path in paths.items()}
    title = f"pages of a project with {memories:,} memories, {rows:,} log rows and {users:,} end users"
    lines = [spread(name, took) for name, took in ({"/healthz": bare} | pages).items()]
    report.tables = [Table(title, SPREAD_COLUMNS, lines)]
    report.promises = [
        Promise(f"p95 of {name} in ms", percentile(took, 95), P95_MILLISECONDS)
        for name, took in pages.items()
    ]
    return report


def fill(developer: Developer, memories: int, rows: int, users: int) -> Any:
    """The load set in the developer's project; returns the account's id."""
    seed(developer.project_id, memories, max(1, memories // users))
    return fill_log(developer, rows, users, projects=1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=5_000)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only-fill", action="store_true")
    asked = parser.parse_args()
    if not asked.only_fill:
        run_measurement(asked.memories, asked.rows, asked.users, asked.times).publish()
        return
    with installation() as (stack, developer):
        fill(developer, asked.memories, asked.rows, asked.users)
        input(f"{stack.url}/p/{developer.project_id}/ as bench@example.org. Enter ends it. ")


if __name__ == "__main__":
    main()
