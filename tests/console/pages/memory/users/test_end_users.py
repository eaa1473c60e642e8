"""End users of a project: the list, the page of one, and their deletion with a receipt."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from console.data.erasure.delete_end_user import count_end_user_rows
from memories.lifecycle.erase_subject import erase_subject
from memories.models import MemCube
from memories.values import OwnerKind, Subject
from skills.models import SpaceUser
from skills.sessions.sessions import NewSession, create_session
from tenancy.errors import EndUserUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts

MOST = 25
MANY = "I have two cats. I live in Lisbon. I work as a nurse. I like green tea. I like jazz. My name is Kim."
ODD_IDS = [
    "kim@example.com",
    "a/b",
    "..",
    ".",
    "?x=1#y",
    "100%",
    "~tilde",
    "two  words",
    "日本の利用者",
    "👩‍👩‍👧 family",
    "مستخدم رقم ٧",
    "<b>bold</b>",
    'it\'s "quoted" \\ back',
    "é" * 100,
    "urn:user:42;v=1&b",
    "delete",
]


def get_page_path(tenant: Tenant, user_id: str) -> str:
    return reverse("console:user", args=[tenant.project_id, user_id])


def listed(client: Client, tenant: Tenant, query: str = "") -> list[str]:
    answer = client.get(f"/p/{tenant.project_id}/users/{query}")
    assert answer.status_code == 200
    return [
        html.unescape(name)
        for name in re.findall(r'<bdi\s+class="user-id">(.*?)</bdi>', answer.content.decode())
    ]


def make_cubes(tenant: Tenant, names: list[str]) -> None:
    project = tenant.project
    with tenant_scope(project):
        for name in names:
            MemCube.objects.create(
                account_id=project.account_id, project=project, owner_kind=OwnerKind.END_USER, owner_id=name
            )


def test_the_list_says_how_much_there_is_of_each(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    assert "No end user yet" in client.get(f"/p/{tenant.project_id}/users/").content.decode()
    api.add("kim", "I live in Lisbon. I have two cats.")
    api.add("lou", "I like green tea.", conversation_id="other")

    assert listed(client, tenant) == ["lou", "kim"]
    assert listed(client, tenant, "?sort=seen") == ["lou", "kim"]
    assert listed(client, tenant, "?sort=id") == ["kim", "lou"]
    assert listed(client, tenant, "?q=KI") == ["kim"]
    assert (
        "No end user has this in their ID"
        in client.get(f"/p/{tenant.project_id}/users/?q=zz").content.decode()
    )
    row = client.get(f"/p/{tenant.project_id}/users/?q=kim").content.decode()
    counts = re.findall(r'<td class="right num[^"]*" data-label="(.+?)">\s*(?:<a [^>]*>)?\s*(.+?)<', row)
    assert dict(counts)["Facts"] == "2"
    assert dict(counts)["Conversations"] == "1"


def test_anyone_who_speaks_again_comes_first(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I live in Lisbon.")
    api.add("lou", "I like tea.")
    api.add("kim", "I have a dog.")

    assert listed(client, tenant) == ["kim", "lou"]
    assert listed(client, tenant, "?sort=seen") == ["lou", "kim"]


def test_pages_hold_everybody_once(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"user {number:02}{' ' * (number % 2)}" for number in range(7)]
    make_cubes(tenant, names)
    monkeypatch.setattr("console.ui.lists.sorting.PAGE_SIZE", 3)
    client = sign_in_owner(tenant)

    for sort in ("", "seen", "id"):
        path, users = f"/p/{tenant.project_id}/users/?sort={sort}", list[str]()
        while path:
            page = client.get(path).content.decode()
            users += [html.unescape(name) for name in re.findall(r'<bdi\s+class="user-id">(.*?)</bdi>', page)]
            following = re.search(r'href="([^"]+)" rel="next"', page)
            path = html.unescape(following[1]) if following else ""

        assert sorted(users) == sorted(names), sort
        assert users == (sorted(names) if sort == "id" else names[::-1]), sort


def test_odd_ids_stand_in_the_list_and_have_a_page(tenant: Tenant) -> None:
    make_cubes(tenant, [*ODD_IDS, "somebody else"])
    client = sign_in_owner(tenant)

    assert set(listed(client, tenant)) == {*ODD_IDS, "somebody else"}
    for user_id in ODD_IDS:
        address = get_page_path(tenant, user_id)
        page = client.get(unquote(address) if "%" not in unquote(address) else address)
        assert page.status_code == 200, user_id
        assert html.escape(user_id) in page.content.decode()
        assert "somebody else" not in page.content.decode()
        assert (
            client.get(reverse("console:user_delete", args=[tenant.project_id, user_id])).status_code == 200
        )
        if user_id in {"a/b", "..", "."}:
            assert "/~" in address


def test_ids_that_nobody_has_are_not_found(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    for made_up in ("~%%%", "~gICA", "nobody", "~" + "A" * 400):
        assert client.get(f"/p/{tenant.project_id}/users/{made_up}/").status_code == 404, made_up


def test_the_page_of_one_summarises_and_leads_on(tenant: Tenant, api: Api) -> None:
    api.add("kim", MANY)
    template = api.data("add/profile_template", {"name": "Person", "metadata": {"City": {"value": ""}}})
    binding = {"user_id": "kim", "profile_template_id": template["profile_template_id"]}
    api.data("bind/profile_template", {"bind_list": [binding]})
    api.data("edit/profile", binding | {"metadata": {"City": {"value": "Lisbon"}}})
    client = sign_in_owner(tenant)

    page = html.unescape(client.get(get_page_path(tenant, "kim")).content.decode())

    assert "The user lives in Lisbon" in page
    assert "Profile “Person”" in page
    assert f"/p/{tenant.project_id}/memories/?subject=kim&owner=end_user&tab=preferences" in page
    assert "/get/memory" in page


def test_deletion_asks_for_the_id_and_leaves_nothing(tenant: Tenant, api: Api) -> None:
    user_id = "kim/+é@example.org"
    api.add(user_id, "I live in Lisbon. I like green tea.", allow_public=True)
    api.add("lou", "I live in Porto.")
    (fact,) = api.search(user_id, "Where do I live?")["memory_detail_list"]
    client = sign_in_owner(tenant)
    client.post(f"/p/{tenant.project_id}/memories/{fact['id']}/delete/", {"confirmed": "yes"})
    create_session(tenant.project, NewSession(user_id, False, None))
    path = reverse("console:user_delete", args=[tenant.project_id, user_id])

    refused = client.post(path, {"typed": "kim", "confirmed": "yes"})
    receipt = client.post(path, {"typed": f" {user_id} ", "sessions": "yes", "confirmed": "yes"})

    assert refused.status_code == 422
    assert "The ID does not match" in refused.content.decode()
    text = receipt.content.decode()
    assert receipt.status_code == 200
    assert re.search(r"0 of \d+ memories can still be recalled", text)
    assert user_id not in text
    with tenant_scope(tenant.project):
        assert not SpaceUser.objects.within(tenant.project).filter(identifier=user_id).exists()
        assert not MemCube.objects.within(tenant.project).filter(owner_id=user_id).exists()
        entry = AuditEvent.objects.within(tenant.project.account).get(action="end_user.deleted")
    assert user_id not in str(entry.detail)
    assert api.listed(user_id)["memory_detail_list"] == []
    assert api.facts("lou", "Where do I live?")
    assert client.get(get_page_path(tenant, user_id)).status_code == 404
    assert listed(client, tenant) == ["lou"]


def test_what_agents_keep_stays_where_that_is_chosen(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    create_session(tenant.project, NewSession("kim", False, None))
    path = reverse("console:user_delete", args=[tenant.project_id, "kim"])

    receipt = sign_in_owner(tenant).post(path, {"typed": "kim", "confirmed": "yes"})

    assert "What agents keep under the same ID was left" in receipt.content.decode()
    with tenant_scope(tenant.project):
        assert SpaceUser.objects.within(tenant.project).filter(identifier="kim").exists()
        with pytest.raises(EndUserUnknown):
            count_end_user_rows(tenant.project, "kim")


def test_the_console_deletes_what_the_api_deletes(tenant: Tenant, api: Api) -> None:
    for user_id in ("kim", "lou"):
        hold_facts(tenant, user_id, "The user lives in Lisbon.", "The user drinks tea.")
    erase_subject(tenant.project, Subject(OwnerKind.END_USER, "kim"))

    path = reverse("console:user_delete", args=[tenant.project_id, "lou"])
    sign_in_owner(tenant).post(path, {"typed": "lou", "confirmed": "yes"})

    assert api.listed("kim") == api.listed("lou")


def test_admins_and_owners_alone_delete(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")

    for role, status in ((Role.DEVELOPER, 403), (Role.VIEWER, 403), (Role.ADMIN, 200)):
        client = sign_in(add_member(tenant.project.account, role))
        page = client.get(get_page_path(tenant, "kim"))
        answer = client.post(
            reverse("console:user_delete", args=[tenant.project_id, "kim"]),
            {"typed": "kim", "confirmed": "yes"},
        )

        assert page.status_code == 200, role
        refusal = "Only owners and admins can delete end users"
        assert (refusal in html.unescape(page.content.decode())) == (status == 403), role
        assert answer.status_code == status, role
        assert bool(api.listed("kim")["memory_detail_list"]) == (status == 403), role


def test_another_project_does_not_see_them(tenant: Tenant, stranger: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")

    assert listed(sign_in_owner(stranger), stranger) == []
    assert sign_in_owner(stranger).get(get_page_path(stranger, "kim")).status_code == 404
    assert sign_in_owner(stranger).get(get_page_path(tenant, "kim")).status_code == 404


def test_the_pages_ask_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I have a dog.")
    paths = [f"/p/{tenant.project_id}/users/", get_page_path(tenant, "kim")]
    client.get(paths[0])
    few = [count_queries(client, path) for path in paths]

    api.add("kim", MANY)
    make_cubes(tenant, [f"user {number}" for number in range(60)])

    for path, before in zip(paths, few, strict=True):
        assert count_queries(client, path) <= min(before + 1, MOST), path


def count_queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200
    return len(asked)
