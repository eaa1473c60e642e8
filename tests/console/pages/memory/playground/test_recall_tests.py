"""Recall tests: marked in the playground, run by hand and after changes, deleted with what they are about."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.data.recall_tests.ask import ask_for_recall_tests
from memories.models import RecallMark, RecallTest, Task
from memories.retrieval.browse.recall_tests import BY_HAND, note_result
from memories.values import TaskKind
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog, Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import look_until

SEARCH = "user_id=kim&query=Where+do+I+live%3F&include_preference=on"


def get_path(tenant: Tenant) -> str:
    return f"/p/{tenant.project_id}/playground/tests/"


def hold_home(tenant: Tenant) -> str:
    """The id of a memory of kim's."""
    return str(hold_facts(tenant, "kim", "The user lives in Lisbon.")[0].pk)


def save(client: Client, tenant: Tenant, search: str = SEARCH, **marks: str) -> None:
    named = {f"mark_{memory}": mark for memory, mark in marks.items()}
    assert client.post(get_path(tenant) + "new/", {"search": search, **named}).status_code == 302


def kept_tests(tenant: Tenant) -> list[RecallTest]:
    with tenant_scope(tenant.project):
        return list(RecallTest.objects.within(tenant.project).order_by("created_at"))


def shown(client: Client, tenant: Tenant) -> str:
    return html.unescape(client.get(get_path(tenant)).content.decode())


def test_marks_of_a_run_become_a_test_that_is_run_by_hand(tenant: Tenant) -> None:
    home, cats = hold_home(tenant), str(hold_facts(tenant, "kim", "The user keeps two cats.")[0].pk)
    client = sign_in_owner(tenant)
    ran = client.post(f"/p/{tenant.project_id}/playground/", {"user_id": "kim", "query": "Where do I live?"})
    (search,) = re.findall(r'name="search" value="([^"]*)"', ran.content.decode())
    assert f'name="mark_{home}"' in ran.content.decode()

    save(client, tenant, html.unescape(search), **{home: "right", cats: "wrong"})
    client.post(get_path(tenant) + "run/", {})

    page = shown(client, tenant)
    assert "Where do I live?" in page
    assert "rank 1" in page
    (test,) = kept_tests(tenant)
    with tenant_scope(tenant.project):
        marks = {mark.is_expected: mark.rank for mark in RecallMark.objects.within(tenant.project)}
        calls = RequestLog.objects.within(tenant.project).filter(origin="console")
        assert look_until(calls.count, lambda count: count >= 2)
    assert marks[True] == 1
    assert test.passed is (marks[False] is None)


def test_a_wrong_memory_that_is_returned_fails_and_a_setting_mends_it(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    save(client, tenant, **{hold_home(tenant): "wrong"})

    client.post(get_path(tenant) + "run/", {"test": str(kept_tests(tenant)[0].pk)})
    assert "1 test fails" in shown(client, tenant)
    answer = client.post(
        f"/p/{tenant.project_id}/settings/search/",
        {"search-relativity": "1", "search-facts": "", "search-preferences": ""},
    )

    assert answer.status_code == 302
    test = look_until(
        lambda: kept_tests(tenant)[0],
        lambda test: test.passed is True,
        otherwise="the test was not run again",
    )
    assert [result["by"] for result in test.results] == ["change", "hand"]
    page = shown(client, tenant)
    assert "not returned" in page
    assert "(was" not in page


REFUSED = [
    ("", "run it again first"),
    ("user_id=kim&query=", "run it again first"),
    ("user_id=nobody&query=Where%3F", "User for deletion does not exist"),
    (SEARCH + "&filter=%7B", "run it again first"),
]


def test_a_search_that_cannot_be_kept_is_refused_in_words(tenant: Tenant) -> None:
    client, home = sign_in_owner(tenant), hold_home(tenant)

    for search, expected in REFUSED:
        answer = client.post(
            get_path(tenant) + "new/", {"search": search, f"mark_{home}": "right"}, follow=True
        )

        assert expected in answer.content.decode() or "Nobody" in answer.content.decode(), search
    assert kept_tests(tenant) == []


def test_memories_of_others_are_not_marked(tenant: Tenant, stranger: Tenant) -> None:
    home, foreign = hold_home(tenant), hold_home(stranger)
    client = sign_in_owner(tenant)

    save(client, tenant, **{foreign: "right"})
    assert kept_tests(tenant) == []
    save(client, tenant, **{foreign: "wrong", home: "right"})

    with tenant_scope(tenant.project):
        assert RecallMark.objects.within(tenant.project).count() == 1
    assert sign_in_owner(stranger).get(get_path(tenant)).status_code == 404
    assert "Lisbon" not in shown(sign_in_owner(stranger), stranger)


@pytest.mark.parametrize("deleted", ["memory", "user"])
def test_a_test_is_deleted_with_its_memories_and_with_its_user(
    tenant: Tenant, api: Api, deleted: str
) -> None:
    client, memory = sign_in_owner(tenant), hold_home(tenant)
    save(client, tenant, **{memory: "right"})
    assert len(kept_tests(tenant)) == 1

    api.data("delete/memory", {"memory_ids": [memory]} if deleted == "memory" else {"user_id": "kim"})

    assert kept_tests(tenant) == []
    with tenant_scope(tenant.project):
        assert not RecallMark.objects.within(tenant.project).exists()


def test_there_is_a_most_of_tests_and_the_list_asks_no_more_for_many(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 6
    monkeypatch.setattr("memories.retrieval.browse.recall_tests.MOST_TESTS", most)
    client, memory = sign_in_owner(tenant), hold_home(tenant)
    counts = []
    for number in range(most + 1):
        save(client, tenant, **{memory: "right"})
        if number in (0, most):
            with CaptureQueriesContext(connection) as asked:
                shown(client, tenant)
            counts.append(len(asked))

    assert len(kept_tests(tenant)) == most
    assert counts[1] <= counts[0] <= 25


def test_viewers_see_tests_and_run_none(tenant: Tenant) -> None:
    save(sign_in_owner(tenant), tenant, **{hold_home(tenant): "right"})
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    assert "Where do I live?" in shown(viewer, tenant)
    assert viewer.post(get_path(tenant) + "run/").status_code == 403
    assert viewer.post(get_path(tenant) + "new/").status_code == 403


def test_a_run_whose_test_and_memories_are_deleted_meanwhile_ends_quietly(tenant: Tenant, api: Api) -> None:
    save(sign_in_owner(tenant), tenant, **{hold_home(tenant): "right"})
    (running,) = kept_tests(tenant)
    api.data("delete/memory", {"user_id": "kim"})

    with tenant_scope(tenant.project):
        note_result(running, {}, BY_HAND)

    assert kept_tests(tenant) == []


def test_several_changes_ask_for_one_run_and_a_search_that_is_refused_keeps_no_other_from_it(
    tenant: Tenant,
) -> None:
    client, memory = sign_in_owner(tenant), hold_home(tenant)
    for _ in range(2):
        save(client, tenant, **{memory: "right"})
    with transaction.atomic(), tenant_scope(tenant.project):
        for _ in range(3):
            ask_for_recall_tests(tenant.project)
        tasks = Task.objects.within(tenant.project).filter(kind=TaskKind.RECALL_TESTS)
        assert tasks.count() == 1
        newest = RecallTest.objects.within(tenant.project).order_by("-created_at").first()
        RecallTest.objects.within(tenant.project).filter(pk=newest.pk).update(body={"user_id": "kim"})

    oldest = look_until(lambda: kept_tests(tenant)[0], lambda test: test.passed is True, 60, "it did not run")

    assert [result["by"] for result in oldest.results] == ["change"]
    with tenant_scope(tenant.project):
        results = look_until(lambda: tasks.get().result, bool, 60, "the task did not end")
    assert results == {"passed": 1, "refused": 1}
