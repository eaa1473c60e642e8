"""A project is archived and comes back: its keys, its work, its pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from console.data.erasure.unarchive import unarchive_project
from knowledgebase.bases.bases import link_base, load_base
from memories.chat import Chat, prepare_briefing, store_turn
from memories.jobs.outbox import PROJECT_ARCHIVED
from memories.jobs.sweeper import sweep_tasks
from memories.models import Message, Task
from memories.retrieval.queries.query import SearchQuery
from memories.values import OwnerKind, Subject, TaskState
from tenancy.errors import KeyForbidden
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, Membership, Role
from tenancy.people.permissions import WHILE_ARCHIVED
from tenancy.projects.projects import archive_project
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.addresses import addresses
from tests.support.knowledge.knowledge import filled_base
from tests.support.waiting import LIMIT, let_keys_expire, look_until, wait_until


def get_path(tenant: Tenant) -> str:
    return f"/a/{tenant.project.account_id}/projects/{tenant.project_id}/"


def until_refused(api: Api, seconds: float = LIMIT) -> dict[str, object]:
    """A process may remember a key for one second."""
    answer = look_until(
        lambda: api.call("get/memory", {"user_id": "kim"}), lambda answer: answer.status_code != 200, seconds
    )
    return {"status": answer.status_code, **answer.json()}


def actions(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.project.account):
        events = AuditEvent.objects.within(tenant.project.account).filter(action__startswith="project.")
        return list(events.order_by("number").values_list("action", flat=True))


def test_keys_of_an_archived_project_are_refused_in_words_and_work_again_when_it_is_restored(
    tenant: Tenant, api: Api
) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I live in Lisbon.")

    client.post(get_path(tenant) + "archive/")
    refusal = until_refused(api)

    assert (refusal["status"], refusal["code"], refusal["data"]) == (401, 40103, None)
    assert refusal["message"] == "This API key cannot access the project: the project is archived"
    client.post(get_path(tenant) + "restore/")
    let_keys_expire()
    assert "Lisbon" in api.facts("kim", "Where do I live?")[0]
    assert actions(tenant) == ["project.archived", "project.restored"]


def test_the_skill_contract_refuses_an_archived_project_too(tenant: Tenant, api: Api) -> None:
    archive_project(tenant.project, get_owner(tenant))
    until_refused(api)

    answer = api.get(f"{tenant.url}/api/v1/space", headers={"Authorization": f"Bearer {tenant.key}"})

    assert answer.status_code == 401
    assert "archived" in answer.text


def test_a_call_to_an_archived_project_is_in_its_request_log(tenant: Tenant, api: Api) -> None:
    archive_project(tenant.project, get_owner(tenant))
    until_refused(api)
    client = sign_in_owner(tenant)

    wait_until(lambda: b"40103" in client.get(f"/p/{tenant.project_id}/logs/").content)


def test_work_of_an_archived_project_rests_and_goes_on_afterwards(tenant: Tenant, api: Api) -> None:
    project, owner = tenant.project, get_owner(tenant)
    body = {
        "user_id": "kim",
        "conversation_id": "talk",
        "messages": [{"role": "user", "content": "I live in Lisbon."}],
    }
    api.listed("kim")  # the web process knows the key for a second
    archive_project(project, owner)
    task_id = api.data("add/message", body | {"async_mode": True})["task_id"]

    def look() -> Task:
        row: Task = Task.objects.within(project).get(pk=task_id)
        return row

    task = look_until(look, lambda now: now.error_code == PROJECT_ARCHIVED)
    assert (task.state, task.attempts) == (TaskState.WAITING, 0)

    unarchive_project(project, owner)
    sweep_tasks()
    look_until(look, lambda now: now.state == TaskState.COMPLETED)
    assert any("Lisbon" in fact for fact in api.facts("kim", "Where do I live?"))


def test_an_archived_project_is_read_only_and_stands_apart_with_restore(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    account = tenant.project.account
    account.projects.create(name="staging")
    client = sign_in_owner(tenant)
    client.post(get_path(tenant) + "archive/")

    page = client.get(f"/p/{tenant.project_id}/memories/")
    assert b"Lisbon" in page.content
    assert b"archived" in page.content
    for path in (
        "api-keys/new/",
        "settings/model/",
        "memories/bulk/delete/",
        "spaces/new/",
        "quickstart/key/",
    ):
        answer = client.post(f"/p/{tenant.project_id}/{path}", {"name": "x", "user": "kim"})
        assert answer.status_code == 403, path
    assert client.post(get_path(tenant), {"name": "renamed"}).status_code == 403
    listed = client.get(f"/a/{account.pk}/").content.decode()
    assert listed.index("staging") < listed.index('id="archived-title"') < listed.index("Restore")
    assert actions(tenant) == ["project.archived"]


def test_every_page_of_an_archived_project_still_opens(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    archive_project(tenant.project, get_owner(tenant))
    client = sign_in_owner(tenant)
    of_project = [
        address for address in addresses() if address.parameters.keys() == {"project_id"} and address.needs
    ]
    seen = [address for address in of_project if address.needs and address.needs[1] in WHILE_ARCHIVED]

    answers = {
        address.name: client.get(address.path(project_id=tenant.project_id)).status_code for address in seen
    }

    assert set(answers.values()) <= {200, 302, 405}, answers
    assert answers["memories"] == answers["settings"] == answers["api_keys"] == answers["logs"] == 200


def test_only_owners_and_admins_archive_and_restore(tenant: Tenant) -> None:
    account = tenant.project.account
    for role, expected in ((Role.DEVELOPER, 403), (Role.VIEWER, 403), (Role.ADMIN, 302)):
        client = sign_in(add_member(account, role))
        for action in ("archive/", "restore/"):
            assert client.post(get_path(tenant) + action).status_code == expected, (role, action)


def test_a_strangers_project_answers_like_a_made_up_one(tenant: Tenant, stranger: Tenant) -> None:
    client = sign_in_owner(stranger)
    theirs = f"/a/{stranger.project.account_id}/projects/{tenant.project_id}/"

    for action in ("archive/", "restore/", "delete/"):
        assert client.post(theirs + action, {"typed": "default"}).status_code == 404
        assert client.post(get_path(tenant) + action, {"typed": "default"}).status_code == 404
    assert tenant.project.archived_at is None


def test_archiving_twice_is_told_once(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    for _ in range(2):
        assert client.post(get_path(tenant) + "archive/").status_code == 302
    for _ in range(2):
        assert client.post(get_path(tenant) + "restore/").status_code == 302

    assert actions(tenant) == ["project.archived", "project.restored"]


def test_anyone_who_signs_in_lands_in_a_project_at_work(tenant: Tenant) -> None:
    account = tenant.project.account
    at_work = account.projects.create(name="staging")
    archive_project(tenant.project, get_owner(tenant))
    Membership.objects.filter(account=account).update(current_project=None)
    client: Client = sign_in_owner(tenant)

    answer = client.get("/home/")

    assert answer.headers["Location"] == f"/p/{at_work.pk}/quickstart/"


def test_work_that_waited_in_an_archived_project_is_done_when_it_comes_back(tenant: Tenant, api: Api) -> None:
    project, owner = tenant.project, get_owner(tenant)
    api.listed("kim")
    archive_project(project, owner)
    keys = [
        api.data(
            "add/message",
            {
                "user_id": "kim",
                "conversation_id": "talk",
                "messages": [{"role": "user", "content": f"I live in {place}."}],
                "async_mode": True,
            },
        )["task_id"]
        for place in ("Lisbon", "Oslo")
    ]
    mine = Task.objects.within(project).filter(pk__in=keys)
    wait_until(lambda: mine.filter(error_code=PROJECT_ARCHIVED).exists())
    # As it is after four days, of which the sweeper was away for all but the last minute.
    mine.update(due_at=timezone.now() - timedelta(days=4))

    unarchive_project(project, owner)
    sweep_tasks()

    wait_until(lambda: mine.filter(state=TaskState.COMPLETED).count() == 2)
    assert any("Oslo" in fact for fact in api.facts("kim", "Where do I live?"))


def test_what_is_said_in_a_talk_that_outlasts_its_project_is_not_kept(tenant: Tenant, api: Api) -> None:
    project = tenant.project
    api.add("kim", "I live in Lisbon.")
    chat = Chat(SearchQuery(text="Where do I live?", subject=Subject(OwnerKind.END_USER, "kim")))
    heard = prepare_briefing(project, chat)
    archive_project(project, get_owner(tenant))

    with pytest.raises(KeyForbidden, match="archived"):
        store_turn(project, chat, heard, "In Lisbon.")

    with tenant_scope(project):
        assert Message.objects.within(project).count() == 1


def test_an_archived_project_keeps_its_bases_whichever_page_takes_them(tenant: Tenant, api: Api) -> None:
    project, other = tenant.project, tenant.project.account.projects.create(name="staging")
    base = filled_base(api, {"faq.md": b"# Parking\n\nThe company pays for parking."}, "Policies")
    link_base(other, load_base(project, base))
    archive_project(project, get_owner(tenant))
    page = f"/p/{other.pk}/knowledge/{base}/projects/{project.pk}/delete/"
    client = sign_in_owner(tenant)

    assert client.post(page).status_code == 403
    assert load_base(project, base)
    assert client.post(page.replace(str(project.pk), str(other.pk))).status_code == 302
