"""Filters of mem0's contract: what they let through, and that nothing they say is ignored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Tenant, message
from tests.support.clients.mem0_client import Mem0
from tests.support.expect import UNKNOWN_ID
from tests.support.tenants import make_tenant

# Stands for the day on which the memories were stored, which need not be the day on which this file was read.
TODAY = "the day of storing"
TOMORROW = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
OLD = 1_700_000_000  # 2023-11-14 22:13:20
KIM, LEE = {"user_id": "kim"}, {"user_id": "lee"}


@pytest.fixture(scope="module")
def held(stack: Stack) -> Iterator[Mem0]:
    """A: kim, with everything. B: kim and the agent. C: lee. D: the agent alone. E: kim in a run, long ago."""
    with Mem0(make_tenant(stack)) as mem0:
        everything = {"a": 1, "b": "one", "flag": True, "none": None, "list": ["x", "y"], "ü": "ß"}
        mem0.store("A eats Apples.", "kim", metadata=everything, expiration_date="2999-12-31")
        mem0.store("B eats pears.", "kim", agent_id="bot", metadata={"a": "1", "b": "onerous"})
        mem0.store("C eats plums.", "lee", app_id="shop", metadata={"flag": False})
        mem0.store("D eats figs.", agent_id="bot")
        mem0.store("E eats grapes.", "kim", run_id="r1", timestamp=OLD)
        yield mem0


@pytest.fixture(scope="module")
def today(held: Mem0) -> str:
    """The day on which they were stored."""
    return str(held.ok("POST", "/v3/memories/", {"filters": LEE})["results"][0]["created_at"])[:10]


def letters(mem0: Mem0, filters: Any) -> str:
    """The memories that pass, in a list and in a search, which must agree."""
    listed = "".join(sorted(text[0] for text in mem0.listed(filters)))
    hits = "".join(sorted(row["memory"][0] for row in mem0.search("Who eats what?", filters, top_k=100)))
    assert listed == hits
    return listed


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (KIM, "ABE"),
        ({"user_id": {"eq": "kim"}}, "ABE"),
        ({"user_id": {"in": ["kim", "lee"]}}, "ABCE"),
        ({"user_id": ["lee", "nobody"]}, "C"),
        ({"user_id": "*"}, "ABCE"),
        ({"user_id": {"in": []}}, ""),
        ({"user_id": "KIM"}, ""),
        ({"agent_id": "bot"}, "BD"),
        ({"agent_id": "*"}, "BD"),
        ({"app_id": "shop"}, "C"),
        ({"run_id": "r1"}, "E"),
        ({"run_id": "*"}, "E"),
        ({**KIM, "agent_id": "bot"}, "B"),
        ({**KIM, "agent_id": {"ne": "bot"}}, "AE"),
        ({**KIM, "run_id": {"ne": "r1"}}, "AB"),
        ({"AND": [KIM, {"agent_id": "bot"}]}, "B"),
        ({"and": [KIM, {"agent_id": "bot"}]}, "B"),
        ({"OR": [KIM, {"agent_id": "bot"}]}, "ABDE"),
        ({"OR": [KIM, LEE]}, "ABCE"),
        ({"AND": [KIM, {"OR": [{"agent_id": "bot"}, {"run_id": "r1"}]}]}, "BE"),
        ({"AND": [KIM], "OR": [{"agent_id": "bot"}, {"run_id": "r1"}]}, "BE"),
        ({**KIM, "NOT": {"agent_id": "bot"}}, "AE"),
        ({**KIM, "NOT": [{"agent_id": "bot"}, {"run_id": "r1"}]}, "A"),
        ({**KIM, "NOT": KIM}, ""),
        ({"AND": [KIM, {"NOT": [KIM]}]}, ""),
        ({"AND": [KIM, LEE]}, ""),
        ({**KIM, "OR": [KIM, {"run_id": "r1"}]}, "ABE"),
        ({**KIM, "metadata": {"a": 1}}, "A"),
        ({**KIM, "metadata": {"a": "1"}}, "B"),
        ({**KIM, "metadata": {"a": {"eq": 1}}}, "A"),
        ({**KIM, "metadata": {"a": {"ne": 1}}}, "BE"),
        ({**KIM, "metadata": {"b": {"contains": "one"}}}, "AB"),
        ({**KIM, "metadata": {"list": {"contains": "x"}}}, "A"),
        ({**KIM, "metadata": {"flag": True}}, "A"),
        ({**KIM, "metadata": {"none": None}}, "A"),
        ({**KIM, "metadata": {"ü": "ß", "b": "one"}}, "A"),
        ({"user_id": "*", "metadata": {"flag": False}}, "C"),
        ({**KIM, "keywords": {"contains": "Apples"}}, "A"),
        ({**KIM, "keywords": {"contains": "apples"}}, ""),
        ({**KIM, "keywords": {"icontains": "APPLES"}}, "A"),
        ({**KIM, "text": {"icontains": "eats%"}}, ""),
        ({**KIM, "created_at": TODAY}, "AB"),
        ({**KIM, "created_at": {"gte": TODAY}}, "AB"),
        ({**KIM, "created_at": {"gt": TODAY}}, ""),
        ({**KIM, "created_at": {"lt": TODAY}}, "E"),
        ({**KIM, "created_at": {"lte": TODAY, "gte": "2023-11-14"}}, "ABE"),
        ({**KIM, "created_at": {"ne": "2023-11-14"}}, "AB"),
        ({**KIM, "created_at": {"in": ["2023-11-14", TODAY]}}, "ABE"),
        ({**KIM, "created_at": {"in": ["2023-11-14T22:13:20Z", "2023-11-14T22:13:20.5Z"]}}, "E"),
        ({**KIM, "created_at": {"in": ["2023-11-15T06:13:20+08:00", TODAY]}}, "ABE"),
        ({**KIM, "created_at": {"in": ["2023-11-14T22:13:20.000000Z", "9999-12-31"]}}, "E"),
        ({**KIM, "created_at": {"in": ["2023-11-14T22:13:20.000001Z", "2023-11-14T22:13:19Z"]}}, ""),
        ({**KIM, "created_at": {"in": []}}, ""),
        ({**KIM, "agent_id": {"in": ["*", "r1"]}}, "B"),
        ({"run_id": ["r1", "r2"], "user_id": ["*"]}, "E"),
        ({"user_id": "*", "agent_id": ["bot", "shop"], "NOT": {"agent_id": ["robot"]}}, "B"),
        ({**KIM, "timestamp": "2023-11-14T22:13:20Z"}, "E"),
        ({**KIM, "created_at": {"gte": "2023-11-14T22:13:20+00:00", "lt": "2023-11-14T22:13:21+00:00"}}, "E"),
        ({**KIM, "updated_at": {"gte": TODAY}}, "ABE"),
        ({**KIM, "created_at": {"lte": "9999-12-31"}}, "ABE"),
        ({**KIM, "created_at": {"gt": "9999-12-31T23:59:59.999999Z"}}, ""),
        ({**KIM, "expiration_date": "2999-12-31"}, "A"),
        ({**KIM, "expiration_date": {"ne": "2999-12-31"}}, "BE"),
        ({**KIM, "expiration_date": {"gt": TOMORROW}}, "A"),
        ({**KIM, "categories": ["nothing"]}, ""),
        ({**KIM, "categories": {"contains": "nothing"}}, ""),
        ({**KIM, "memory_ids": [UNKNOWN_ID]}, ""),
    ],
)
def test_a_filter_lets_through_what_it_says(held: Mem0, today: str, filters: Any, expected: str) -> None:
    assert letters(held, json.loads(json.dumps(filters).replace(TODAY, today))) == expected


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        (None, "filters"),
        ({}, "filters"),
        ([], "filters"),
        ("kim", "filters"),
        ({"user": "kim"}, "user"),
        ({**KIM, "tenant": 1}, "tenant"),
        ({"AND": [KIM, {"colour": "red"}]}, "colour"),
        ({**KIM, "NOT": {"colour": "red"}}, "colour"),
        ({"user_id": {"nin": ["kim"]}}, "nin"),
        ({**KIM, "created_at": {">=": "2024-01-01"}}, ">="),
        ({**KIM, "created_at": {"eq": "2024-01-01"}}, "eq"),
        ({**KIM, "created_at": "yesterday"}, "created_at"),
        ({**KIM, "created_at": {"gte": "2024-02-30"}}, "created_at"),
        ({**KIM, "created_at": {}}, "created_at"),
        ({**KIM, "created_at": 5}, "created_at"),
        ({**KIM, "keywords": "apples"}, "keywords"),
        ({**KIM, "keywords": {"contains": ""}}, "keywords"),
        ({**KIM, "metadata": {"a": {"gt": 1}}}, "gt"),
        ({**KIM, "metadata": {"a": [1]}}, "metadata.a"),
        ({**KIM, "metadata": "a"}, "metadata"),
        ({**KIM, "memory_ids": ["x"]}, "memory_ids"),
        ({**KIM, "memory_ids": "x"}, "memory_ids"),
        ({**KIM, "feedback": "POSITIVE"}, "feedback"),
        ({**KIM, "keywords_search": "x"}, "keywords_search"),
        ({"agent_id": {"ne": "bot"}}, "user_id"),
        ({"NOT": KIM}, "user_id"),
        ({"OR": [KIM, {"metadata": {"a": 1}}]}, "OR"),
        ({"OR": [KIM, {"agent_id": {"ne": "bot"}}]}, "OR"),
        ({"OR": []}, "OR"),
        ({"AND": KIM}, "AND"),
        ({"AND": ["kim"]}, "AND"),
        ({"AND": [{}]}, "AND"),
        ({"user_id": None}, "user_id"),
        ({"user_id": 7}, "user_id"),
        ({"user_id": ""}, "user_id"),
        ({"user_id": "x" * 101}, "user_id"),
        ({"user_id": {"in": "kim"}}, "in"),
        ({"user_id": {"in": ["kim"] * 1001}}, "in"),
        ({"AND": [KIM] * 101}, "100"),
    ],
)
def test_what_a_filter_does_not_know_is_refused_by_name(held: Mem0, filters: Any, named: str) -> None:
    for method, path, body in (
        ("POST", "/v3/memories/", {"filters": filters}),
        ("POST", "/v3/memories/search/", {"filters": filters, "query": "x"}),
    ):
        status, sentence = held.refusal(method, path, body)
        assert status == 400
        assert named in sentence


def test_a_filter_may_name_as_many_ids_as_are_allowed_in_many_conditions(held: Mem0) -> None:
    named = [
        {"user_id": {"in": [f"{part}-{number}" for number in range(999)] + ["lee"]}} for part in range(40)
    ]

    assert letters(held, {"OR": named}) == "C"


def test_a_filter_is_at_most_eight_levels_deep(held: Mem0) -> None:
    nested: Any = KIM
    for _ in range(7):
        nested = {"AND": [nested]}
    assert letters(held, nested) == "ABE"

    status, sentence = held.refusal("POST", "/v3/memories/", {"filters": {"AND": [nested]}})

    assert (status, "8 levels" in sentence) == (400, True)


def test_what_stands_beside_the_filters_narrows_too(held: Mem0) -> None:
    def listed(**options: Any) -> str:
        return "".join(sorted(text[0] for text in held.listed(KIM, **options)))

    assert listed(start_date="2024-01-01") == "AB"
    assert listed(end_date="2023-11-14") == "E"
    assert listed(start_date="2023-11-14", end_date="2023-11-14") == "E"
    assert listed(end_date="9999-12-31") == "ABE"
    assert listed(keywords="pears") == "B"
    assert listed(categories=["nothing"]) == ""
    rows = held.search("eats", KIM, metadata={"a": 1, "b": "one"})
    assert [row["memory"][0] for row in rows] == ["A"]


def test_categories_are_the_tags_of_memories(mem0: Mem0, user: str) -> None:
    body = {
        "messages": "I booked a flight to Lisbon for my holiday.",
        "user_id": user,
        "async_mode": False,
    }
    mem0.ok("POST", "/v3/memories/add/", body)
    who = {"user_id": user}
    (row, *_) = mem0.ok("POST", "/v3/memories/", {"filters": who})["results"]
    assert row["categories"]
    name = row["categories"][0]

    for wanted in ([name], {"in": [name, "x"]}, {"contains": name[1:-1].upper()}):
        assert row["memory"] in mem0.listed({**who, "categories": wanted})


def test_a_search_for_a_user_finds_what_holds_of_that_user_only(
    mem0: Mem0, developer: Tenant, user: str
) -> None:
    """Nothing that was superseded, though the question asks for it, and nothing that is public."""
    question = "Where did I live before Oslo?"
    with developer.api() as api:
        api.add(f"{user}-2", "The head office is in Lisbon.", allow_public=True)
        api.add(user, message("user", "I live in Porto.", chat_time="2020-01-01 10:00:00"))
        api.add(user, "I moved to Oslo last week.")
        natively = repr(api.search(user, question, relativity=0, memory_limit_number=25))
    assert "Lisbon" in natively
    assert "Porto" in natively

    more: dict[str, Any]
    for more in ({}, {"created_at": {"gte": "2020-01-01"}}):
        rows = mem0.search(question, {"user_id": user, **more}, top_k=100)

        text = repr([row["memory"] for row in rows])
        assert "Oslo" in text
        assert "Lisbon" not in text
        assert "Porto" not in text
        assert sorted(row["memory"] for row in rows) == sorted(mem0.listed({"user_id": user}))
