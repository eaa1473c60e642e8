"""What holds stays found, what was deleted stays gone, and nobody's words replace somebody else's."""

from __future__ import annotations

from tests.api_client import Api, Tenant, message


def said(text: str, when: str) -> dict[str, str]:
    return message("user", text, chat_time=when)


def ids(api: Api, user: str, word: str) -> list[str]:
    return [item["id"] for item in api.listed(user)["memory_detail_list"] if word in item["memory_value"]]


def test_deleting_a_wrong_memory_brings_back_what_it_had_replaced(api: Api) -> None:
    api.add("kim", said("I live in Paris.", "2025-01-10"), said("I moved to Berlin.", "2025-06-01"))

    api.data("delete/memory", {"memory_ids": ids(api, "kim", "Berlin")})

    found = api.facts("kim", "Where do I live now?")
    assert any("Paris" in text and "until" not in text for text in found)


def test_a_fast_memory_that_was_deleted_does_not_come_back_refined(api: Api, tenant: Tenant) -> None:
    from memories.models import MemCube
    from memories.reconcile import lock_cube
    from tenancy.scoping import tenant_scope

    api.add("kim", "I have two cats.")
    with tenant_scope(tenant.project):
        lock_cube(MemCube.objects.within(tenant.project).get(owner_id="kim").pk)  # holds the worker back
        task = api.add("kim", "I live in Paris.", async_mode=True)["task_id"]
        api.data("delete/memory", {"memory_ids": ids(api, "kim", "Paris")})

    assert api.wait_until_done(task) == "completed"
    assert ids(api, "kim", "Paris") == []


def test_what_one_says_in_public_replaces_nothing_that_another_said(api: Api) -> None:
    api.add("ana", "I live in Lisbon.", allow_public=True)
    api.add("bo", "I live in Oslo.", allow_public=True)

    found = " ".join(api.facts("lou", "Who lives where?", relativity=0))

    assert "Lisbon" in found
    assert "Oslo" in found


def test_an_old_statement_that_arrives_late_does_not_win_over_one_said_again_since(api: Api) -> None:
    api.add("kim", said("I live in Beijing.", "2025-01-10"))
    api.add("kim", said("I live in Beijing.", "2025-10-10"))

    api.add("kim", said("I live in Shanghai.", "2025-05-10"))

    found = api.facts("kim", "Where do I live now?")
    assert any("Beijing" in text for text in found)
    assert not any("Shanghai" in text for text in found)


def test_a_choice_is_understood_with_what_was_offered_in_an_earlier_request(api: Api) -> None:
    api.add(
        "kim",
        "I have booked a summer trip to Guangzhou. Which hotel chains are available?",
        message("assistant", "You can consider 7 Days Inn, Ji Hotel, Hilton, and others."),
    )

    api.add("kim", "I will choose 7 Days Inn.")

    assert any(
        "7 Days Inn" in text and "Hilton" in text for text in api.facts("kim", "Which hotel did I choose?")
    )
