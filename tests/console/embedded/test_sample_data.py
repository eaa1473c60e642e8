"""The sample data for the demo account: said to the API, spread over a month, deleted as a project."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from console.data.sample_data.filling import SAMPLE
from memories.lifecycle.trash import select_trashed_memories
from memories.models import Memory
from memories.models.trash_visibility import seeing_trash
from skills.models import Skill
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tenancy.projects.projects import create_project
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant


def test_a_project_of_somebodys_own_with_that_name_is_not_deleted(tenant: Tenant) -> None:
    owner = get_owner(tenant)
    create_project(tenant.project.account, SAMPLE["project"], "", owner)

    with pytest.raises(CommandError, match="no project of sample data"):
        call_command("fill_demo", email=owner.email, remove=True)
    with pytest.raises(CommandError, match="incomplete"):
        call_command("fill_demo", email=owner.email, url=tenant.url)

    assert tenant.project.account.projects.filter(name=SAMPLE["project"], deleting_at=None).exists()


def test_a_project_is_filled_once_and_deleted(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With two of its conversations, because each takes its time."""
    monkeypatch.setitem(SAMPLE, "conversations", [SAMPLE["conversations"][0], SAMPLE["conversations"][9]])
    monkeypatch.setitem(SAMPLE, "feedback", [])
    monkeypatch.setitem(SAMPLE, "searches", SAMPLE["searches"][:2])
    email, account = get_owner(tenant).email, tenant.project.account
    url = tenant.url

    call_command("fill_demo", email=email, url=url)
    project = account.projects.get(name=SAMPLE["project"])
    assert f"/p/{project.pk}/" in capsys.readouterr().out
    with tenant_scope(project):
        states = set(Memory.objects.within(project.cubes.all()).values_list("status", flat=True))
        assert Skill.objects.within(account).filter(project=project).count() >= 3
        oldest = Memory.objects.within(project.cubes.all()).order_by("created_at")[0].created_at
        with seeing_trash():
            is_trash_filled = select_trashed_memories(project).exists()
        days = {at.date() for at in RequestLog.objects.within(project).values_list("created_at", flat=True)}
    assert {"activated", "frozen", "archived"} <= states
    assert is_trash_filled
    assert len(days) > 20
    assert (timezone.now() - oldest).days >= 25  # what was said on past days was learned then

    with pytest.raises(CommandError, match="there already"):
        call_command("fill_demo", email=email, url=url)
    call_command("fill_demo", email=email, remove=True)
    with pytest.raises(CommandError, match="no project of sample data"):
        call_command("fill_demo", email=email, remove=True)
