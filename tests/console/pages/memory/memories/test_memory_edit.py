"""Members edit memories in the drawer, restore versions, and undo what they did."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import wait_until_still
from tests.support.tasks.many_memories import hold_facts

HTMX = {"HTTP_HX_REQUEST": "true"}


def the_memory(tenant: Tenant) -> Memory:
    with tenant_scope(tenant.project):
        memory: Memory = Memory.objects.within(MemCube.objects.within(tenant.project)).get()
        return memory


def list_all(tenant: Tenant) -> list[Memory]:
    with tenant_scope(tenant.project):
        return list(Memory.objects.within(MemCube.objects.within(tenant.project)))


def get_path(tenant: Tenant, memory: Memory, rest: str) -> str:
    return f"/p/{tenant.project_id}/memories/{memory.pk}/{rest}"


def build_form(memory: Memory, **changes: Any) -> dict[str, Any]:
    sent = {
        "text": memory.text,
        "title": memory.title,
        "tags": "\n".join(memory.tags),
        "info": json.dumps(memory.info) if memory.info else "",
        "seen": memory.version,
    }
    return sent | changes


def edit(client: Client, tenant: Tenant, memory: Memory, **changes: Any) -> Any:
    return client.post(get_path(tenant, memory, "edit/"), build_form(memory, **changes), **HTMX)


@pytest.mark.parametrize(
    ("sentence", "text", "question"),
    [
        ("I live in Lisbon.", "The user lives in Porto.", "Where does the user live?"),
        ("我住在北京。", "用户住在上海。", "我住在哪里？"),
    ],
    ids=["english", "chinese"],
)
def test_an_edited_value_is_what_search_returns_next(
    tenant: Tenant, api: Api, sentence: str, text: str, question: str
) -> None:
    api.add("kim", sentence)
    before = the_memory(tenant)

    answer = edit(
        sign_in_owner(tenant), tenant, before, text=text, tags="home\nhome\ncity", info='{"floor": 3}'
    )

    after = the_memory(tenant)
    assert answer.status_code == 200
    assert json.loads(answer["HX-Trigger"])["toast"]["text"] == "Saved as version 2."
    assert (after.text, after.tags, after.info, after.version) == (text, ["home", "city"], {"floor": 3}, 2)
    assert api.facts("kim", question)[0] == text


def test_tags_and_info_can_be_emptied_and_nothing_changed_is_no_version(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.", tags=["home"], info={"floor": 3})
    client, memory = sign_in_owner(tenant), the_memory(tenant)

    same = edit(client, tenant, memory)
    edit(client, tenant, memory, tags=" \n", info="", reason="Kim asked for it")

    after = the_memory(tenant)
    assert json.loads(same["HX-Trigger"])["toast"]["text"] == "Nothing changed."
    assert (after.tags, after.info, after.version) == ([], {}, 2)
    history = client.get(get_path(tenant, memory, "?view=history"), **HTMX).content.decode()
    assert "Kim asked for it" in history
    assert tenant.email in history


def test_a_stale_edit_shows_both_versions_and_can_be_saved_again(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    client, seen = sign_in_owner(tenant), the_memory(tenant)
    api.data("update/memory", {"memory_id": str(seen.pk), "content": "The user lives in Porto."})

    answer = edit(client, tenant, seen, text="The user lives in Faro.")

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "The user lives in Porto." in page
    assert "<del> Porto</del><ins> Faro</ins>" in page
    assert 'name="seen" value="2"' in page
    assert the_memory(tenant).text == "The user lives in Porto."
    again = edit(client, tenant, seen, text="The user lives in Faro.", seen=2)
    assert (again.status_code, the_memory(tenant).text) == (200, "The user lives in Faro.")


def test_a_text_typed_for_a_memory_that_was_deleted_meanwhile_is_kept(tenant: Tenant, api: Api) -> None:
    """In another tab, into the trash; and by a program, permanently."""
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")
    client, (trashed, deleted) = sign_in_owner(tenant), list_all(tenant)
    client.post(get_path(tenant, trashed, "delete/"), **HTMX)
    api.data("delete/memory", {"memory_ids": [str(deleted.pk)]})

    in_trash = edit(client, tenant, trashed, text="Kept <words>.")
    for_good = edit(client, tenant, deleted, text="Other words.")

    page = in_trash.content.decode()
    assert (in_trash.status_code, for_good.status_code) == (409, 409)
    assert "This memory is no longer there." in page
    assert "Nothing was saved" in page
    assert "Kept &lt;words&gt;." in page
    assert "Open the trash" in page
    assert "Open the trash" not in for_good.content.decode()
    assert "memory-changed" in for_good["HX-Trigger"]


def test_an_action_on_a_memory_that_was_deleted_meanwhile_says_so(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    client, memory = sign_in_owner(tenant), the_memory(tenant)
    client.post(get_path(tenant, memory, "delete/"), **HTMX)

    for act in ("status/freeze/", "status/archive/", "delete/", "versions/1/restore/"):
        answer = client.post(get_path(tenant, memory, act), **HTMX)

        events = json.loads(answer["HX-Trigger"])
        assert events["toast"]["text"] == "This memory is no longer there.", act
        assert {"memory-changed", "memory-moved", "dialog-done"} <= events.keys(), act
    drawer = client.get(get_path(tenant, memory, "?view=content"), **HTMX).content.decode()
    assert "Open the trash" in drawer


def test_tags_that_came_from_the_old_text_follow_the_new_one(tenant: Tenant, api: Api) -> None:
    """What an app or a member added stays, and so does what was changed together with the text."""
    api.add("kim", "I live in Lisbon.", tags=["home", "vip"])
    client, memory = sign_in_owner(tenant), the_memory(tenant)
    client.post(get_path(tenant, memory, "edit/"), build_form(memory, tags="\n".join([*memory.tags, "mine"])))
    tagged = the_memory(tenant)

    edit(client, tenant, tagged, text="The user lives in Porto.")
    followed = the_memory(tenant)
    edit(client, tenant, followed, text="The user lives in Faro.", tags="only")

    assert "Lisbon" in tagged.tags
    assert set(followed.tags) == {*tagged.tags, "Porto"} - {"Lisbon"}
    assert the_memory(tenant).tags == ["only"]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"text": "  "}, "This field is required."),
    ({"text": "x" * 20_001}, "at most 20000 characters"),
    ({"title": "x" * 501}, "at most 500 characters"),
    ({"tags": "x" * 101}, "at most 100 characters"),
    ({"tags": "\n".join(str(n) for n in range(101))}, "At most 100 tags"),
    ({"info": "[1]"}, "This must be a JSON object"),
    ({"info": "{"}, "This is not valid JSON"),
    ({"info": '{"a": NaN}'}, "NaN is not a JSON number"),
    ({"info": '{"a": "\\u0000"}'}, "holds a NUL"),
    ({"info": '{"a": "\\ud800"}'}, "lone surrogate"),
    ({"info": json.dumps({"a": "x" * 16_000})}, "At most 16000 characters"),
    ({"text": "a\0b"}, "Null characters are not allowed"),
]


def test_what_makes_no_memory_is_refused_beside_its_field(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    client, memory = sign_in_owner(tenant), the_memory(tenant)

    for changes, expected in REFUSED:
        answer = edit(client, tenant, memory, **changes)

        assert answer.status_code == 422, expected
        assert expected in answer.content.decode()
    assert the_memory(tenant).version == 1


def test_frozen_and_doubled_ones_are_refused_with_the_reason(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    memory, client = the_memory(tenant), sign_in_owner(tenant)
    client.post(get_path(tenant, memory, "status/freeze/"), **HTMX)
    memory = the_memory(tenant)

    frozen = edit(client, tenant, memory, text="The user lives in Porto.")
    page = client.get(get_path(tenant, memory, "?view=edit"), **HTMX).content.decode()

    assert frozen.status_code == 422
    assert "<textarea" not in page
    assert "Unfreeze the memory to edit it." in page
    assert the_memory(tenant).text == "The user lives in Lisbon."


def test_a_version_is_restored_and_the_restoring_undone(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    memory, client = the_memory(tenant), sign_in_owner(tenant)
    edit(client, tenant, memory, text="The user lives in Porto.")

    stale = client.post(get_path(tenant, memory, "versions/1/restore/"), {"seen": "1"}, **HTMX)
    answer = client.post(get_path(tenant, memory, "versions/1/restore/"), {"seen": "2"}, **HTMX)

    restored = the_memory(tenant)
    assert json.loads(stale["HX-Trigger"])["toast"]["kind"] == "bad"
    assert (restored.text, restored.version) == ("The user lives in Lisbon.", 3)
    assert any("Lisbon" in fact for fact in api.facts("kim", "Where do I live?"))
    client.post(json.loads(answer["HX-Trigger"])["toast"]["undo"], **HTMX)
    assert the_memory(tenant).text == "The user lives in Porto."
    assert client.post(get_path(tenant, memory, "versions/99/restore/"), **HTMX).status_code == 404


def test_a_version_is_restored_with_its_tags_and_info(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.", tags=["home"], info={"floor": 3})
    memory, client = the_memory(tenant), sign_in_owner(tenant)
    edit(client, tenant, memory, tags="office", info='{"floor": 5}')

    history = client.get(get_path(tenant, memory, "?view=history"), **HTMX).content.decode()
    client.post(get_path(tenant, memory, "versions/1/restore/"), {"seen": "2"}, **HTMX)

    restored = the_memory(tenant)
    assert (restored.tags, restored.info, restored.version) == (memory.tags, {"floor": 3}, 3)
    assert '<del class="badge badge-plain">home</del>' in history
    assert '<ins class="badge badge-plain">office</ins>' in history
    assert "Restore version 1" in history


def test_a_version_from_before_tags_were_kept_restores_its_words_alone(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.", tags=["home"])
    memory, client = the_memory(tenant), sign_in_owner(tenant)
    edit(client, tenant, memory, text="The user lives in Porto.", tags="office")
    with tenant_scope(tenant.project):
        memory.versions.update(tags=None, info=None)

    client.post(get_path(tenant, memory, "versions/1/restore/"), {"seen": "2"}, **HTMX)

    restored = the_memory(tenant)
    assert (restored.text, restored.tags) == ("The user lives in Lisbon.", ["office"])


def test_each_move_is_done_at_once_and_undone_from_its_toast(tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    memory, client = the_memory(tenant), sign_in_owner(tenant)

    for move, there in (("freeze", "frozen"), ("archive", "archived")):
        answer = client.post(get_path(tenant, memory, f"status/{move}/"), **HTMX)
        assert the_memory(tenant).status == there
        client.post(json.loads(answer["HX-Trigger"])["toast"]["undo"], **HTMX)
        assert the_memory(tenant).status == "activated"


def test_viewers_and_strangers_edit_nothing(tenant: Tenant, stranger: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    memory = the_memory(tenant)
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    for client, status in ((viewer, 403), (sign_in_owner(stranger), 404)):
        assert client.get(get_path(tenant, memory, "edit/")).status_code == status
        assert edit(client, tenant, memory, text="No.").status_code == status
        assert client.post(get_path(tenant, memory, "versions/1/restore/")).status_code == status
    assert "<textarea" not in viewer.get(get_path(tenant, memory, "?view=edit"), **HTMX).content.decode()
    assert the_memory(tenant).version == 1


def test_in_the_browser_a_memory_is_edited_in_its_drawer(signed_in: Page, tenant: Tenant) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/?subject=kim")
    signed_in.locator("tbody").get_by_role("link").first.click()
    drawer = signed_in.locator("#drawer .drawer")

    drawer.get_by_role("link", name="Edit").click()
    expect(signed_in).to_have_url(re.compile(r"subject=kim&open=[0-9a-f-]+&view=edit$"))
    save = drawer.get_by_role("button", name="Save as a new version")
    expect(save).to_be_disabled()
    drawer.get_by_label("Value").fill("The user lives in Porto.")
    save.click()

    expect(drawer.locator(".statement")).to_have_text("The user lives in Porto.")
    expect(signed_in.get_by_role("table")).to_contain_text("Porto")
    toast = signed_in.locator(".toast")
    expect(toast).to_contain_text("Saved as version 2.")
    wait_until_still(signed_in)
    foot, place = drawer.locator(".drawer-foot").bounding_box(), toast.bounding_box()
    assert foot is not None
    assert place is not None
    assert place["x"] + place["width"] <= foot["x"] or place["y"] + place["height"] <= foot["y"]
    drawer.get_by_role("link", name=re.compile("^History")).click()
    drawer.get_by_role("button", name="Restore version 1").click()
    expect(signed_in.get_by_role("table")).to_contain_text("Lisbon")
    signed_in.locator(".toast").filter(has_text="restored as version 3").get_by_role(
        "button", name="Undo"
    ).click()
    expect(signed_in.get_by_role("table")).to_contain_text("Porto")
