"""Requests that are right but unusual, and requests that meet the end of their project."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from memories.jobs.status import wait_for
from tenancy.errors import TaskUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, Project, User
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.tasks.deletions import delete_and_wait


@pytest.mark.parametrize("when", [10**319, -(10**319), 1e300])
def test_a_time_with_hundreds_of_digits_is_taken_for_now(api: Api, user: str, when: float) -> None:
    api.add(user, {"role": "user", "content": "I live in Porto.", "chat_time": when})

    assert "Porto" in repr(api.listed(user))


def test_a_chunked_body_is_read_like_any_other(api: Api, user: str) -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"user_id": "' + user.encode()
        yield b'", "query": "tea"}'

    accepted(api.post("search/memory", content=chunks(), headers={"Content-Type": "application/json"}))


def test_tools_and_names_of_messages_come_back_as_they_were_sent(api: Api, user: str) -> None:
    extras = {"name": "calculator", "tools": [{"type": "function", "function": {"name": "add"}}]}
    api.add(user, {"role": "user", "content": "I live in Porto.", **extras})

    message = api.data("get/message", {"user_id": user, "conversation_id": "talk"})["message_detail_list"][0]
    assert {name: message[name] for name in extras} == extras


def second_project(tenant: Tenant) -> Project:
    return Project.objects.create(account=tenant.project.account, name=uuid4().hex)


def test_a_write_whose_project_was_just_deleted_is_told_that_its_key_is_invalid(tenant: Tenant) -> None:
    with tenant.api() as api:
        accepted(api.get("ping"))  # the server knows the key for a second
        delete_and_wait(tenant.project, User.objects.get(email=tenant.email))

        body = {"user_id": "kim", "messages": [{"role": "user", "content": "I live in Porto."}]}
        refused(api.call("add/message", body), 40132, status=401)


def test_anyone_who_waits_for_a_task_that_went_with_its_project_is_told_so(tenant: Tenant) -> None:
    with pytest.raises(TaskUnknown):
        wait_for(tenant.project, str(uuid4()))


def test_the_audit_of_a_deleted_project_stays_with_the_account(tenant: Tenant) -> None:
    project, account = second_project(tenant), tenant.project.account
    project_id = project.pk
    with tenant_scope(account):
        event = AuditEvent.objects.create(
            account=account, project=project, action="key.created", object_kind="apikey", object_id="x"
        )

    delete_and_wait(project, User.objects.get(email=tenant.email))

    with tenant_scope(account):
        assert AuditEvent.objects.within(account).get(pk=event.pk).project_id == project_id
