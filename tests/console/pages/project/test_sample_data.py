"""Sample data that members add to their account by a click, and remove again."""

from __future__ import annotations

import html

import pytest
from django.db import transaction
from django.test import Client
from playwright.sync_api import Page, expect

from console.data.sample_data.filling import SAMPLE, find_sample_base, find_sample_project
from console.data.sample_data.job import MOST_A_DAY
from knowledgebase.bases.bases import list_account_bases
from knowledgebase.models import KnowledgeFile
from memories.models import Memory, Task
from memories.values import TaskKind, TaskState
from skills.models import LearningSpace
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.usage import Grouping, UsageFilter, get_today, sum_usage
from tenancy.models import AuditEvent, Project, RequestLog, Role
from tenancy.projects.projects import create_project
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.acts import put_off_filling
from tests.support.waiting import wait_until


def add(tenant: Tenant, client: Client) -> int:
    """Ordered only: the task that fills the project is put off before the workers can see it."""
    with transaction.atomic():
        answer = client.post(f"/a/{tenant.project.account_id}/sample-data/")
        if project := find_sample_project(tenant.project.account):
            put_off_filling(project)
    return int(answer.status_code)


def filled(tenant: Tenant) -> Project:
    """The project, once its job is done."""
    project = find_sample_project(tenant.project.account)
    assert project is not None

    def is_done() -> bool:
        with tenant_scope(project):
            task = Task.objects.within(project).get(kind=TaskKind.SAMPLE)
        assert task.state not in {TaskState.FAILED, TaskState.DEAD}, task.error_text
        return bool(task.state == TaskState.COMPLETED)

    wait_until(is_done)
    return project


def removal(tenant: Tenant, client: Client) -> str:
    answer = client.post(f"/a/{tenant.project.account_id}/sample-data/remove/", {"confirmed": "yes"})
    return html.unescape(answer.content.decode()) if answer.status_code == 422 else str(answer.status_code)


def quota_taken(tenant: Tenant) -> int:
    month = UsageFilter(get_today().replace(day=1), get_today(), with_tokens=False)
    return sum(sums.used for sums in sum_usage(tenant.project.account, month, [Grouping.PROJECT]).values())


def test_a_member_of_an_empty_account_adds_sample_data_and_removes_it(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    account = tenant.project.account
    signed_in.goto(f"/p/{tenant.project_id}/quickstart/")
    expect(signed_in.get_by_role("region", name="Look around first")).to_contain_text("Add sample data")
    signed_in.goto(f"/p/{tenant.project_id}/")
    expect(signed_in.get_by_role("heading", name="No request yet")).to_be_visible()
    before = quota_taken(tenant)

    signed_in.get_by_role("button", name="Add sample data").click()
    expect(signed_in.get_by_text("Sample data is being added")).to_be_visible()
    project = filled(tenant)

    with tenant_scope(project):
        assert Memory.objects.within(project.cubes.all()).count() > 20
        days = {at.date() for at in RequestLog.objects.within(project).values_list("created_at", flat=True)}
    assert len(days) > 20
    assert quota_taken(tenant) == before
    api.add("kim", "I live in Porto.")  # in the account's own project
    signed_in.goto(f"/p/{project.pk}/")
    expect(signed_in.get_by_role("heading", name="Requests", exact=True)).to_be_visible()

    with tenant_scope(project):  # somebody's own file in its knowledge base is not removed
        base = find_sample_base(project)
        assert base is not None
        prices = KnowledgeFile.objects.create(account=account, base=base, name="prices.md")
    assert "It holds data of your own" in removal(tenant, sign_in_owner(tenant))
    with tenant_scope(project):
        prices.refresh_from_db()
        prices.delete()

    signed_in.goto(f"/p/{tenant.project_id}/settings/#sample")
    card = signed_in.get_by_role("region", name="Sample data")
    expect(card.get_by_role("link", name=SAMPLE["project"], exact=True)).to_be_visible()
    card.get_by_role("link", name="Remove sample data").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Remove sample data").click()
    expect(signed_in.get_by_text("The sample data is being deleted.")).to_be_visible()

    assert find_sample_project(account) is None
    with tenant_scope(account):
        assert not list_account_bases(account).exists()
    assert api.facts("kim", "Where do I live?")


def test_it_is_added_once_and_only_by_owners_and_admins(tenant: Tenant) -> None:
    account = tenant.project.account
    people = {role: sign_in(add_member(account, role)) for role in (Role.ADMIN, Role.DEVELOPER, Role.VIEWER)}

    assert add(tenant, people[Role.DEVELOPER]) == 403
    assert add(tenant, people[Role.VIEWER]) == 403
    assert find_sample_project(account) is None
    with tenant_scope(account):
        before = AuditEvent.objects.within(account).count()
    assert [add(tenant, people[Role.ADMIN]) for _ in range(3)] == [302] * 3
    project = find_sample_project(account)
    assert project is not None
    with tenant_scope(project):
        assert Task.objects.within(project).filter(kind=TaskKind.SAMPLE).count() == 1
    with tenant_scope(account):
        assert AuditEvent.objects.within(account).exclude(actor_kind="worker").count() == before + 1
    assert removal(tenant, people[Role.DEVELOPER]) == "403"
    assert removal(tenant, people[Role.ADMIN]) == "302"
    assert removal(tenant, people[Role.ADMIN]) == "404"


def test_it_is_added_a_few_times_a_day_only(tenant: Tenant, stranger: Tenant) -> None:
    client = sign_in_owner(tenant)
    for _ in range(MOST_A_DAY):
        assert add(tenant, client) == 302
        assert removal(tenant, client) == "302"

    answer = client.post(f"/a/{tenant.project.account_id}/sample-data/", follow=True)

    page = html.unescape(answer.content.decode())
    assert f"Sample data can be added {MOST_A_DAY} times a day; try again after midnight UTC" in page
    assert find_sample_project(tenant.project.account) is None
    add(stranger, sign_in_owner(stranger))  # each account has a count of its own
    assert find_sample_project(stranger.project.account) is not None


def test_what_somebody_put_into_it_is_not_removed(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    add(tenant, client)
    project = find_sample_project(tenant.project.account)
    assert project is not None
    with tenant_scope(project):
        space = LearningSpace.objects.create(account=project.account, project=project)
    assert "It holds data of your own" in removal(tenant, client)
    with tenant_scope(project):
        space.delete()
        project.cubes.create(account=project.account, owner_kind="end_user", owner_id="kim")

    assert "It holds data of your own" in removal(tenant, client)

    assert find_sample_project(tenant.project.account) is not None
    assert "Remove sample data" in client.get(f"/p/{project.pk}/settings/").content.decode()


def test_a_project_of_that_name_is_left_alone(tenant: Tenant) -> None:
    own = create_project(tenant.project.account, SAMPLE["project"], "", get_owner(tenant))
    client = sign_in_owner(tenant)

    answer = client.post(f"/a/{tenant.project.account_id}/sample-data/", follow=True)

    assert "has a project named" in html.unescape(answer.content.decode())
    assert removal(tenant, client) == "404"
    assert Project.objects.filter(pk=own.pk, deleting_at=None).exists()


@pytest.mark.parametrize("path", ["", "remove/"])
def test_another_account_is_out_of_reach(tenant: Tenant, stranger: Tenant, path: str) -> None:
    address = f"/a/{tenant.project.account_id}/sample-data/{path}"

    assert sign_in_owner(stranger).post(address).status_code == 404
