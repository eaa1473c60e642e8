"""What feedback puts right: the next search finds the correction, and the history keeps what was corrected."""

from __future__ import annotations

import pytest

from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant, message
from tests.support.tasks.feedback import current, give

# What one person says, and how it is put right; nothing in it could be meant by two of the corrections.
TALKS = {
    "in English": [
        ("The limit of software is 800 CNY.", "The limit of software is 600 CNY, not 800.", "600", "800"),
        ("I live in Lisbon.", "you got it wrong, I live in Porto", "Porto", "Lisbon"),
        ("My dog is called Rex.", "My dog is called Max, not Rex.", "Max", "Rex"),
        ("The project manager is Anna Berg.", "The project manager is Li Si, not Anna Berg.", "Li Si", "Anna"),
        ("The office is in Mill Road.", "No, the office is in Harbour Street.", "Harbour Street", "Mill Road"),
        ("The project code is Falcon.", "Change the project code to Phoenix.", "Phoenix", "Falcon"),
    ],
    "in Chinese": [
        ("办公软件的采购上限是800元。", "办公软件的采购上限是600元，不是800元。", "600", "800"),
        ("我住在北京。", "不对，我住在上海。", "上海", "北京"),
    ],
    "with a year": [
        ("The 2026 standard for hotels is 800 CNY a night.", "No, the 2026 standard is 600, not 800", "600", "800"),
        ("I live in Lisbon.", "I don't live in Lisbon, I live in Porto.", "Porto", "Lisbon"),
    ],
    "without the old value": [("The 2026 standard is 800.", "Wrong, the 2026 standard is 600.", "600", "800")],
    "by a bare value": [("The limit of the account is 800 CNY.", "not 800 but 600", "600", "800")],
    "by a bare value in Chinese": [
        ("差旅住宿标准是800元。", "不是800,是600", "600", "800"),
        ("我住在北京。", "我住在上海，不在北京。", "上海", "北京"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_a_correction_replaces_what_it_contradicts(
    api: Api, tenant: Tenant, talk: list[tuple[str, str, str, str]]
) -> None:
    api.add("kim", *(held for held, *_ in talk))
    before = current(api)

    for _, feedback, right, wrong in talk:
        result = give(api, tenant, feedback)

        assert wrong in before
        assert result["applied"], feedback
        assert len(result["superseded"]) == 1
        now = current(api)
        assert right in now
        assert wrong not in now
        facts = api.facts("kim", feedback, relativity=0)
        assert right in facts[0]
        assert not any(wrong in text for text in facts)


def test_what_is_the_users_is_corrected_however_it_was_said_and_nobody_elses(
    api: Api, tenant: Tenant
) -> None:
    api.add("kim", "We have a Kia e-Niro and a caravan.", "My brother's car is a Kia e-Niro.")
    api.add("kim", "I test-drove a Kia e-Niro in May.", "We have a Labrador called Rex.")

    give(api, tenant, "My car is a Kia Niro, not a Kia e-Niro.")
    give(api, tenant, "My dog is a Labradoodle, not a Labrador.")

    held = current(api)
    assert "The user's car is a Kia Niro." in held
    assert "The user has a Kia Niro and a caravan." in held
    assert "The user's brother's car is a Kia e-Niro." in held
    assert "test-drove a Kia e-Niro" in held
    assert "The user has a Labradoodle called Rex." in held


def test_the_same_value_of_another_thing_and_of_anybody_else_stays(api: Api, tenant: Tenant) -> None:
    others = (
        "The purchase limit for hardware is 800 CNY.",
        "My sister paid 800 CNY for a bicycle.",
        "The hotel has 800 rooms.",
    )
    limit = "The purchase limit for office software is 800 CNY."
    api.add("lee", limit)
    api.add("kim", limit, *others, "My sister lives in Porto.", "I live in Porto.")

    give(api, tenant, "The purchase limit for office software is 600 CNY, not 800 CNY.")
    give(api, tenant, "I live in Oslo, not in Porto.")

    now = current(api)
    for other in others:
        assert other.removeprefix("My sister").strip(".") in now
    assert "office software is 600 CNY" in now
    assert "sister lives in Porto" in now
    assert "user lives in Oslo" in now
    assert "800" in current(api, user_id="lee")


def test_the_rest_stays_and_the_history_says_who_changed_it_and_why(api: Api, tenant: Tenant) -> None:
    api.add("kim", "The purchase limit for office software is 800 CNY and it applies to document editing.")
    result = give(api, tenant, "The purchase limit for office software is 600 CNY, not 800 CNY.")

    assert "600 CNY" in current(api)
    assert "applies to document editing" in current(api)
    assert "800" not in current(api)
    with tenant_scope(tenant.project):
        mine = Memory.objects.within(MemCube.objects.within(tenant.project))
        old = mine.get(pk=result["superseded"][0])
        version = old.versions.get()
        assert (version.actor, "feedback" in version.reason) == ("feedback", True)
        assert "800" in version.text
        assert old.valid_until is not None
        assert str(old.superseded_by_id) in result["added"]


def test_a_correction_names_the_feedback_as_its_source(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Lisbon.")
    give(api, tenant, "No, I live in Porto.", feedback_time="2025-12-10 09:44:00")

    listed = api.listed("kim")["memory_detail_list"]
    home = next(memory for memory in listed if "Porto" in memory["memory_value"])

    assert home["sources"] == [
        {
            "type": "feedback",
            "feedback_id": home["sources"][0]["feedback_id"],
            "role": "user",
            "content": "No, I live in Porto.",
            "chat_time": "2025-12-10T09:44:00+00:00",
        }
    ]


def test_days_are_counted_from_the_day_on_the_clock_of_who_gives_feedback(api: Api, tenant: Tenant) -> None:
    api.add("kim", message("user", "I live in Lisbon.", chat_time="2025-11-01 09:00:00"))

    give(api, tenant, "No, I moved to Porto today.", feedback_time="2025-11-20T07:00:00+08:00")

    assert "20 November 2025" in current(api)  # in UTC it is still the 19th


def test_what_only_the_assistant_said_is_put_right(api: Api, tenant: Tenant) -> None:
    api.add(
        "kim",
        "What is the limit for office software?",
        message("assistant", "The purchase limit for office software is 800 CNY per person and year."),
    )

    result = give(api, tenant, "That is wrong. The purchase limit for office software is 600 CNY, not 800.")

    assert result["applied"]
    facts = api.facts("kim", "What is the purchase limit for office software?", relativity=0)
    assert "600 CNY" in facts[0]
    assert not any("800 CNY" in text and "assistant" in text for text in facts)


def test_a_bare_value_is_understood_by_what_was_said_last(api: Api, tenant: Tenant) -> None:
    api.add("kim", "The limit for software is 800 CNY.")
    api.add("kim", "How much?", message("assistant", "Your limit is 800 CNY."))

    give(api, tenant, "No, it should be 600.")

    assert "600" in current(api)
    assert not any("user" not in text and "800" in text for text in current(api).split(" | "))


def test_of_two_memories_a_bare_value_could_mean_neither_is_changed(api: Api, tenant: Tenant) -> None:
    api.add("kim", "The hotel limit is 800 CNY.")
    api.add("kim", "The software budget is 800 CNY.")
    before = current(api)

    result = give(api, tenant, "Not 800, 600.", conversation_id="another talk")

    assert (result["applied"], result["reason"]) == (False, "not_certain")
    assert current(api) == before


def test_a_wrong_preference_gives_way_to_the_right_one(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I like apples.")
    api.add("kim", "What do I like?", message("assistant", "You like apples."))

    give(api, tenant, "Wrong, actually I like mangosteens.")

    assert "mangosteens" in current(api)
    assert "likes apples" not in current(api)


def test_public_memories_are_put_right_only_when_the_feedback_may_be_public(api: Api, tenant: Tenant) -> None:
    api.add("ana", "The purchase limit for office software is 800 CNY.", allow_public=True)
    feedback = "The purchase limit for office software is 600 CNY, not 800 CNY."

    give(api, tenant, feedback)
    assert any("800 CNY" in text and "600" not in text for text in api.facts("lou", feedback, relativity=0))

    give(api, tenant, feedback, allow_public=True)
    facts = api.facts("lou", feedback, relativity=0)
    assert "600 CNY" in facts[0]
    assert not any("is 800" in text for text in facts)


def test_an_agent_alone_is_corrected(api: Api, tenant: Tenant) -> None:
    api.data(
        "add/message",
        {
            "agent_id": "bot",
            "messages": [{"role": "user", "content": "The purchase limit is 800 CNY."}],
            "async_mode": False,
        },
    )

    give(api, tenant, "The purchase limit is 600 CNY, not 800 CNY.", agent_id="bot", conversation_id=None)

    assert "600" in current(api, agent_id="bot")
    assert "800" not in current(api, agent_id="bot")


def test_a_frozen_memory_is_never_put_right(api: Api, tenant: Tenant) -> None:
    api.add("kim", "The purchase limit for office software is 800 CNY.")
    with tenant_scope(tenant.project):
        Memory.objects.within(MemCube.objects.within(tenant.project)).update(status="frozen")

    result = give(api, tenant, "The purchase limit for office software is 600 CNY, not 800 CNY.")

    assert (result["applied"], result["reason"], len(result["frozen"])) == (False, "frozen", 1)
    assert "800" in current(api)


def test_what_is_right_already_changes_nothing(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")

    result = give(api, tenant, "No, I live in Porto.")

    assert (result["superseded"], result["added"], len(result["merged"])) == ([], [], 1)
    assert current(api).count("Porto") == 1


PASTS = (
    "I moved to Beijing in 2020, and I moved to Shanghai in 2024.",
    "I moved to Shanghai in 2024. I moved to Beijing in 2020.",
    "I moved to Shanghai in 2024. I live in Shanghai.",
)


@pytest.mark.parametrize(
    ("held", "feedback"),
    [
        *(("I live in Porto.", past) for past in PASTS),
        ("I moved to Shanghai in 2024.", PASTS[0]),
        ("I moved to Shanghai in 2024.", PASTS[1]),
        ("I like tea.", PASTS[0]),
    ],
)
def test_a_state_told_with_its_past_holds_with_its_latest_value(
    api: Api, tenant: Tenant, held: str, feedback: str
) -> None:
    api.add("kim", held)

    give(api, tenant, feedback)

    now = current(api)
    assert "Shanghai" in now
    assert "Porto" not in now
    assert "moved to Beijing" not in now
    with tenant_scope(tenant.project):
        past = Memory.objects.within(MemCube.objects.within(tenant.project)).exclude(valid_until=None)
        assert all("Shanghai" in memory.superseded_by.text for memory in past.select_related("superseded_by"))


def test_a_habit_that_was_stopped_is_found_no_more(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I drink coffee every morning.")

    give(api, tenant, "I stopped drinking coffee.")

    assert "every morning" not in current(api)
    assert "coffee" in current(api)
