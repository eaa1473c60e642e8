"""Conversations of a project: the list, the messages of one beside their memories, and removing these memories."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import Page, expect

from console.embedded.stack import Stack
from memories.models import Conversation, MemCube, Memory, Message, Task
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant, message
from tests.support.console.browser import sign_in as sign_in_browser
from tests.support.console.browser import wait_until_still
from tests.support.tasks.bulk import list_jobs, wait_for_job
from tests.support.tasks.request_log import logged_row
from tests.support.tenants import make_tenant

MOST = 25
CALL = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": '{"order": 17}'}}


SENT = [
    message("user", "I live in Lisbon. Where is my order 17?", role_name="Kim"),
    message("assistant", None, tool_calls=[CALL]),
    message("tool", '{"state": "lost"}', tool_call_id="c1"),
    message("assistant", "<b>Sorry</b>, it is lost."),
    *(message("user", f"And {number}?") for number in range(60)),
    message("user", "I work as a nurse."),
]


@pytest.fixture(scope="module")
def talked(stack: Stack) -> Tenant:
    """A project of one conversation of two pages, at which each test only looks."""
    tenant = make_tenant(stack)
    with tenant.api() as api:
        api.add("kim", *SENT)
    return tenant


def place(tenant: Tenant, rest: str = "") -> str:
    return f"/p/{tenant.project_id}/conversations/{rest}"


def listed(client: Client, tenant: Tenant, query: str = "") -> list[str]:
    answer = client.get(place(tenant, query))
    assert answer.status_code == 200
    names = re.findall(r'row-link"[^>]*>\s*<bdi\s+class="user-id">(.*?)</bdi>', answer.content.decode())
    return [html.unescape(name) for name in names]


def opened(tenant: Tenant, external_id: str) -> str:
    with tenant_scope(tenant.project):
        return place(
            tenant, f"{Conversation.objects.within(tenant.project).get(external_id=external_id).pk}/"
        )


def load_text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def count_queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200
    return len(asked)


def change(tenant: Tenant, external_id: str, **fields: Any) -> None:
    with tenant_scope(tenant.project):
        Message.objects.within(tenant.project).filter(conversation__external_id=external_id).update(**fields)


def test_the_list_is_filtered_and_says_how_much_came_of_each(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    assert "No conversation yet" in load_text(client, place(tenant))
    api.add("kim", "I live in Lisbon. I have two cats.", conversation_id="first/α", agent_id="travel & co")
    api.add("lou", "I like tea.", conversation_id="second", app_id="web")
    api.add("kim", "I work as a nurse.", conversation_id="first/α", agent_id="clinic")

    assert listed(client, tenant) == ["first/α", "second"]
    assert listed(client, tenant, "?q=ST/") == ["first/α"]
    assert listed(client, tenant, "?user=lou") == ["second"]
    assert listed(client, tenant, "?user=ki") == []
    assert listed(client, tenant, "?agent=travel+%26+co") == ["first/α"]
    assert listed(client, tenant, "?app=web&range=1h") == ["second"]
    assert "No conversation matches these filters" in load_text(client, place(tenant, "?app=none"))
    row = load_text(client, place(tenant, "?user=kim"))
    cells = re.findall(r'<td class="right num" data-label="(.+?)">(.+?)</td>', row, re.S)
    counts = {name: re.sub("<[^>]+>", "", cell).strip() for name, cell in cells}
    assert counts == {"Messages": "2", "Memories": "3"}
    assert "?agent=travel%20%26%20co" in row
    assert f"/p/{tenant.project_id}/users/kim/" in row


def test_pages_of_the_list_hold_each_once(tenant: Tenant, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("console.ui.lists.paging.PAGE_SIZE", 1)
    for number in range(3):
        api.add("kim", "Hello.", conversation_id=f"talk {number}")
    client = sign_in_owner(tenant)
    path, names = place(tenant), []

    while path:
        page = client.get(path).content.decode()
        names += re.findall(r'row-link"[^>]*>\s*<bdi\s+class="user-id">(.*?)</bdi>', page)
        following = re.search(r'href="([^"]+)" rel="next"', page)
        path = html.unescape(following[1]) if following else ""

    assert names == [f"talk {number}" for number in (2, 1, 0)]


def test_a_transcript_shows_tools_folded_and_memories_beside_their_message(talked: Tenant) -> None:
    raw = sign_in_owner(talked).get(opened(talked, "talk")).content.decode()
    turns = re.findall(r'<li class="exchange".*?</article>.*?(?=<li class="exchange"|</ol>)', raw, re.S)

    assert len(turns) == 50
    assert "I live in Lisbon" in turns[0].partition("</article>")[2]
    assert ">Kim</bdi>" in turns[0]
    assert "get_order" in turns[1]
    assert '<details class="utterance-more">' in turns[1]
    assert "&quot;order&quot;: 17" in turns[1]
    assert "lost" in turns[2]
    assert '<details class="utterance-more">' in turns[2]
    assert "&lt;b&gt;Sorry&lt;/b&gt;" in turns[3]


def test_a_memory_leads_to_its_message_and_back(talked: Tenant) -> None:
    with tenant_scope(talked.project):
        memory = Memory.objects.within(MemCube.objects.within(talked.project)).get(text__contains="nurse")
        message = Message.objects.within(talked.project).get(text__contains="nurse")
    client = sign_in_owner(talked)
    address = f"{opened(talked, 'talk')}?from={message.position}#message-{message.pk}"

    sources = client.get(
        f"/p/{talked.project_id}/memories/{memory.pk}/?view=sources", headers={"HX-Request": "true"}
    )

    assert address in html.unescape(sources.content.decode())
    drawer = load_text(client, f"/p/{talked.project_id}/memories/?open={memory.pk}")
    assert f"/p/{talked.project_id}/users/kim/" in drawer
    assert address.partition("#")[0] in drawer
    page = load_text(client, address.partition("#")[0])
    assert f'id="message-{message.pk}"' in page
    assert f"/memories/{memory.pk}/?view=sources" in page
    assert "Messages 51 to 65 of 65" in page
    assert "Earlier messages" in page
    assert "Later messages" not in page
    assert "Messages 1 to 50 of 65" in load_text(client, opened(talked, "talk"))
    for beyond in ("?from=4000", "?from=x", "?from=-1", f"?from={'9' * 40}"):
        assert client.get(opened(talked, "talk") + beyond).status_code == 200


def test_messages_past_their_retention_say_so(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    change(tenant, "talk", text="", content=None, extra={}, cleared_at=timezone.now())

    page = load_text(sign_in_owner(tenant), opened(tenant, "talk"))

    assert "Past its retention: the text was deleted" in page
    assert "The user lives in Lisbon" in page  # the memory that came of it stays


def test_its_memories_go_after_their_number_was_typed_and_others_stay(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon. I have two cats.", conversation_id="doomed")
    api.add("kim", "I work as a nurse.", conversation_id="kept")
    client = sign_in_owner(tenant)
    path = opened(tenant, "doomed") + "memories/delete/"

    asked = load_text(client, path)
    cutoff = re.search(r'name="cutoff" value="([^"]+)"', asked)
    api.add("kim", "I like green tea.", conversation_id="doomed")
    refused = client.post(path, {"typed": "3", "cutoff": cutoff[1] if cutoff else ""})
    done = client.post(path, {"typed": "2", "cutoff": cutoff[1] if cutoff else ""}, follow=True)

    assert "Delete 2 memories" in asked
    assert refused.status_code == 422
    assert "Job started: Delete 2 memories." in done.content.decode()
    wait_for_job(tenant, list_jobs(tenant)[0].pk)
    held = api.listed("kim")
    assert [memory["memory_value"] for memory in held["memory_detail_list"]] == ["The user works as a nurse."]
    assert len(held["preference_detail_list"]) == 1
    page = load_text(client, opened(tenant, "doomed"))
    assert "I live in Lisbon. I have two cats." in page
    assert (
        "so it is not extracted again" in page or "cats" not in page.partition("Memories of this message")[2]
    )


def test_a_message_says_only_of_a_deleted_memory_that_it_was_deleted(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon. I have two cats.")
    client, path = sign_in_owner(tenant), opened(tenant, "talk")
    (cats,) = [
        memory for memory in api.listed("kim")["memory_detail_list"] if "cats" in memory["memory_value"]
    ]

    api.data("delete/memory", {"memory_ids": [cats["id"]]})
    one_left = load_text(client, path)
    api.data(
        "delete/memory", {"memory_ids": [memory["id"] for memory in api.listed("kim")["memory_detail_list"]]}
    )
    none_left = load_text(client, path)

    assert "The user lives in Lisbon." in one_left
    assert "Another memory from it was deleted" in one_left
    assert "The user lives in Lisbon." not in none_left
    assert "A memory from it was deleted" in none_left


def test_it_is_downloaded_in_both_shapes(page: Page, talked: Tenant) -> None:
    sign_in_browser(page, talked)
    path = opened(talked, "talk") + "download/"

    openai, plain = (page.request.get(f"{path}?format={form}").json() for form in ("openai", "json"))

    assert openai[:3] == [{"role": "user", "content": SENT[0]["content"]}, *SENT[1:3]]
    assert [entry["content"] for entry in plain[-2:]] == ["And 59?", "I work as a nurse."]
    assert plain[0]["role_name"] == "Kim"
    assert len(openai) == len(plain) == 65
    assert page.request.get(f"{path}?format=xml").status == 404


def test_from_there_its_memories_are_extracted_again(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    client = sign_in_owner(tenant)

    (address,) = re.findall(r'href="([^"]+/reextract/)"', load_text(client, opened(tenant, "talk")))
    assert "Re-extract the memories of this conversation?" in load_text(client, address)
    client.post(address)

    with tenant_scope(tenant.project):
        (task,) = Task.objects.within(tenant.project).filter(kind="reextract")
    assert task.payload["conversation"] in address
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))
    assert viewer.post(address).status_code == 403


def test_viewers_read_and_delete_nothing(talked: Tenant) -> None:
    client, path = sign_in(add_member(talked.project.account, Role.VIEWER)), opened(talked, "talk")

    assert "I live in Lisbon." in load_text(client, path)
    assert "Only owners, admins and developers can delete memories." in load_text(client, path)
    assert client.post(f"{path}memories/delete/", {"typed": "2"}).status_code == 403


def test_more_than_developers_may_delete_at_once_is_left_to_admins(
    tenant: Tenant, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.pages.memory.conversations.removal.MANY", 1)
    api.add("kim", "I live in Lisbon. I have two cats.")
    path = opened(tenant, "talk") + "memories/delete/"
    account = tenant.project.account

    developer, admin = (sign_in(add_member(account, role)) for role in (Role.DEVELOPER, Role.ADMIN))

    assert developer.post(path, {"typed": "2"}).status_code == 403
    assert admin.post(path, {"typed": "2"}).status_code == 302
    wait_for_job(tenant, list_jobs(tenant)[0].pk)
    assert api.listed("kim")["memory_detail_list"] == []


def test_an_agent_that_speaks_for_itself_has_conversations_too(tenant: Tenant, api: Api) -> None:
    body = {"agent_id": "planner", "conversation_id": "plan", "async_mode": False}
    api.data("add/message", body | {"messages": [message("user", "The launch is on 5 March.")]})
    client = sign_in_owner(tenant)

    assert listed(client, tenant, "?agent=planner") == ["plan"]
    page = load_text(client, opened(tenant, "plan"))
    assert "planner" in page
    assert "/users/planner/" not in page


def test_another_project_does_not_see_them(talked: Tenant, stranger: Tenant) -> None:
    client, path = sign_in_owner(stranger), opened(talked, "talk")

    assert listed(client, stranger) == []
    assert client.get(path).status_code == 404
    assert client.get(path.replace(talked.project_id, stranger.project_id)).status_code == 404


def test_the_pages_ask_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I have a dog.")
    paths = [place(tenant), place(tenant, "?user=kim&agent=a&app=b"), opened(tenant, "talk")]
    client.get(paths[0])
    few = [count_queries(client, path) for path in paths]

    for number in range(3):
        api.add(f"user {number}", "I live in Lisbon. I like tea.", conversation_id=f"t{number}", agent_id="a")
    api.add("kim", *(f"I have {number} cats. I like jazz {number}." for number in range(4)), app_id="b")

    for path, before in zip(paths, few, strict=True):
        assert count_queries(client, path) <= min(before + 1, MOST), path


def test_in_a_browser_a_memory_is_marked_beside_all_its_messages(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.", "By the way, I live in Lisbon.")
    signed_in.goto(opened(tenant, "talk"))
    beside = signed_in.get_by_role("list", name="Memories of this message").get_by_role("link")
    expect(beside).to_have_count(2)

    beside.first.focus()

    expect(signed_in.locator("[data-marked]")).to_have_count(2)
    signed_in.set_viewport_size({"width": 390, "height": 860})
    turn = signed_in.locator(".exchange").first
    wait_until_still(signed_in)
    article, made = turn.locator("article").bounding_box(), turn.locator(".made").bounding_box()
    assert article
    assert made
    assert made["y"] >= article["y"] + article["height"]


def test_in_a_browser_new_turns_come_and_what_is_unfolded_stays_so(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "Where is it?", message("assistant", None, tool_calls=[CALL]))
    signed_in.goto(opened(tenant, "talk"))
    expect(signed_in.get_by_text("Live", exact=True)).to_be_visible()
    signed_in.locator("summary").click()

    api.add("kim", "I live in Lisbon.")

    expect(signed_in.locator(".exchange")).to_have_count(3)
    expect(signed_in.get_by_text("The user lives in Lisbon.")).to_be_visible()
    expect(signed_in.get_by_text('"order": 17')).to_be_visible()


def test_in_a_browser_a_memory_is_corrected_by_words_about_its_conversation(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.", conversation_id="moving")
    signed_in.goto(opened(tenant, "moving"))

    signed_in.get_by_role("link", name="Send feedback…").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_role("button", name="Send feedback").click()
    dialog.get_by_label("What is wrong, and what is right").fill("I live in Porto, not in Lisbon.")
    dialog.get_by_role("button", name="Send feedback").click()

    signed_in.wait_for_url("**/tasks/*/")
    expect(signed_in.get_by_text("Feedback sent. This page shows what came of it.")).to_be_visible()
    api.wait_until_done(signed_in.url.rstrip("/").rpartition("/")[2])
    (fact,) = api.listed("kim")["memory_detail_list"]
    assert "Porto" in fact["memory_value"]
    row = logged_row(tenant.project, "add/feedback")
    assert (row.origin, row.subjects, row.charged) == ("console", ["end_user:kim"], 1)


def test_no_feedback_is_sent_about_words_of_apps_and_by_viewers(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.", conversation_id="moving")
    path = f"{opened(tenant, 'moving')}feedback/"
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))
    assert viewer.post(path, {"words": "I live in Porto."}).status_code == 403
    with tenant_scope(tenant.project):
        MemCube.objects.within(tenant.project).filter(owner_id="kim").update(owner_kind="app")

    owner = sign_in_owner(tenant)

    assert owner.post(path, {"words": "I live in Porto."}).status_code == 404
    assert "Send feedback" not in load_text(owner, opened(tenant, "moving"))
