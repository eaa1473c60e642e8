"""What holds stays found, what was deleted stays gone, and nobody's words replace somebody else's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memories.consolidation.cube_locks import lock_cube
from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant, message
from tests.support.waiting import wait_until_somebody_waits


def said(text: str, when: str) -> dict[str, str]:
    return message("user", text, chat_time=when)


def ids(api: Api, user: str, word: str) -> list[str]:
    return [item["id"] for item in api.listed(user)["memory_detail_list"] if word in item["memory_value"]]


def test_deleting_a_wrong_memory_brings_back_what_it_had_replaced(api: Api) -> None:
    api.add("kim", said("I live in Paris.", "2025-01-10"), said("I moved to Berlin.", "2025-06-01"))

    api.data("delete/memory", {"memory_ids": ids(api, "kim", "Berlin")})

    facts = api.facts("kim", "Where do I live now?")
    assert any("Paris" in text and "until" not in text for text in facts)


def test_a_fast_memory_that_was_deleted_does_not_come_back_refined(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I have two cats.")
    with ThreadPoolExecutor(1) as beside:
        with tenant_scope(tenant.project):
            lock_cube(MemCube.objects.within(tenant.project).get(owner_id="kim").pk)  # holds the worker back
            task = api.add("kim", "I live in Paris.", async_mode=True)["task_id"]
            doomed = ids(api, "kim", "Paris")
            deletion = beside.submit(api.call, "delete/memory", {"memory_ids": doomed})
            wait_until_somebody_waits()
        code = deletion.result().json()["code"]

    assert api.wait_until_done(task) == "completed"
    # Where the worker came first, its memory has another id, and the client hears that there is none of the old one.
    assert (code, len(ids(api, "kim", "Paris"))) in {(0, 0), (40307, 1)}


def test_what_one_says_in_public_replaces_nothing_that_another_said(api: Api) -> None:
    api.add("ana", "I live in Lisbon.", allow_public=True)
    api.add("bo", "I live in Oslo.", allow_public=True)

    text = " ".join(api.facts("lou", "Who lives where?", relativity=0))

    assert "Lisbon" in text
    assert "Oslo" in text


def test_an_old_statement_that_arrives_late_does_not_win_over_one_said_again_since(api: Api) -> None:
    api.add("kim", said("I live in Beijing.", "2025-01-10"))
    api.add("kim", said("I live in Beijing.", "2025-10-10"))

    api.add("kim", said("I live in Shanghai.", "2025-05-10"))

    facts = api.facts("kim", "Where do I live now?")
    assert any("Beijing" in text for text in facts)
    assert not any("Shanghai" in text for text in facts)


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


def held(tenant: Tenant, word: str = "") -> Iterator[Memory]:
    """What the project holds, the past too, oldest first; read inside the loop's scope."""
    with tenant_scope(tenant.project):
        memories = Memory.objects.within(MemCube.objects.within(tenant.project)).filter(text__icontains=word)
        yield from memories.order_by("valid_from", "created_at").prefetch_related(
            "versions", "sources__message"
        )


def texts(api: Api, user: str = "kim") -> list[str]:
    listed = api.listed(user)
    facts = [item["memory_value"] for item in listed["memory_detail_list"]]
    return sorted(facts + [item["preference"] for item in listed["preference_detail_list"]])


def test_the_same_in_other_words_is_one_memory_and_the_fuller_words_win(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    api.add("kim", "I'm living in Porto, Portugal.")
    api.add("kim", "I live in Porto.")

    (memory,) = held(tenant)
    assert "Portugal" in memory.text
    assert [
        (version.text, version.other_text, version.actor) for version in reversed(memory.versions.all())
    ] == [
        ("The user lives in Porto.", "", "worker"),
        (memory.text, "The user lives in Porto.", "worker"),
    ]
    assert len({source.message_id for source in memory.sources.all()}) == 3


def test_chinese_paraphrases_are_one_memory_too(api: Api) -> None:
    api.add("kim", "我住在波尔图。")
    api.add("kim", "我现在住在葡萄牙的波尔图。")

    (text,) = texts(api)
    assert "葡萄牙" in text


def test_a_duplicate_joins_its_sources(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I have two cats.", tags=["pets"])
    api.add("kim", "I have two cats.")

    (memory,) = held(tenant)
    assert len(memory.sources.all()) == 2
    assert [version.reason for version in memory.versions.all()] == ["said again"]


def test_two_trips_stay_two_trips(api: Api) -> None:
    xian = "I travelled to Xi'an during last year's National Day holiday."
    hangzhou = "I travelled to Hangzhou during this year's May Day holiday."
    api.add("kim", said("I ran 5 km on 3 March 2025.", "2025-03-04"), said(xian, "2025-10-08"))
    api.add("kim", said("I ran 5 km on 5 March 2025.", "2025-03-06"), said(hangzhou, "2026-05-02"))

    assert len(texts(api)) == 4


def test_what_differs_in_a_name_or_a_thing_stays_apart(api: Api) -> None:
    api.add("kim", "My brother is called Tom.", "I like green tea.", "I'm reading Emma.", "I work in Paris.")
    api.add(
        "kim",
        "My sister is called Tim.",
        "I like black tea.",
        "I'm reading Dracula.",
        "My sister lives in Paris.",
    )

    assert len(texts(api)) == 8


def test_moving_house_keeps_every_address_with_its_time(api: Api, tenant: Tenant) -> None:
    api.add("kim", said("I live in Beijing.", "2025-01-10"), said("I moved to Shanghai.", "2025-06-01"))

    beijing, shanghai = held(tenant)
    assert beijing.valid_until == shanghai.valid_from
    assert beijing.superseded_by_id == shanghai.pk
    assert any("Shanghai" in text for text in api.facts("kim", "Where do I live now?"))
    assert any("Beijing" in text for text in api.facts("kim", "Where did I live before?"))


def test_a_move_told_late_takes_its_place_in_the_past(api: Api, tenant: Tenant) -> None:
    api.add("kim", said("I live in Beijing.", "2025-01-10"))
    api.add("kim", said("I live in Shanghai.", "2025-06-01"))
    api.add("kim", said("I live in Wuhan.", "2025-03-01"))

    beijing, wuhan, shanghai = held(tenant)
    assert "Wuhan" in wuhan.text
    assert beijing.valid_until == wuhan.valid_from
    assert wuhan.valid_until == shanghai.valid_from
    assert shanghai.valid_until is None
    assert (beijing.superseded_by_id, wuhan.superseded_by_id) == (wuhan.pk, shanghai.pk)


# What held, what is said later, what is gone then and what holds.
CHANGED_MINDS = {
    "in English": [
        ("I like apples.", "I don't like apples anymore.", "likes apples", "not like apples"),
        ("I prefer window seats.", "I prefer aisle seats now.", "window", "aisle"),
        ("I often confuse hens with ducks.", "I no longer confuse hens with ducks.", "often", "no longer confuse"),
        ("My wifi password is blue42.", "My wifi password is green77.", "blue42", "green77"),
    ],
    "in Chinese": [
        ("我喜欢苹果。", "我不喜欢苹果了。", "用户喜欢苹果", "不喜欢苹果"),
        ("我喜欢靠窗的座位。", "我现在喜欢靠过道的座位。", "靠窗", "过道"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("changes", CHANGED_MINDS.values(), ids=CHANGED_MINDS)
def test_a_changed_mind_replaces_what_held_and_keeps_it_as_history(
    api: Api, tenant: Tenant, changes: list[tuple[str, str, str, str]]
) -> None:
    api.add("kim", *(said(before, "2025-09-12") for before, *_ in changes))
    api.add("kim", *(said(after, "2025-09-25") for _, after, *_ in changes))

    now = " ".join(texts(api))
    for _, _, gone, holds in changes:
        assert holds in now
        assert gone not in now
        (old,) = (memory for memory in held(tenant) if gone in memory.text)
        assert old.superseded_by_id is not None
        assert [version.reason for version in old.versions.all()] == ["replaced by a later statement"]


@pytest.mark.parametrize(
    ("before", "after", "gone", "holds"),
    [
        ("面试定在3月16号下午两点，在望京的总部。", "刚才写错了，时间是下午四点。", "两点", "四点"),
        (
            "食堂要订260份盒饭，送餐的师傅姓曹。",
            "等等，少算了两个班，是320份。师傅也不姓曹，姓巢。",
            "曹",
            "320份盒饭，送餐的师傅姓巢",
        ),
        ("My flight is on 3 May at 14:00.", "Sorry, I said 14:00, it's 16:00.", "14:00", "16:00"),
    ],
)
def test_what_a_talk_says_anew_is_not_taken_for_much_the_same(
    api: Api, before: str, after: str, gone: str, holds: str
) -> None:
    api.add("kim", said(before, "2026-03-04"), said(after, "2026-03-04"))

    (now,) = texts(api)
    assert holds in now
    assert gone not in now


def test_a_part_of_what_is_known_adds_only_its_source(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I have a dog called Rex.")
    api.add("kim", "I have a dog.")

    (memory,) = held(tenant)
    assert "Rex" in memory.text
    assert len(memory.sources.all()) == 2


def test_lines_of_a_talk_stay_as_they_were_said(api: Api) -> None:
    lines = ["Ana: I live in Porto.", "Bo: I live in Porto too.", "Ana: I'm living in Porto, Portugal."]
    api.add("kim", *lines)

    assert len(texts(api)) == 3


def test_paraphrases_in_one_request_meet_each_other(api: Api) -> None:
    api.add("kim", "I drink coffee every morning.", "Every morning I drink coffee.")

    assert len(texts(api)) == 1


def test_a_habit_ends_only_with_what_says_that_it_did(api: Api) -> None:
    api.add("kim", "I drink coffee every morning.", "I have a dog.", "I work at a hotel.")
    habits = texts(api)
    assert len(habits) == 3

    api.add("kim", "I don't like coffee.", "I don't like dogs that bark.", "I avoid hotels with carpets.")
    api.add("kim", "I stopped drinking wine.")
    assert set(habits) < set(texts(api))

    api.add("kim", "I stopped drinking coffee.")
    (over,) = set(habits) - set(texts(api))
    assert "coffee" in over
