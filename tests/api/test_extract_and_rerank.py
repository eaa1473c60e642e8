"""The engines by themselves: extraction that stores nothing, and texts put in the order in which they answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.expect import accepted, refused
from tests.api_client import Api

SAID = [
    {"role": "user", "content": "I'm Alex, 28, a backend developer in Hangzhou. I live in Hangzhou."},
    {"role": "assistant", "content": "Nice to meet you."},
    {"role": "user", "content": "I prefer short answers."},
]
DOCUMENTS = [
    "User is a backend developer in Hangzhou.",
    "User prefers concise replies.",
    "User likes playing badminton.",
    "User is going on a business trip to Beijing next Wednesday.",
]


def test_facts_and_preferences_are_extracted(api: Api) -> None:
    data = accepted(api.call("extract/memory", {"messages": SAID}))

    assert any("Hangzhou" in one["memory_value"] for one in data["memory_detail_list"])
    assert set(data["memory_detail_list"][0]) == {"memory_key", "memory_value", "memory_type", "tags"}
    wanted = data["preference_detail_list"][0]
    assert "short answers" in wanted["preference"]
    assert wanted["preference_type"] == "explicit_preference"
    assert data["success"] is True


@pytest.mark.parametrize(
    ("types", "lists"),
    [
        (["memory"], {"memory_detail_list"}),
        (["preference"], {"preference_detail_list"}),
        ([], {"memory_detail_list", "preference_detail_list"}),
        (None, {"memory_detail_list", "preference_detail_list"}),
    ],
)
def test_only_what_is_asked_for_is_extracted(api: Api, types: Any, lists: set[str]) -> None:
    data = accepted(api.call("extract/memory", {"messages": SAID, "extraction_types": types, "model": None}))

    assert set(data) - {"success"} == lists


def test_extraction_stores_nothing(api: Api, user: str) -> None:
    named = {"user_id": user, "conversation_id": "talk", "agent_id": "bot"}
    accepted(api.call("extract/memory", {"messages": SAID, **named}))

    assert api.listed(user)["total"] == 0
    refused(api.call("delete/memory", {"user_id": user}), 40308)


def test_more_than_eight_thousand_tokens_are_not_read(api: Api) -> None:
    long = [{"role": "user", "content": "tea " * 8_100}]

    refused(api.call("extract/memory", {"messages": long}), 40305, "8000")


def test_more_blanks_than_eight_thousand_tokens_of_words_have_are_not_read(api: Api) -> None:
    long = [{"role": "user", "content": "Q:" + " " * 50_000 + "b"}]

    refused(api.call("extract/memory", {"messages": long}), 40305, "48000 characters")


def test_texts_are_ordered_by_how_well_they_answer(api: Api) -> None:
    body = {"query": "What are the user's hobbies, such as badminton?", "documents": DOCUMENTS}

    answer = api.call("rerank", {**body, "model": None, "top_n": None, "user_id": "kim"})

    told = answer.json()
    assert answer.status_code == 200
    assert set(told) == {"id", "model", "usage", "results"}
    assert told["model"] == "memos-reranker-0.6b"
    assert told["usage"]["total_tokens"] > 10
    assert [DOCUMENTS[one["index"]] for one in told["results"]] == [
        one["document"]["text"] for one in told["results"]
    ]
    scores = [one["relevance_score"] for one in told["results"]]
    assert len(scores) == len(DOCUMENTS)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert told["results"][0]["index"] == 2


def test_chinese_texts_are_ordered_too(api: Api) -> None:
    documents = ["用户在杭州做后端开发。", "用户喜欢打羽毛球。", "用户下周三去北京出差。"]

    told = api.call("rerank", {"query": "用户什么时候去北京？", "documents": documents, "top_n": 1}).json()

    assert [one["index"] for one in told["results"]] == [2]


def test_a_refused_reranking_comes_in_the_envelope(api: Api) -> None:
    refused(api.call("rerank", {"query": "tea", "documents": []}), 40003, "documents")
