"""What older clients of mem0 send, the Python lines 0.1 and 1.0, and what integrations add to every call."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from tests.support.clients.mem0_client import Mem0

V11 = {"output_format": "v1.1"}


def test_an_old_client_adds_and_is_answered_in_rows(mem0: Mem0, user: str) -> None:
    body = {
        "messages": "I live in Porto.",
        "user_id": user,
        "version": "v2",
        "org_id": "o",
        "project_id": "p",
    }

    queued = mem0.ok("POST", "/v1/memories/", body | V11)
    bare = mem0.ok("POST", "/v1/memories/", body)
    done = mem0.ok("POST", "/v1/memories/", body | V11 | {"infer": False})

    (row,) = queued["results"]
    assert row["status"] == "PENDING"
    assert mem0.wait_for_event(row["event_id"])["status"] == "SUCCEEDED"
    assert isinstance(bare, list)
    assert done["results"][0].items() >= {"memory": "I live in Porto.", "event": "ADD"}.items()
    assert done["results"][0]["data"] == {"memory": "I live in Porto."}


def test_an_old_client_lists_by_query(mem0: Mem0, user: str) -> None:
    for number in range(3):
        mem0.store(f"Item {number}.", user, metadata={"number": number})

    def listed(**query: Any) -> Any:
        return mem0.ok("GET", "/v1/memories/", params={"user_id": user, **query})

    assert [row["memory"] for row in listed()] == ["Item 2.", "Item 1.", "Item 0."]
    assert [row["memory"] for row in listed(limit=1)] == ["Item 2."]
    assert [row["memory"] for row in listed(metadata='{"number": 1}')] == ["Item 1."]
    assert [row["memory"] for row in listed(keywords="item 0")] == ["Item 0."]
    page = listed(page=2, page_size=2)
    assert (page["count"], [row["memory"] for row in page["results"]]) == (3, ["Item 0."])
    assert mem0.refusal("GET", "/v1/memories/")[0] == 400


@pytest.mark.parametrize("filters", [{"user_id": "{user}"}, {"AND": [{"user_id": "{user}"}]}])
def test_a_client_in_between_lists_and_searches_by_filters(
    mem0: Mem0, user: str, filters: dict[str, Any]
) -> None:
    mem0.store("I bake bread.", user)
    wanted = eval(repr(filters).replace("{user}", user))  # noqa: S307  # the test's own literal

    assert [row["memory"] for row in mem0.ok("POST", "/v2/memories/", {"filters": wanted})] == [
        "I bake bread."
    ]
    page = mem0.ok("POST", "/v2/memories/?page=1&page_size=10", {"filters": wanted})
    assert page["count"] == 1
    body = {"query": "What do I bake?", "filters": wanted}
    assert mem0.ok("POST", "/v2/memories/search/", body)[0]["memory"] == "I bake bread."
    assert mem0.ok("POST", "/v2/memories/search/", body | V11)["results"][0]["memory"] == "I bake bread."


def test_an_old_client_searches_with_ids_at_the_top(mem0: Mem0, user: str) -> None:
    mem0.store("I bake bread.", user, agent_id="cook")
    body = {"query": "What do I bake?", "user_id": user, "agent_id": "cook", "limit": 3}

    assert mem0.ok("POST", "/v1/memories/search/", body | V11)["results"][0]["agent_id"] == "cook"
    assert mem0.ok("POST", "/v1/memories/search/", body | {"agent_id": "else"}) == []


def test_an_automation_node_names_itself_in_every_call(mem0: Mem0, user: str) -> None:
    source = {"source": "N8N"}
    body = {"messages": "I live in Porto.", "user_id": user, "enable_graph": False, **V11, **source}

    added = mem0.ok("POST", "/v3/memories/add/", body, params=source)
    event = mem0.wait_for_event(added["event_id"])
    hits = mem0.search("Where do I live?", {"OR": [{"user_id": user}, {"agent_id": "none"}]}, top_k=50, **V11)
    listed = mem0.ok("POST", "/v3/memories/?page=1&page_size=200", {"filters": {"user_id": user}, **source})
    deleted = mem0.ok("DELETE", f"/v1/memories/{hits[0]['id']}/", params=source)

    assert event["results"][0]["data"]["memory"]
    assert listed["next"] is None
    assert deleted["message"]
    assert mem0.ok("DELETE", "/v1/memories/", params={"user_id": user, **source})["event_id"]


PNG = b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        + "1f15c4890000000d49444154789c6360f8cf500f0003860180"
        "5a347d6b0000000049454e44ae426082"
    )
).decode()
NOTES = b64encode(b"The mixer is in the blue cupboard of the kitchen.").decode()


@pytest.mark.parametrize(
    "content",
    [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        [
            {"type": "text", "text": "Look."},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        ],
        {"type": "mdx_url", "mdx_url": {"url": f"data:text/markdown;base64,{NOTES}"}},
        {"type": "txt_url", "txt_url": {"url": f"data:text/plain;base64,{NOTES}"}},
    ],
)
def test_a_message_may_be_a_picture_or_a_file(mem0: Mem0, user: str, content: Any) -> None:
    body = {"messages": [{"role": "user", "content": content}], "user_id": user}

    event = mem0.wait_for_event(mem0.ok("POST", "/v3/memories/add/", body)["event_id"])

    assert event["status"] == "SUCCEEDED", event
    assert mem0.refusal("POST", "/v3/memories/add/", body | {"infer": False})[0] == 400


def test_the_wishes_of_a_call_hold_for_what_its_file_says(mem0: Mem0, user: str) -> None:
    body = {
        "messages": {
            "role": "user",
            "content": {"type": "txt_url", "txt_url": {"url": f"data:text/plain;base64,{NOTES}"}},
        },
        "user_id": user,
        "immutable": True,
        "expiration_date": "2999-01-01",
        "timestamp": 1_700_000_000,
    }
    event = mem0.wait_for_event(mem0.ok("POST", "/v3/memories/add/", body)["event_id"])

    assert event["status"] == "SUCCEEDED"
    rows = mem0.ok("POST", "/v3/memories/", {"filters": {"user_id": user}})["results"]
    (row,) = [row for row in rows if "cupboard" in row["memory"]]
    assert row["immutable"] is True
    assert row["expiration_date"] == "2999-01-01"
    assert row["created_at"] == "2023-11-14T22:13:20+00:00"


@pytest.mark.parametrize("url", [None, 5, "", "ftp://example.org/a.pdf"])
def test_a_file_that_cannot_be_had_is_refused(mem0: Mem0, user: str, url: Any) -> None:
    content = {"type": "pdf_url", "pdf_url": {"url": url}}
    body = {"messages": [{"role": "user", "content": content}], "user_id": user}

    assert mem0.refusal("POST", "/v3/memories/add/", body)[0] == 400


def test_the_event_of_a_file_that_may_not_be_fetched_fails_and_says_why(mem0: Mem0, user: str) -> None:
    content = {"type": "pdf_url", "pdf_url": {"url": "http://127.0.0.1/a.pdf"}}
    body = {"messages": [{"role": "user", "content": content}], "user_id": user}

    event = mem0.wait_for_event(mem0.ok("POST", "/v3/memories/add/", body)["event_id"])

    assert (event["status"], bool(event["error"])) == ("FAILED", True)
