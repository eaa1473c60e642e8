"""Somebody bought a home and renovates it now: what a vague question brings back follows what they are busy with."""

from __future__ import annotations

import pytest

from tests.support.api_client import Api

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
    for text in BUYING:
        api.add("kim", text, conversation_id="flat")
    age(api, days=60)
    for text in RENOVATING:
        api.add("kim", text, conversation_id="renovation")
    return api


def age(api: Api, days: int) -> None:
    """As if what was said until now had been said so many days ago."""
    from datetime import timedelta

    from django.db import connections
    from django.db.models import F

    from memories.models import MemCube, Memory
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.keys.authorization_header import authenticate_key

    project = authenticate_key(api.headers["Authorization"]).project
    with tenant_scope(project):
        mine = Memory.objects.within(MemCube.objects.within(project))
        past = timedelta(days=days)
        mine.update(created_at=F("created_at") - past, event_time=F("event_time") - past)
    connections.close_all()


def test_a_vague_question_brings_the_present_topic_first(busy: Api) -> None:
    found = busy.facts("kim", VAGUE, relativity=0, memory_limit_number=4)

    assert sum(is_about(RENOVATING, text) for text in found) >= 3


def test_a_plain_question_about_the_earlier_topic_still_finds_it(busy: Api) -> None:
    found = busy.facts("kim", "What is my budget for the flat?")

    assert "3 million" in found[0]


def is_about(said: list[str], text: str) -> bool:
    words = {word for line in said for word in line.lower().strip(".").split() if len(word) > 5}
    return any(word in text.lower() for word in words)
