"""A project keeps its request logs and messages as long as it chose, and no longer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.utils import timezone

from memories.lifecycle import message_retention
from memories.lifecycle.message_retention import clear_messages
from memories.models import Attachment, MemCube, Memory, Message, Task
from memories.values import TaskKind, TaskState
from tenancy.errors import InvalidParameters
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Project, RequestLog
from tenancy.projects.projects import change_settings
from tenancy.requests import delete_expired
from tenancy.requests.delete_expired import clear_request_logs
from tenancy.requests.retention_settings import SETTING, RetentionPolicies
from tenancy.runtime.batching import run_for_each_owner
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Api, Tenant


@pytest.fixture
def project(tenant: Tenant) -> Iterator[Project]:
    yield tenant.project
    connections.close_all()


def choose(tenant: Tenant, **days: int) -> None:
    change_settings(tenant.project, SETTING, RetentionPolicies(**days).as_setting(), get_owner(tenant))


def make_older(tenant: Tenant, days: int) -> None:
    """As if everything had been said this many days ago."""
    with tenant_scope(tenant.project):
        Message.objects.within(tenant.project).update(created_at=timezone.now() - timedelta(days=days))


def said(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.project):
        return list(
            Message.objects.within(tenant.project).order_by("position").values_list("text", flat=True)
        )


def create_log_row(project: Project, days: float) -> Any:
    with tenant_scope(project):
        return RequestLog.objects.create(
            account_id=project.account_id,
            project=project,
            request_id=f"r{days}",
            endpoint="search/memory",
            method="POST",
            code=0,
            http_status=200,
            milliseconds=1,
            created_at=timezone.now() - timedelta(days=days),
        ).pk


def test_logs_go_after_the_projects_own_days(
    tenant: Tenant, project: Project, stranger: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(tenant, request_log_days=3)
    monkeypatch.setattr(delete_expired, "BATCH", 2)
    old = [create_log_row(project, days) for days in (3.1, 5, 8, 20)]
    young, theirs = create_log_row(project, 2.9), create_log_row(stranger.project, 20)

    clear_request_logs(Project.objects.filter(pk__in=[project.pk, stranger.project_id]))

    with tenant_scope(project):
        left = set(RequestLog.objects.within(project).values_list("pk", flat=True))
    with tenant_scope(stranger.project):
        assert RequestLog.objects.within(stranger.project).filter(pk=theirs).exists()
    assert left & {*old, young} == {young}


def test_messages_lose_their_words_and_memories_stay(
    tenant: Tenant, project: Project, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(tenant, message_days=30)
    api.add("kim", "I live in Lisbon.", "I have two cats.", "I like green tea.")
    monkeypatch.setattr(message_retention, "BATCH", 2)

    make_older(tenant, 29)
    clear_messages()
    assert len([text for text in said(tenant) if text]) == 3

    make_older(tenant, 31)
    clear_messages()
    assert said(tenant) == ["", "", ""]
    assert api.data("get/message", {"user_id": "kim", "conversation_id": "talk"})["message_detail_list"] == []
    assert any("Lisbon" in text for text in api.facts("kim", "Where do I live?"))


def test_messages_that_work_has_still_to_read_are_kept(tenant: Tenant, project: Project, api: Api) -> None:
    """As after an outage of the workers that was longer than messages are kept."""
    choose(tenant, message_days=7)
    api.add("kim", "I live in Lisbon.")
    make_older(tenant, 31)
    task = Task.objects.within(project).get(kind=TaskKind.REFINE)
    then, later = timezone.now() - timedelta(days=31), timezone.now() + timedelta(hours=1)
    Task.objects.within(project).filter(pk=task.pk).update(
        state=TaskState.WAITING, created_at=then, due_at=later
    )

    clear_messages()
    assert said(tenant) == ["I live in Lisbon."]

    Task.objects.within(project).filter(pk=task.pk).update(state=TaskState.COMPLETED)
    clear_messages()
    assert said(tenant) == [""]


def test_messages_are_kept_for_good_unless_the_project_chose_otherwise(
    tenant: Tenant, project: Project, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    make_older(tenant, 3_000)

    clear_messages()

    assert said(tenant) == ["I live in Lisbon."]


def test_the_talk_goes_on_after_its_beginning_was_cleared(tenant: Tenant, project: Project, api: Api) -> None:
    choose(tenant, message_days=7)
    api.add("kim", "I live in Lisbon.")
    make_older(tenant, 8)
    clear_messages()

    api.add("kim", "I moved to Oslo.")

    (message,) = api.data("get/message", {"user_id": "kim", "conversation_id": "talk"})["message_detail_list"]
    assert message["content"] == "I moved to Oslo."
    assert any("Oslo" in text for text in api.facts("kim", "Where do I live?"))


def test_the_sources_of_a_memory_say_that_their_words_are_gone(
    tenant: Tenant, project: Project, api: Api
) -> None:
    choose(tenant, message_days=7)
    api.add("kim", "I live in Lisbon.")
    (fact,) = api.search("kim", "Where do I live?")["memory_detail_list"]
    make_older(tenant, 8)
    clear_messages()

    page = sign_in_owner(tenant).get(
        f"/p/{tenant.project_id}/memories/{fact['id']}/?view=sources", headers={"HX-Request": "true"}
    )

    assert "retention" in page.content.decode()


def test_whose_a_shared_memory_is_is_still_known_after_the_words_are_gone(
    tenant: Tenant, project: Project, api: Api
) -> None:
    choose(tenant, message_days=7)
    api.add("kim", "I live in Lisbon.", allow_public=True)
    make_older(tenant, 8)
    clear_messages()

    api.data("delete/memory", {"user_id": "kim"})

    with tenant_scope(project):
        assert not Memory.objects.within(MemCube.objects.within(project)).exists()


def test_files_of_cleared_messages_go_too(tenant: Tenant, project: Project, api: Api) -> None:
    choose(tenant, message_days=7)
    part = {"type": "file", "file": {"file_data": "IyBDYXRzCgpNaW1pIGlzIGEgY2F0Lg==", "filename": "cats.md"}}
    answer = api.add("kim", {"role": "user", "content": [{"type": "text", "text": "My cats."}, part]})
    api.wait_until_done(answer["task_id"])
    make_older(tenant, 8)

    clear_messages()

    with tenant_scope(project):
        (row,) = Attachment.objects.within(project)
        assert (row.storage_key, row.url) == ("", "")


def test_a_message_that_somebody_writes_is_left_to_the_next_round(
    tenant: Tenant, project: Project, api: Api
) -> None:
    """No round waits for anybody, and nobody long for a round."""
    choose(tenant, message_days=7)
    api.add("kim", "I live in Lisbon.")
    make_older(tenant, 8)

    with tenant_scope(project):
        list(Message.objects.within(project).select_for_update())
        began = time.monotonic()
        elsewhere(clear_messages)
        took = time.monotonic() - began
    assert said(tenant) == ["I live in Lisbon."]
    clear_messages()

    assert took < 30
    assert said(tenant) == [""]


def elsewhere(work: Callable[[], int]) -> None:
    """As another process would."""

    def whole() -> None:
        try:
            work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(whole).result()


@pytest.mark.parametrize(
    "days", [{"request_log_days": 0}, {"request_log_days": 31}, {"message_days": 6}, {"message_days": 3_651}]
)
def test_days_out_of_bounds_are_refused(days: dict[str, int]) -> None:
    with pytest.raises(InvalidParameters):
        RetentionPolicies(**days).as_setting()


def test_who_makes_trouble_keeps_no_other_from_their_round(tenant: Tenant, stranger: Tenant) -> None:
    troubled = {tenant.project.pk, tenant.project.account_id}

    def work(owner: Account | Project) -> int:
        if owner.pk in troubled:
            raise OperationalError("canceling statement due to statement timeout")
        return 1

    both = Project.objects.filter(pk__in=[tenant.project_id, stranger.project_id])

    assert run_for_each_owner("a test", both, work) == 1
    assert run_for_each_owner("a test", Account.objects.filter(projects__in=both), work) == 1
