"""The playground: runs are requests of the API, shown with what each step of the search decided."""

from __future__ import annotations

import html
import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog, Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import look_until


def get_path(tenant: Tenant) -> str:
    return f"/p/{tenant.project_id}/playground/"


def asked(**changes: object) -> dict[str, object]:
    return {"user_id": "kim", "query": "Where do I live?", "include_preference": "on"} | changes


def shown(answer: object) -> str:
    return html.unescape(answer.content.decode())  # type: ignore[attr-defined]


def load_runs(tenant: Tenant) -> list[RequestLog]:
    with tenant_scope(tenant.project):
        return list(RequestLog.objects.within(tenant.project).filter(origin="console"))


def test_a_run_shows_what_was_returned_and_stopped_and_is_charged_and_logged_as_a_search_of_the_console(
    tenant: Tenant,
) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user has two cats.")

    answer = sign_in_owner(tenant).post(get_path(tenant), asked(relativity="0.9", memory_limit_number="3"))

    text = shown(answer)
    assert answer.status_code == 200
    assert "Lisbon" in text
    assert "Stopped at Relativity (" in text
    assert "< 0.90)" in text
    assert "Candidates scored" in text
    (row,) = look_until(lambda: load_runs(tenant), bool)
    assert (row.endpoint, row.code, row.charged, row.api_key_id) == ("search/memory", 0, 1, None)
    assert row.subjects == ["end_user:kim"]


def test_the_copied_body_gives_the_same_memories(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.", "The user works as a nurse.")

    text = shown(sign_in_owner(tenant).post(get_path(tenant), asked(relativity="0")))

    answer = api.search("kim", "Where do I live?", relativity=0)
    assert answer["memory_detail_list"]
    assert all(f"/memories/{memory['id']}/" in text for memory in answer["memory_detail_list"])


def test_an_address_fills_the_form_and_runs_nothing(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    text = shown(
        client.get(get_path(tenant), {"user_id": "kim", "query": "Who is Ana?", "relativity": "0.3"})
    )

    assert "Who is Ana?" in text
    assert 'value="0.3"' in text
    assert "Nothing has been run yet" in text
    assert load_runs(tenant) == []


def test_what_ran_is_the_address_of_the_page(tenant: Tenant) -> None:
    answer = sign_in_owner(tenant).post(get_path(tenant), asked(), headers={"HX-Request": "true"})

    assert answer["HX-Push-Url"] == (
        f"{get_path(tenant)}?user_id=kim&query=Where+do+I+live%3F&include_preference=on"
    )


WRONG_FILTERS = [
    ("{", "This is not JSON"),
    ('{"and": [{"x": NaN}]}', "This is not JSON: NaN"),
    ("[" * 3000, "This filter is nested too deeply"),
    ("[1]", "Filter must be an object"),
    ('{"and": [{"create_time": {"contains": "x"}}]}', "create_time is compared with gte, lte, gt or lt"),
    ('{"and": [{"mood": "\\ud800"}]}', "This is not JSON"),
    ('{"bases": {}}', "filter must be an object with `and` or `or`"),
]


def test_a_wrong_filter_is_named_beside_its_field(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    for filter_text, expected in WRONG_FILTERS:
        answer = client.post(get_path(tenant), asked(filter=filter_text))

        assert answer.status_code == 422, expected
        assert expected.lower() in shown(answer).lower()
    assert load_runs(tenant) == []


def test_viewers_see_the_page_and_cannot_run_it(tenant: Tenant) -> None:
    client = sign_in(add_member(tenant.project.account, Role.VIEWER))

    assert "Only owners, admins and developers can run searches here." in shown(client.get(get_path(tenant)))
    assert client.post(get_path(tenant), asked()).status_code == 403


def count_run_queries(client: Client, tenant: Tenant) -> int:
    """A few more where a cache of a second has expired meanwhile."""
    with CaptureQueriesContext(connection) as queries:
        client.post(get_path(tenant), asked(relativity="0"))
    return len(queries)


def test_a_run_asks_the_database_as_often_for_many_memories_as_for_few(tenant: Tenant, api: Api) -> None:
    client = sign_in_owner(tenant)
    api.add("kim", "I like green tea.")
    client.post(get_path(tenant), asked())
    counts = []
    for facts in (
        ("lives in Lisbon",),
        ("has a dog", "has two cats", "works as a nurse", "is called Kim"),
    ):
        hold_facts(tenant, "kim", *(f"The user {fact}." for fact in facts))
        counts.append(min(count_run_queries(client, tenant) for _ in range(3)))

    assert counts[1] <= counts[0] + 1
    assert max(counts) <= 60


def test_the_page_asks_the_database_less_than_twenty_six_times(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    client.get(get_path(tenant))
    with CaptureQueriesContext(connection) as queries:
        client.get(get_path(tenant))
    assert len(queries) <= 25


def test_two_settings_are_compared_by_rank(tenant: Tenant) -> None:
    facts = ("lives in Lisbon", "has two cats", "works as a nurse")
    hold_facts(tenant, "kim", *(f"The user {fact}." for fact in facts))

    sent = asked(relativity="0", compare="on", other_relativity="1", other_preference_limit_number="0")
    text = shown(sign_in_owner(tenant).post(get_path(tenant), sent))

    assert "Rank moves" in text
    assert "Second settings" in text
    assert len(look_until(lambda: load_runs(tenant), lambda rows: len(rows) > 1)) == 2


def test_a_chat_shows_its_answer_and_stores_nothing(tenant: Tenant, api: Api) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")

    text = shown(sign_in_owner(tenant).post(get_path(tenant), asked(mode="chat")))

    assert "Memories given to the answer" in text
    assert "No language model is set up" in text
    (row,) = look_until(lambda: load_runs(tenant), bool)
    assert (row.endpoint, row.code, row.charged) == ("chat", 0, 1)
    body = {"user_id": "kim", "conversation_id": "playground"}
    assert api.data("get/message", body)["message_detail_list"] == []


def test_in_a_browser_a_chat_is_streamed_and_a_search_is_run_in_fields_that_were_made_larger(
    signed_in: Page, tenant: Tenant
) -> None:
    """No rule of the browser is broken, and the address keeps what ran."""
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    signed_in.goto(get_path(tenant))
    signed_in.get_by_label("End user").fill("kim")
    signed_in.get_by_label("Question").fill("Where do I live?")
    pull_corner(signed_in, "Question")

    signed_in.get_by_role("button", name="Stream chat").click()

    expect(signed_in.locator("[data-words]")).to_contain_text("Lisbon")
    expect(signed_in.get_by_role("status").filter(has_text="Complete.")).to_be_visible()
    expect(signed_in.get_by_role("link", name="Open the request log")).to_have_attribute(
        "href", re.compile(r"/logs/[0-9a-f]{32}/")
    )
    (row,) = look_until(lambda: load_runs(tenant), bool)
    assert (row.endpoint, row.code, row.api_key_id) == ("chat", 0, None)

    signed_in.get_by_role("button", name="Run search").click()

    expect(signed_in.get_by_role("heading", name="Facts and knowledge")).to_be_visible()
    expect(signed_in).to_have_url(re.compile("user_id=kim&query=Where"))
    signed_in.reload()
    expect(signed_in.get_by_label("Question")).to_have_value("Where do I live?")
    expect(signed_in.get_by_text("Nothing has been run yet")).to_be_visible()


def pull_corner(page: Page, field: str) -> None:
    """Make a field of several lines higher; the browser keeps its size in an inline style."""
    box = page.get_by_label(field).bounding_box()
    assert box is not None
    corner = (box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
    page.mouse.move(*corner)
    page.mouse.down()
    page.mouse.move(corner[0], corner[1] + 60)
    page.mouse.up()
    expect(page.get_by_label(field)).to_have_attribute("style", re.compile("height"))


def test_a_stream_that_is_refused_says_why(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    empty = client.post(get_path(tenant) + "stream/", asked(query=""))

    assert (empty.status_code, "Question" in empty.json()["message"]) == (422, True)
    assert viewer.post(get_path(tenant) + "stream/", asked()).status_code == 403
