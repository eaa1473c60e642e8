"""How long the usage page takes when the account has a million requests in its log.

    python -m benchmarks.requests.usage_page [--rows 1000000] [--users 5000] [--times 30]

The rows are of the last 30 days, of three projects with two keys each; the days' sums are what folding them would have
made. Also timed: the first page of the log itself, and one request found by its id.
"""

from __future__ import annotations

import argparse
import time
from uuid import UUID

import httpx
from tqdm import tqdm

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread

P95_MILLISECONDS = 200.0
BATCH = 100_000
ROWS = """
INSERT INTO tenancy_requestlog (id, account_id, project_id, api_key_id, request_id, endpoint, method, origin, code,
       http_status, milliseconds, subject_id, subjects, request_body, response_body, trace, created_at)
SELECT gen_random_uuid(), %(account)s, (%(projects)s::uuid[])[1 + n %% cardinality(%(projects)s::uuid[])],
       (%(keys)s::uuid[])[1 + n %% cardinality(%(keys)s::uuid[])],
       'request-' || n, (ARRAY['add/message', 'search/memory', 'search/memory', 'get/memory'])[1 + n %% 4],
       'POST', 'api', CASE WHEN n %% 50 = 0 THEN 40002 ELSE 0 END, CASE WHEN n %% 50 = 0 THEN 400 ELSE 200 END, 20,
       'user-' || n %% %(users)s, ARRAY['end_user:user-' || n %% %(users)s],
       '{"user_id": "user"}', '{"code": 0}', '[]',
       now() - (n %% 30) * interval '1 day' - (n %% 86400) * interval '1 second'
  FROM generate_series(%(first)s::int, %(last)s::int) AS n
"""
METER = "CASE endpoint WHEN 'get/memory' THEN 'other' ELSE endpoint END"
DAYS = f"""
INSERT INTO tenancy_usageday (id, account_id, project_id, api_key_id, meter, day, used, refused)
SELECT gen_random_uuid(), account_id, project_id, api_key_id, {METER}, (created_at AT TIME ZONE 'UTC')::date,
       count(*) FILTER (WHERE code = 0), count(*) FILTER (WHERE code <> 0)
  FROM tenancy_requestlog WHERE account_id = %s AND request_id LIKE 'request-%%' GROUP BY 2, 3, 4, 5, 6
"""
SUBJECTS = f"""
INSERT INTO tenancy_subjectusage (id, account_id, project_id, subject, meter, day, used)
SELECT gen_random_uuid(), account_id, project_id, subjects[1], {METER}, (created_at AT TIME ZONE 'UTC')::date, count(*)
  FROM tenancy_requestlog WHERE account_id = %s AND code = 0 AND request_id LIKE 'request-%%' GROUP BY 2, 3, 4, 5, 6
"""
PAGES = {
    "usage, this month": "usage/",
    "the last 90 days by key": "usage/?range=90d&by=key",
    "by day, one API": "usage/?range=30d&by=day&api=search/memory",
    "by end user": "usage/?range=30d&by=user",
    "one end user": "usage/?range=30d&user=user-17",
    "limits": "limits/",
}


def run_measurement(rows: int, users: int, times: int) -> Report:
    report = Report("usage_page", circumstances=machine() | {"rows": rows, "end_users": users})
    with installation() as (stack, developer):
        account = fill_log(developer, rows, users)
        cookies = sign_in_owner()
        with httpx.Client(base_url=stack.url, cookies=cookies, timeout=60, trust_env=False) as browser:
            pages = {name: time_page(browser, f"/a/{account}/{path}", times) for name, path in PAGES.items()}
            place = f"/p/{developer.project_id}/logs/"
            logs = {"request logs, first page": time_page(browser, place, times)}
            logs["one request by its id"] = time_page(browser, f"{place}request-3/", times)
    report.tables = [
        Table(
            f"pages of an account with {rows:,} rows in its log and {users:,} end users",
            SPREAD_COLUMNS,
            [spread(name, took) for name, took in (pages | logs).items()],
        )
    ]
    report.promises = [
        Promise(f"p95 of {name} in ms", percentile(took, 95), P95_MILLISECONDS)
        for name, took in pages.items()
    ]
    return report


def fill_log(developer: Developer, rows: int, users: int, projects: int = 3) -> UUID:
    """Log rows and their sums, of the developer's project and `projects` - 1 more. Returns the account's id."""
    from django.db import connection

    from tenancy.isolation.scoping import Scope, tenant_scope
    from tenancy.keys.keys import create_key
    from tenancy.models import Project

    first = Project.objects.select_related("account__plan").get(pk=developer.project_id)
    account = first.account
    more = [
        Project.objects.create(account=account, name=f"project {number}") for number in range(2, projects + 1)
    ]
    owned = [first, *more]
    # A key's row belongs to its own project, as the rows of calls do.
    keys = [create_key(project, f"key {number}").key.pk for number in (1, 2) for project in owned]
    values = {
        "account": account.pk,
        "projects": [project.pk for project in owned],
        "keys": keys,
        "users": users,
    }
    scope = Scope.of_account(account)
    with tqdm(total=rows, unit="row", desc="log rows") as bar:
        for begin in range(0, rows, BATCH):
            with tenant_scope(scope), connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout = 0")
                last = min(begin + BATCH, rows) - 1
                cursor.execute(ROWS, values | {"first": begin, "last": last})
                bar.update(last + 1 - begin)
    with tenant_scope(scope), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute(DAYS, [account.pk])
        cursor.execute(SUBJECTS, [account.pk])
    _analyze()
    return account.pk


def _analyze() -> None:
    """As the database does by itself while rows come one by one, and not within a minute of a million."""
    from django.db import connections

    with connections["owner"].cursor() as cursor:
        for table in ("requestlog", "usageday", "subjectusage"):
            cursor.execute(f"ANALYZE tenancy_{table}")


def sign_in_owner(email: str = "bench@example.org") -> dict[str, str]:
    """The session of the person who measures, as signing in would have made it."""
    from django.conf import settings
    from django.test import Client

    from tenancy.models import User

    client = Client()
    client.force_login(User.objects.get(email=email), settings.AUTHENTICATION_BACKENDS[0])
    return {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}


def time_page(browser: httpx.Client, path: str, times: int) -> list[float]:
    """Milliseconds of each request, as the client sees them."""
    took = []
    for number in range(times + 3):
        began = time.perf_counter()
        browser.get(path).raise_for_status()
        if number >= 3:  # templates, plans and pages of the database are at hand then
            took.append((time.perf_counter() - began) * 1000)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=5_000)
    parser.add_argument("--times", type=int, default=30)
    asked = parser.parse_args()
    run_measurement(asked.rows, asked.users, asked.times).publish()


if __name__ == "__main__":
    main()
