"""Usage as a file: what programs read of it."""

from __future__ import annotations

import asyncio
import csv
import io
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from skills.catalogue import download_views
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering import usage
from tenancy.metering.meters import Meter
from tenancy.metering.usage import get_today
from tenancy.models import Project
from tenancy.models.usage import SubjectUsage, UsageDay
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.downloads import read_streamed

ASK = {"user_id": "kim", "query": "Where do I live?"}


def open_file(tenant: Tenant, query: str = "") -> Any:
    answer = sign_in_owner(tenant).get(f"/a/{tenant.project.account_id}/usage/?format=csv{query}")
    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    return answer


def read_rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def store_user(tenant: Tenant, user: str, used: int = 1, days_ago: int = 0) -> None:
    with tenant_scope(tenant.project):
        SubjectUsage.objects.create(
            account_id=tenant.project.account_id,
            project=tenant.project,
            subject=f"end_user:{user}",
            meter=Meter.SEARCH,
            day=get_today() - timedelta(days=days_ago),
            used=used,
        )


def test_the_file_holds_the_same_numbers_as_the_page(api: Api, tenant: Tenant) -> None:
    Project.objects.filter(pk=tenant.project_id).update(name="=cmd()")
    for _ in range(3):
        api.call("search/memory", ASK)

    rows = read_rows(read_streamed(open_file(tenant)))

    (row,) = [row for row in rows if row["api"] == "search/memory"]
    assert row["used"] == "3"
    assert row["project"] == "'=cmd()"


def test_users_are_sorted_by_day_and_name_on_however_many_pages(
    api: Api, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "PAGE", 2)
    for user in ("Zoe", "kim", "Älva", "ada", "王"):
        store_user(tenant, user, days_ago=1)
    store_user(tenant, "kim", used=4)
    api.call("search/memory", ASK)  # in the journal, not in the days yet

    rows = read_rows(read_streamed(open_file(tenant, "&by=user&range=7d")))

    yesterday, today = (get_today() - timedelta(days=days) for days in (1, 0))
    before = [row for row in rows if row["day"] == yesterday.isoformat()]
    assert [row["user"] for row in before] == ["Zoe", "ada", "kim", "Älva", "王"]
    (searches,) = [row for row in rows[5:] if row["api"] == "search/memory"]
    assert searches == {
        "day": today.isoformat(),
        "project": "default",
        "user": "kim",
        "api": "search/memory",
        "used": "5",
        "not_charged": "0",
    }
    (only,) = read_rows(read_streamed(open_file(tenant, "&user=ada&range=7d")))
    assert (only["user"], only["used"]) == ("ada", "1")


def test_projects_and_keys_that_were_deleted_are_in_it_in_the_members_language(tenant: Tenant) -> None:
    with tenant_scope(tenant.project.account):
        UsageDay.objects.create(
            account=tenant.project.account,
            api_key_id=uuid4(),
            meter=Meter.SEARCH,
            day=get_today(),
            used=7,
            refused=2,
        )
    member = sign_in_owner(tenant)
    member.cookies["django_language"] = "zh-hans"

    (row,) = read_rows(read_streamed(member.get(f"/a/{tenant.project.account_id}/usage/?format=csv")))

    assert (row["project"], row["key"]) == ("已删除的项目", "已删除的密钥")
    assert (row["used"], row["not_charged"]) == ("7", "2")


def test_the_file_is_written_while_it_is_read(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is used after the first lines were read is in the lines after them: they had not been made."""
    monkeypatch.setattr(usage, "PAGE", 2)
    monkeypatch.setattr(download_views, "SENT_TOGETHER", 1)
    for user in ("ada", "ben", "cid"):
        store_user(tenant, user)
    answer = open_file(tenant, "&by=user")

    async def read() -> bytes:
        pieces = aiter(answer.streaming_content)
        content = await anext(pieces) + await anext(pieces)
        await asyncio.to_thread(store_user, tenant, "dora")
        return content + b"".join([piece async for piece in pieces])

    with ThreadPoolExecutor(1) as thread:  # a browser's loop may run in this one
        rows = read_rows(thread.submit(asyncio.run, read()).result())

    assert [row["user"] for row in rows] == ["ada", "ben", "cid", "dora"]
