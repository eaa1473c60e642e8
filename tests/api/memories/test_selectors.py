"""What could narrow a deletion or a change is understood or refused: nothing more is touched than was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.api_client import Api, Tenant
from tests.support.expect import UNKNOWN_ID, accepted, refused

TEMPLATE = {"name": "Person", "metadata": {"home": {"city": {"value": ""}}}}


class World:
    """A project with one of everything that a call can delete or overwrite."""

    def __init__(self, api: Api) -> None:
        self.api = api
        api.add("kim", "I live in Porto.", conversation_id="monday", tags=["home"], info={"scene": "chat"})
        api.add("kim", "I like sushi.", conversation_id="tuesday")
        self.memory = api.listed("kim")["memory_detail_list"][0]["id"]
        self.template = api.data("add/profile_template", TEMPLATE)["profile_template_id"]
        api.data("bind/profile_template", {"bind_list": [self.binding]})
        self.base = api.data("create/knowledgebase", {"knowledgebase_name": "Handbook"})["id"]

    @property
    def binding(self) -> dict[str, str]:
        return {"user_id": "kim", "profile_template_id": self.template}

    def state(self) -> str:
        """All that the calls of this module could have touched, as a reader sees it."""
        listed = self.api.listed("kim", include_memory_view=["profile", "detail_factual", "preference"])
        conversations = [
            self.api.data("get/message", {"user_id": "kim", "conversation_id": name})
            for name in ("monday", "tuesday")
        ]
        files = self.api.data("get/knowledgebase-file", {"knowledgebase_id": self.base})
        return repr((listed, conversations, files))

    def bodies(self) -> dict[str, dict[str, Any]]:
        """A body of each call that would do what it says."""
        return {
            "delete/memory": {"user_id": "kim"},
            "update/memory": {"memory_id": self.memory, "content": "I live in Lisbon."},
            "add/feedback": {"user_id": "kim", "feedback_content": "I live in Lisbon now."},
            "delete/knowledgebase": {"knowledgebase_id": self.base},
            "delete/knowledgebase-file": {"file_ids": [UNKNOWN_ID]},
            "update/profile_template": {"profile_template_id": self.template, "name": "Somebody"},
            "delete/profile_template": {"profile_template_id": self.template},
            "edit/profile": self.binding | {"metadata": {"home": {"city": {"value": "Oslo"}}}},
            "delete/profile": self.binding,
        }


CALLS = [
    "delete/memory",
    "update/memory",
    "add/feedback",
    "delete/knowledgebase",
    "delete/knowledgebase-file",
    "update/profile_template",
    "delete/profile_template",
    "edit/profile",
    "delete/profile",
]
# What somebody may believe to narrow a call: documented elsewhere, plural, misspelt, or made up.
SELECTORS: list[tuple[str, Any]] = [
    ("memory_id_list", ["one"]),
    ("message_ids", []),
    ("before", "2025-01-01"),
    ("dry_run", True),
    ("limit", 0),
    ("对话", "monday"),
]


@pytest.fixture(scope="module")
def world(stack: Any) -> Iterator[World]:
    from tests.support.tenants import make_tenant

    with make_tenant(stack).api() as api:
        yield World(api)


@pytest.mark.parametrize("call", CALLS)
def test_a_field_that_is_not_known_is_refused_by_name_and_nothing_is_touched(world: World, call: str) -> None:
    before = world.state()

    for name, value in SELECTORS:
        refused(world.api.call(call, world.bodies()[call] | {name: value}), 40000, name)
    in_the_address = world.api.call(call, world.bodies()[call], params={"conversation_id": "monday"})
    refused(in_the_address, 40000, "conversation_id")

    assert world.state() == before


def test_a_users_deletion_is_narrowed_by_nothing_but_the_kind(world: World) -> None:
    before = world.state()

    for name, value in {
        "conversation_id": "monday",
        "app_id": "shop",
        "tags": ["home"],
        "info": {"scene": "chat"},
        "user_ids": ["kim"],
        "knowledgebase_ids": ["all"],
        "memory_ids": ["one"],
        "agent_id": "helper",
    }.items():
        refused(world.api.call("delete/memory", {"user_id": "kim", name: value}), 40000, name)

    assert world.state() == before


def test_memories_of_a_knowledge_base_are_not_deleted_by_a_filter_and_so_no_others(world: World) -> None:
    before = world.state()
    narrowed = {"user": {"and": [{"scene": "chat"}]}, "knowledgebase": {"and": [{"scene": "chat"}]}}

    refused(world.api.call("delete/memory", {"filter": narrowed}), 40000, "filter.knowledgebase")

    assert world.state() == before


@pytest.mark.parametrize("tags", [[], {"contains": []}])
def test_a_filter_for_no_tag_at_all_deletes_nothing(world: World, tags: Any) -> None:
    before = world.state()

    refused(world.api.call("delete/memory", {"filter": {"and": [{"tags": tags}]}}), 40003, "filter")

    assert world.state() == before


def test_what_published_clients_send_beside_is_ignored(tenant: Tenant) -> None:
    labels = {"source": "cli-langchain", "framework": "langchain", "app_id": None, "conversation_id": None}
    with tenant.api() as api:
        mine = World(api)
        bodies = mine.bodies()
        bodies["delete/memory"] = {"memory_ids": [mine.memory], "user_ids": ["kim"]}
        del bodies["delete/knowledgebase-file"]
        accepted(api.call("add/feedback", bodies.pop("add/feedback") | labels | {"async_mode": True}))
        for call in ("update/memory", "update/profile_template", "edit/profile", "delete/profile"):
            accepted(api.call(call, bodies.pop(call) | labels))
        for call, body in bodies.items():
            accepted(api.call(call, body | labels))


def test_the_base_beside_the_ids_of_files_is_ignored_as_a_client_sends_it(world: World) -> None:
    body = {"file_ids": [UNKNOWN_ID], "knowledgebase_id": world.base}

    sentence = refused(world.api.call("delete/knowledgebase-file", body), 40001, UNKNOWN_ID)

    assert "knowledgebase_id" not in sentence


def test_reading_and_adding_ignore_what_they_do_not_know(world: World) -> None:
    api, extra = world.api, {"dry_run": True, "mode": "fast"}

    answer = search_without_scores(api)
    assert answer["memory_detail_list"]
    assert search_without_scores(api, **extra) == answer
    assert api.listed("kim", **extra) == api.listed("kim")
    plain, same = api.add("lee", "I live in Oslo."), api.add("kay", "I live in Oslo.", **extra)
    assert same | {"task_id": plain["task_id"]} == plain
    assert api.current("kay") == api.current("lee") != []


def search_without_scores(api: Api, **extra: Any) -> dict[str, Any]:
    """Scores fall with every second that the memories get older."""
    answer = api.search("kim", "Where does the user live?", **extra)
    return {
        name: [{key: item[key] for key in item if key != "relativity"} for item in value]
        if isinstance(value, list)
        else value
        for name, value in answer.items()
    }
