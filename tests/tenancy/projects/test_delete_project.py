"""A project is deleted by a job that may die at any time, and a receipt says what went."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import count
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

import console.data.erasure.delete_rows
import console.data.erasure.receipts
from console.data.erasure.delete_project import delete_project, run_project_deletion
from console.data.erasure.erase_tasks import continue_deletions
from memories.jobs import outbox
from memories.jobs.claims import claim_task
from memories.models import Task
from memories.tasks import get_worker_name
from memories.values import TaskState
from tenancy.errors import KeyForbidden
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.restrictions import check_key
from tenancy.models import ApiKey, AuditEvent, Membership, Project, RequestLog
from tenancy.models.deletion import ProjectDeletion
from tenancy.people.onboarding import open_account
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.operators import signed_in_long_ago
from tests.support.console.skill_pages import made_skill
from tests.support.knowledge.knowledge import fetch_files, filled_base
from tests.support.servers.file_server import FileServer
from tests.support.tasks.crashes import SimulatedKill
from tests.support.tasks.deletions import get_deletion, rows_left, until_deleted
from tests.support.waiting import let_keys_expire, wait_until

SECRET = "the secret of the lighthouse"


@pytest.fixture
def project(tenant: Tenant) -> Project:
    """One in which nobody has said anything."""
    return tenant.project


@pytest.fixture
def spoken(tenant: Tenant, api: Api) -> Project:
    """A project with messages and memories of two users."""
    api.add("kim", "I live in Lisbon.", f"I like {SECRET}.")
    api.add("leo", "I moved to Porto in June. I drink green tea.")
    return tenant.project


@pytest.fixture
def full(spoken: Project, tenant: Tenant, api: Api) -> Project:
    """The same with a logged search, a skill with files, and a knowledge base that it shares."""
    api.search("kim", "Where do I live?")
    made_skill(tenant, "Greeting", files={"a.bin": b"\0" * 1_000})
    filled_base(api, {"faq.md": b"# Parking\n\nThe company pays for parking."}, "Policies")
    wait_for_logs(spoken)
    return spoken


def wait_for_logs(project: Project) -> None:
    def is_logged() -> bool:
        with tenant_scope(project):
            return bool(RequestLog.objects.within(project).filter(endpoint__contains="search").exists())

    wait_until(is_logged)


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No notification is sent: what the task does, a test does itself."""
    monkeypatch.setattr(outbox._announcer, "notify", lambda *_: None)


def claimed(deletion: ProjectDeletion) -> Task:
    """As a worker takes it, before the sweeper of the installation gives it to another."""
    key = outbox.list_account_tasks(deletion.pk).get().pk
    task = claim_task(key, get_worker_name())
    assert task is not None
    return task


def test_everything_goes_and_the_receipt_and_the_audit_log_say_so_without_anybodys_words(
    full: Project, tenant: Tenant, stranger: Tenant, strangers_api: Api
) -> None:
    account, owner = full.account, get_owner(tenant)
    other = account.projects.create(name="staging")
    strangers_api.add("kim", "I live in Madrid.")
    expect_question_with_counts(full, other, tenant)
    delete_project(full, owner)

    receipt = until_deleted(full)

    assert not Project.objects.filter(pk=full.pk).exists()
    assert rows_left(account, full) == {}
    assert receipt.removed["memories"] == receipt.expected["memories"] >= 4
    assert receipt.removed["messages"] == receipt.expected["messages"] == 3
    assert receipt.removed["end_users"] == 2
    assert receipt.removed["skills"] == 1
    assert (receipt.removed["files"], receipt.removed["file_bytes"]) == (1, 1_000)
    assert receipt.removed["api_keys"] == 1
    assert receipt.removed["request_logs"] >= 3
    assert (receipt.kept, receipt.recallable, receipt.actor) == (["Policies"], 0, owner)
    assert receipt.took is not None
    assert SECRET not in json.dumps([receipt.expected, receipt.removed, receipt.kept])
    assert "Madrid" in strangers_api.facts("kim", "Where do I live?")[0]
    expect_audited(full, receipt)
    expect_page_and_files(full, receipt, tenant)
    expect_nothing_for_strangers(full, receipt, stranger)


def expect_audited(full: Project, receipt: ProjectDeletion) -> None:
    with tenant_scope(full.account):
        events = list(AuditEvent.objects.within(full.account).filter(action__startswith="project."))
    ordered, erased = sorted(events, key=lambda event: event.number or 0)
    assert (ordered.action, ordered.actor_kind, ordered.detail["receipt"]) == (
        "project.deleted",
        "member",
        str(receipt.pk),
    )
    assert (erased.action, erased.actor_kind) == ("project.erased", "worker")
    assert erased.detail["removed"]["memories"] == receipt.removed["memories"]
    assert SECRET not in json.dumps([event.detail for event in events])


def test_keys_and_pages_stop_with_the_order_itself(
    project: Project, tenant: Tenant, api: Api, quiet: None
) -> None:
    other = project.account.projects.create(name="staging")
    client = sign_in_owner(tenant)
    client.get(f"/p/{other.pk}/quickstart/")
    place = f"/a/{project.account_id}/"

    answer = client.post(f"{place}projects/{project.pk}/delete/", {"typed": project.name})

    assert answer.status_code == 302
    assert client.get(f"/p/{project.pk}/memories/").status_code == 404
    assert client.post(f"{place}projects/{project.pk}/restore/").status_code == 404
    assert client.post(f"{place}projects/{project.pk}/delete/", {"typed": project.name}).status_code == 404
    page = client.get(place).content.decode()
    assert "Its keys are revoked" in page
    assert f"projects/{project.pk}/" not in page
    let_keys_expire()
    refusal = api.call("search/memory", {"user_id": "kim", "query": "x"})
    assert (refusal.status_code, refusal.json()["code"]) == (401, 40132)
    assert client.post(f"{place}projects/new/", {"name": project.name}).status_code == 302


def dying_after(statements: int) -> Any:
    left = statements

    def die(execute: Any, *call: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise SimulatedKill
        return execute(*call)

    return connection.execute_wrapper(die)


def test_a_worker_that_dies_again_and_again_changes_nothing_of_the_end(
    full: Project, tenant: Tenant, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console.data.erasure.delete_rows, "BATCH", 2)
    task, kills = claimed(delete_project(full, get_owner(tenant))), 0

    for statements in count(5, 5):
        try:
            with dying_after(statements):
                run_project_deletion(task)
        except SimulatedKill:
            kills += 1
        else:
            break

    receipt = get_deletion(full)
    assert kills > 10
    assert rows_left(full.account, full) == {}
    for kind in ("memories", "messages", "end_users", "skills", "files", "file_bytes", "api_keys"):
        assert receipt.removed[kind] == receipt.expected[kind], kind
    assert (receipt.recallable, outbox.list_account_tasks(receipt.pk).get().state) == (0, TaskState.COMPLETED)


def test_a_worker_whose_task_another_one_took_writes_nothing_more(
    spoken: Project, tenant: Tenant, quiet: None
) -> None:
    deletion = delete_project(spoken, get_owner(tenant))
    first = claimed(deletion)
    outbox.end_lease(first)
    second = claimed(deletion)

    with pytest.raises(outbox.LeaseLost):
        run_project_deletion(first)

    assert get_deletion(spoken).removed == {}
    run_project_deletion(second)
    assert until_deleted(spoken).recallable == 0


def test_a_deletion_whose_task_died_or_is_gone_is_taken_up_again(
    project: Project, tenant: Tenant, quiet: None
) -> None:
    deletion = delete_project(project, get_owner(tenant))
    outbox.list_account_tasks(deletion.pk).update(state=TaskState.DEAD)

    continue_deletions()
    assert outbox.list_account_tasks(deletion.pk).get().state == TaskState.QUEUED
    outbox.list_account_tasks(deletion.pk).delete()
    continue_deletions()

    run_project_deletion(claimed(deletion))
    assert until_deleted(project).recallable == 0


def test_files_on_their_way_into_a_shared_base_are_finished_by_another_project(
    project: Project, tenant: Tenant, files: FileServer
) -> None:
    other = project.account.projects.create(name="staging")
    from knowledgebase.bases.bases import link_base, load_base
    from tenancy.keys.keys import create_key

    with tenant.api() as api:
        base = filled_base(api, {"a.md": b"# Hotels\n\nA night may cost 120 EUR."}, "Travel")
    link_base(other, load_base(project, base))

    delete_project(project, get_owner(tenant))
    receipt = until_deleted(project)

    assert receipt.kept == ["Travel"]
    with tenant.api(create_key(other, "k").plaintext) as second:
        assert [file["status"] for file in fetch_files(second, base)] == ["completed"]


def expect_page_and_files(full: Project, receipt: ProjectDeletion, tenant: Tenant) -> None:
    """The receipt as members of the account read and download it."""
    place = f"/a/{full.account_id}/deletions/"
    client = sign_in_owner(tenant)

    page = client.get(f"{place}{receipt.pk}/").content.decode()
    as_json = json.loads(client.get(f"{place}{receipt.pk}/file/?format=json").content)
    lines = list(
        csv.reader(io.StringIO(client.get(f"{place}{receipt.pk}/file/?format=csv").content.decode()))
    )

    assert f"0 of {receipt.removed['memories']} memories can still be recalled" in page
    assert "Policies" in page
    assert tenant.email in page
    assert full.name in client.get(place).content.decode()
    assert as_json["removed"]["memories"] == receipt.removed["memories"]
    assert as_json["memories_still_recallable"] == 0
    assert as_json["knowledge_bases_kept"] == ["Policies"]
    assert ["removed", "memories", str(receipt.removed["memories"])] in lines
    assert ["knowledge_bases_kept", "", "Policies"] in lines
    assert not any(SECRET in text for text in (page, str(as_json), str(lines)))
    assert client.get(f"{place}{receipt.pk}/file/?format=exe").status_code == 404


def expect_nothing_for_strangers(full: Project, receipt: ProjectDeletion, stranger: Tenant) -> None:
    theirs = sign_in_owner(stranger)
    place = f"/a/{full.account_id}/deletions/"
    own = f"/a/{stranger.project.account_id}/deletions/{receipt.pk}/"
    for path in (place, f"{place}{receipt.pk}/", own, f"{own}file/?format=json"):
        assert theirs.get(path).status_code == 404, path


def counts_in(page: str) -> dict[str, str]:
    """What the question says would be deleted, by its name."""
    pairs = re.findall(r'<dt>(.*?)</dt>\s*<dd class="num">(.*?)</dd>', page, re.DOTALL)
    return {name: " ".join(count.split()) for name, count in pairs}


def expect_question_with_counts(full: Project, other: Project, tenant: Tenant) -> None:
    """The page that asks names exact counts and what stays, and deletes nothing before the name is typed."""
    client = sign_in_owner(tenant)
    client.get(f"/p/{other.pk}/quickstart/")

    asked = client.get(f"/a/{full.account_id}/projects/{full.pk}/delete/").content.decode()

    counts = counts_in(asked)
    assert (counts["Messages"], counts["End users"]) == ("3", "2")
    assert counts["Files"].startswith("1 (1000")
    assert "<strong>Policies</strong>" in asked
    wrong = client.post(f"/a/{full.account_id}/projects/{full.pk}/delete/", {"typed": "x"})
    assert wrong.status_code == 422
    assert Project.objects.here().filter(pk=full.pk).exists()


def test_who_signed_in_long_ago_says_again_who_they_are_before_a_project_goes(tenant: Tenant) -> None:
    project = tenant.project.account.projects.create(name="staging")
    place = f"/a/{project.account_id}/projects/{project.pk}/delete/"
    client = signed_in_long_ago(sign_in_owner(tenant))

    for answer in (client.get(place), client.post(place, {"typed": project.name})):
        assert answer.headers["Location"].startswith("/accounts/reauthenticate/")
    assert Project.objects.here().filter(pk=project.pk).exists()


def test_more_than_anybody_wants_to_count_is_said_to_be_more(
    spoken: Project, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (console.data.erasure.delete_rows, console.data.erasure.receipts):
        monkeypatch.setattr(module, "MOST_COUNTED", 2)
    other = spoken.account.projects.create(name="staging")
    client = sign_in_owner(tenant)
    client.get(f"/p/{other.pk}/quickstart/")

    asked = client.get(f"/a/{spoken.account_id}/projects/{spoken.pk}/delete/").content.decode()
    delete_project(spoken, get_owner(tenant))
    receipt = until_deleted(spoken)
    page = f"/a/{spoken.account_id}/deletions/{receipt.pk}/"
    document = json.loads(client.get(f"{page}file/?format=json").content)

    counts = counts_in(asked)
    assert (counts["Messages"], counts["End users"]) == ("more than 2", "2")
    assert "more than 2" in client.get(page).content.decode()
    assert (document["counted_before"]["messages"], document["counted_before_up_to"]) == (2, 2)
    assert document["removed"]["messages"] == 3


def test_a_key_that_was_made_at_the_same_moment_is_refused_all_the_same(
    project: Project, tenant: Tenant, api: Api, quiet: None
) -> None:
    delete_project(project, get_owner(tenant))
    ApiKey.objects.filter(project=project).update(revoked_at=None)
    let_keys_expire()

    refusal = api.call("search/memory", {"user_id": "kim", "query": "x"})

    assert (refusal.status_code, refusal.json()["code"]) in {(401, 40103), (401, 40132)}
    key = ApiKey.objects.select_related("project").filter(project=project).first()
    if key is not None:
        with pytest.raises(KeyForbidden, match="being deleted"):
            check_key(key, "")


def is_gone(project: Project) -> bool:
    """Deleted with its log, unless a row came between: the database says so at the end of the transaction."""
    try:
        with transaction.atomic(), tenant_scope(project):
            RequestLog.objects.within(project).delete()
            Project.objects.filter(pk=project.pk).delete()
    except IntegrityError:
        return False
    return True


@pytest.mark.parametrize("path", ["project/configs", "orgs/organizations/{account}/projects/{project}/"])
def test_a_key_that_a_process_still_knows_is_refused_once_its_project_is_gone(
    tenant: Tenant, path: str
) -> None:
    """For a second a process takes a key that it has looked up for what it was."""
    project = tenant.project
    place = path.format(account=project.account_id, project=project.pk)
    with tenant.api() as api:
        api.base_url = f"{tenant.url}/api/v1/"
        assert api.get(place).status_code == 200

        wait_until(lambda: is_gone(project))

        assert api.get(place).status_code == 401


def test_nobody_is_led_into_a_project_that_is_being_deleted(tenant: Tenant) -> None:
    account = tenant.project.account
    other = account.projects.create(name="staging")
    doomed = account.projects.create(name="old")
    Project.objects.filter(pk=doomed.pk).update(deleting_at=timezone.now())
    Membership.objects.filter(account=account).update(current_project=doomed)

    with transaction.atomic():
        landed = open_account(get_owner(tenant)).project

    assert landed in {other, tenant.project}


def test_a_deletion_that_died_at_its_very_end_is_finished(project: Project, tenant: Tenant) -> None:
    delete_project(project, get_owner(tenant))
    receipt = until_deleted(project)
    wait_until(lambda: outbox.list_account_tasks(receipt.pk).get().state == TaskState.COMPLETED)
    with tenant_scope(project.account):
        ProjectDeletion.objects.within(project.account).update(finished_at=None)
    outbox.list_account_tasks(receipt.pk).update(state=TaskState.DEAD)

    wait_until(lambda: continue_deletions() + bool(get_deletion(project).finished_at))

    assert until_deleted(project).recallable == 0
