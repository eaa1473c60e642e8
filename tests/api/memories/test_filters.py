"""The filter language: global, by source, nested, over info, tags and times, and its limits."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused

USER = "filter-user"
NOW = ["2020-01-01", "2020-01-01 00:00:00", "2020-01-01T00:00:00+08:00", 1577836800000, "1577836800"]
LATER = ["2199-01-01", "2199-12-31 23:59:59", 7_200_000_000_000]


@pytest.fixture(scope="module", autouse=True)
def memories(api: Api) -> None:
    """Two facts of one user: the first by bot A in a chat, the second by bot B at a payment."""
    first = {
        "scene": "chat",
        "sessionKey": "agent:main:main",
        "count": 3,
        "paid": True,
        "list": ["a", "b"],
        "7": 7,
    }
    second = {"scene": "payment", "count": 12, "paid": "true", "note": "100%_sure", "nothing": None}
    tags = {"tags": ["home"]}
    api.add(USER, "I live in Porto.", agent_id="A", app_id="phone", info=first, conversation_id="one", **tags)
    api.add(USER, "My sister is called Ana.", agent_id="B", app_id="web", info=second, conversation_id="two")


def found(api: Api, narrowed: Any) -> str:
    """Which of the two the filter lets through: "", "P", "A" or "PA"; search and listing agree."""
    by_search = repr(api.search(USER, "everything", relativity=0, filter=narrowed)["memory_detail_list"])
    by_list = repr(api.listed(USER, filter=narrowed)["memory_detail_list"])
    names = {"Porto": "P", "called Ana": "A"}
    seen = ["".join(short for name, short in names.items() if name in text) for text in (by_search, by_list)]
    assert seen[0] == seen[1]
    return seen[0]


def condition(**fields: Any) -> dict[str, Any]:
    return {"and": [fields]}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ({"agent_id": "A"}, "P"),
        ({"agent_id": "a"}, ""),
        ({"app_id": "web"}, "A"),
        ({"conversation_id": "one"}, "P"),
        ({"scene": "chat"}, "P"),
        ({"sessionKey": "agent:main:main"}, "P"),
        ({"sessionkey": "agent:main:main"}, ""),
        ({"count": 12}, "A"),
        ({"count": "12"}, ""),
        ({"paid": True}, "P"),
        ({"paid": "true"}, "A"),
        ({"7": 7}, "P"),
        ({"nothing": None}, "A"),
        ({"unheard": "of"}, ""),
        ({"agent_id": "A", "scene": "payment"}, ""),
    ],
)
def test_a_field_equals_its_value(api: Api, clause: dict[str, Any], expected: str) -> None:
    assert found(api, {"and": [clause]}) == expected


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ({"count": {"gte": 3}}, "PA"),
        ({"count": {"gt": 3}}, "A"),
        ({"count": {"lt": 12, "gte": 3}}, "P"),
        ({"count": {"lte": 2.5}}, ""),
        ({"count": {"gte": "3"}}, ""),
        ({"scene": {"gte": "d"}}, "A"),
        ({"paid": {"gte": 0}}, ""),
        ({"7": {"gte": 7}}, "P"),
        ({"list": {"gte": 0}}, ""),
        ({"list": {"contains": "a"}}, "P"),
        ({"list": {"contains": "c"}}, ""),
        ({"scene": {"contains": "pay"}}, "A"),
        ({"note": {"contains": "%_"}}, "A"),
        ({"scene": {"contains": "%"}}, ""),
    ],
)
def test_a_field_of_info_is_compared_with_its_like(api: Api, clause: dict[str, Any], expected: str) -> None:
    assert found(api, {"and": [clause]}) == expected


@pytest.mark.parametrize("moment", NOW)
def test_times_are_compared_in_any_spelling(api: Api, moment: str | int) -> None:
    columns = ("create_time", "update_time")
    assert found(api, {"and": [{column: {"gte": moment}} for column in columns]}) == "PA"
    assert found(api, {"or": [{column: {"lt": moment}} for column in columns]}) == ""


@pytest.mark.parametrize("moment", LATER)
def test_a_span_of_time_has_two_ends(api: Api, moment: str | int) -> None:
    assert found(api, condition(create_time={"gt": "2020-01-01", "lte": moment})) == "PA"


@pytest.mark.parametrize(
    "spelling", ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%Y年%m月%d日", "%b %d, %Y", "%d %B %Y"]
)
def test_a_day_alone_is_the_whole_day(api: Api, spelling: str) -> None:
    created = api.listed(USER)["memory_detail_list"][0]["create_time"]
    today = datetime.fromtimestamp(created / 1000, tz=UTC).strftime(spelling)

    assert found(api, condition(create_time={"gte": today, "lte": today})) == "PA"
    assert found(api, condition(create_time={"gt": today})) == ""
    assert found(api, condition(create_time={"lt": today})) == ""


@pytest.mark.parametrize("moment", ["in seconds", "1 hour ago", "2 hours ago"])
def test_a_moment_of_ten_characters_is_no_day(api: Api, moment: str) -> None:
    if moment == "in seconds":
        moment = str(int(time.time()) - 3600)

    assert found(api, condition(create_time={"lte": moment})) == ""
    assert found(api, condition(create_time={"gt": moment})) == "PA"


GROUPS = [
    ({}, "PA"),
    (None, "PA"),
    ({"and": []}, "PA"),
    ({"or": [{"agent_id": "A"}, {"agent_id": "B"}]}, "PA"),
    ({"and": [{"agent_id": "A"}, {"agent_id": "B"}]}, ""),
    ({"and": [{"or": [{"scene": "chat"}, {"scene": "payment"}]}, {"app_id": "web"}]}, "A"),
    ({"and": [{"app_id": "phone"}], "or": [{"scene": "chat"}, {"scene": "x"}]}, "P"),
    ({"or": [{"and": [{"or": [{"and": [{"scene": "chat"}]}]}]}]}, "P"),
    ({"user": {"and": [{"scene": "chat"}]}}, "P"),
    ({"user": {"and": [{"or": [{"scene": "chat"}]}, {"agent_id": "A"}]}}, "P"),
    ({"user": {}}, "PA"),
    ({"user": None, "public": {"and": [{"scene": "x"}]}}, "PA"),
    ({"public": {"and": [{"scene": "x"}]}, "knowledgebase": {"or": [{"tags": {"contains": "x"}}]}}, "PA"),
    ({"user": {"or": [{"scene": "payment"}]}, "public": {}, "knowledgebase": {}}, "A"),
]


@pytest.mark.parametrize(("narrowed", "expected"), GROUPS)
def test_groups_join_and_nest(api: Api, narrowed: Any, expected: str) -> None:
    assert found(api, narrowed) == expected


def test_a_source_is_narrowed_by_its_own_group_only(tenant: Tenant) -> None:
    api = tenant.api()
    api.add("lee", "The library opens at nine.", allow_public=True, info={"scene": "notice"})
    api.add("kim", "I live in Oslo.", info={"scene": "chat"})

    def texts(narrowed: dict[str, Any]) -> str:
        return repr(api.facts("kim", "everything", relativity=0, filter=narrowed))

    only_private = texts({"public": {"and": [{"scene": "nothing"}]}, "user": {"and": [{"scene": "chat"}]}})
    assert "Oslo" in only_private
    assert "library" not in only_private
    assert "library" in texts({"user": {"and": [{"scene": "nothing"}]}})
    api.close()


def test_tags_contain_each_tag_that_is_asked_for(api: Api) -> None:
    tagged = [memory for memory in api.listed(USER)["memory_detail_list"] if memory["tags"]][0]
    tag = tagged["tags"][0]

    for value in ({"contains": tag}, {"contains": [tag]}, tag):
        listed = api.listed(USER, filter=condition(tags=value))["memory_detail_list"]
        assert tagged["id"] in [memory["id"] for memory in listed]
    assert found(api, condition(tags={"contains": f"{tag}-not"})) == ""


WRONG: list[tuple[Any, str]] = [
    ({"user_id": USER}, "and"),
    ({"scene": "chat"}, "and"),
    ({"and": {}}, "filter.and"),
    ({"and": None}, "filter.and"),
    ({"and": ["x"]}, "filter.and[0]"),
    ({"and": [None]}, "filter.and[0]"),
    ({"and": [{}]}, "filter.and[0]"),
    ({"user": {"scene": "chat"}}, "filter.user"),
    ({"user": ["x"]}, "filter.user"),
    ({"user": {"and": []}, "and": []}, "filter.and"),
    ({"somebody": {"and": []}}, "filter"),
    (condition(user_id=USER), "user_id"),
    ({"or": [{"and": [{"user_id": USER}]}]}, "user_id"),
    ({"user": {"and": [{"user_id": USER}]}}, "user_id"),
    (condition(info={"scene": "chat"}), "info"),
    (condition(agent_id={"contains": "A"}), "agent_id"),
    (condition(agent_id=5), "agent_id"),
    (condition(agent_id=None), "agent_id"),
    (condition(tags={"gte": "x"}), "tags"),
    (condition(tags={"contains": 5}), "tags"),
    (condition(tags=5), "tags"),
    (condition(create_time="2025-01-01"), "create_time"),
    (condition(create_time={}), "create_time"),
    (condition(create_time={"contains": "2025"}), "create_time"),
    (condition(create_time={"gte": "someday"}), "create_time"),
    (condition(create_time={"gte": None}), "create_time"),
    (condition(create_time={"gte": "9" * 30}), "create_time"),
    (condition(scene=["chat"]), "scene"),
    (condition(scene={"like": "chat"}), "scene"),
    (condition(scene={"gte": None}), "scene"),
    (condition(scene={"gte": True}), "scene"),
    (condition(scene={"contains": {}}), "scene"),
    (condition(scene="x" * 1001), "scene"),
    (condition(**{"x" * 101: 1}), "field names"),
    (condition(**{"": 1}), "field names"),
    ({"and": [{"scene": "x"}] * 101}, "100 conditions"),
    ({"and": [{"or": [{"and": [{"or": [{"and": [{"scene": "x"}]}]}]}]}]}, "4 deep"),
]


@pytest.mark.parametrize("path", ["search/memory", "get/memory"])
@pytest.mark.parametrize(("narrowed", "word"), WRONG, ids=[f"{case[0]!r:.50}" for case in WRONG])
def test_a_filter_that_makes_no_sense_is_refused_where_it_is_wrong(
    api: Api, path: str, narrowed: Any, word: str
) -> None:
    body = {"user_id": USER, "query": "everything", "filter": narrowed}

    refused(api.call(path, body), 40000, word)


def test_a_hundred_conditions_are_allowed(api: Api) -> None:
    assert found(api, {"or": [{"scene": f"scene {n}"} for n in range(99)] + [{"scene": "chat"}]}) == "P"


NAMES = [
    "a'b",
    'a"b',
    "a%sb",
    "a%(b)s",
    "a;b--",
    "a->>b",
    "{a,b}",
    "é",
    "😀",
    "-1",
    "0",
    "a.b",
    "$.a",
    "and ",
    "SELECT",
]


@pytest.mark.parametrize("value", [1, {"gte": 1}, {"gte": "x"}, {"contains": "x"}])
def test_names_of_fields_are_never_read_as_code(api: Api, value: Any) -> None:
    any_of_them = {"or": [{name: value} for name in NAMES]}
    body = {"user_id": USER, "query": "everything", "filter": any_of_them}

    assert accepted(api.call("search/memory", body))["memory_detail_list"] == []
