"""Somebody bought a home and renovates it now: what a vague question brings back follows what they are busy with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.api_client import Api, message

BUYING = [
    "I want to buy a second-hand flat near Binjiang.",
    "I am going to view houses on Saturday.",
    "I am comparing mortgage rates of three banks.",
    "My budget for the flat is 3 million yuan.",
]
RENOVATING = [
    "I need to choose tiles for the bathroom this weekend.",
    "I have to confirm the plumbing with the contractor.",
    "My new furniture will be delivered next week.",
    "I want to paint the living room white.",
]
VAGUE = "I feel like a lot of things are piling up. Please sort them out for me."


@pytest.fixture
def busy(api: Api) -> Api:
    now = datetime.now(UTC)
    for texts, at, conversation in (
        (BUYING, now - timedelta(days=60), "flat"),
        (RENOVATING, now, "renovation"),
    ):
        messages = [message("user", text, chat_time=f"{at:%Y-%m-%d %H:%M:%S}") for text in texts]
        api.add("kim", *messages, conversation_id=conversation)
    return api


def test_a_vague_question_brings_the_present_topic_and_a_plain_one_the_earlier(busy: Api) -> None:
    facts = busy.facts("kim", VAGUE, relativity=0, memory_limit_number=4)

    assert sum(is_about(RENOVATING, text) for text in facts) >= 3
    assert "3 million" in busy.facts("kim", "What is my budget for the flat?")[0]


def test_a_plan_of_next_month_does_not_make_what_was_said_today_old(busy: Api) -> None:
    ahead = datetime.now(UTC) + timedelta(days=40)
    busy.add("kim", f"The new kitchen will be installed on {ahead:%d %B %Y}.", conversation_id="renovation")

    facts = busy.facts("kim", VAGUE, relativity=0, memory_limit_number=5)

    assert sum(is_about([*RENOVATING, "kitchen"], text) for text in facts) >= 4


def is_about(lines: list[str], text: str) -> bool:
    words = {word for line in lines for word in line.lower().strip(".").split() if len(word) > 5}
    return any(word in text.lower() for word in words)
