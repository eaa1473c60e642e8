"""Anyone who is erased is nowhere any more: not their words, and not the id by which an application names them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx
import pytest
import redis
from django.db import connections
from django.urls import reverse
from django.utils import timezone

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from memories.lifecycle.erased_cubes import clear_erased_cubes
from memories.models import Conversation, MemCube, Message
from memories.retrieval.browse.recall_tests import save_recall_test
from memories.retrieval.cache.snapshots import drop_erased, snapshots
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import search_memories
from memories.values import OwnerKind, Subject
from skills.models import SpaceUser
from tenancy.errors import InvalidParameters
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Api, Tenant, message
from tests.support.documents.attaching import POLICY, encoded, file
from tests.support.documents.attaching import text as said
from tests.support.knowledge.knowledge import filled_base
from tests.support.knowledge.search_everything import find_places
from tests.support.skills.contract import archive, connect_http, skill_md
from tests.support.skills.travellers import INTENSE, tell
from tests.support.waiting import look_until, wait_until

# Log files of processes; those of the database hold no values by their settings, and are looked at too.
LOGS = ("logs/*", "postgres/server.log", "postgres/*.out")


@pytest.fixture
def admin(stack: Stack) -> Iterator[str]:
    yield Postgres(DataFolder(stack.path)).admin_url
    connections.close_all()


@pytest.fixture
def canary() -> str:
    """As an address of mail, with letters that addresses and JSON write otherwise."""
    return f"Canary.{uuid4().hex[:12]}+é/“x”@example.org"


def unmistakable(word: str) -> str:
    """What is the same in JSON, addresses and SQL, whatever becomes of the other letters."""
    return word.split("+")[0]


def in_redis(stack: Stack, word: str) -> list[str]:
    client = redis.Redis.from_url(stack.environment["REDIS_URL"])
    return [
        key.decode(errors="replace")
        for key in client.scan_iter()
        if word.encode() in key + _value(client, key)
    ]


def _value(client: Any, key: bytes) -> bytes:
    readers = {
        b"string": lambda: client.get(key),
        b"list": lambda: client.lrange(key, 0, -1),
        b"set": lambda: client.smembers(key),
        b"zset": lambda: client.zrange(key, 0, -1, withscores=True),
        b"hash": lambda: client.hgetall(key),
        b"stream": lambda: client.xrange(key),
        b"none": lambda: b"",
    }
    reply = readers[client.type(key)]()
    return reply if isinstance(reply, bytes) else repr(reply).encode()


def in_files(stack: Stack, word: str) -> list[str]:
    """Names and contents below the folder of files, and the logs."""
    stored = [path for path in (stack.path / "files").rglob("*") if word in str(path) or _holds(path, word)]
    logs = [path for pattern in LOGS for path in stack.path.glob(pattern) if _holds(path, word)]
    return [str(path) for path in [*stored, *logs, stack.output] if path in stored or _holds(path, word)]


def _holds(path: Path, word: str) -> bool:
    return path.is_file() and word.encode() in path.read_bytes()


def find_traces(stack: Stack, admin: str, user: str) -> list[str]:
    word = unmistakable(user)
    return [*find_places(admin, word), *in_redis(stack, word), *in_files(stack, word)]


def until_nowhere(stack: Stack, admin: str, user: str) -> list[str]:
    """Request logs are written a moment after their answers."""
    return look_until(
        lambda: find_traces(stack, admin, user), lambda places: not places, otherwise="still there"
    )


def live(tenant: Tenant, api: Api, user: str) -> None:
    """All that the memory API has for an end user; the id is named wherever it can be."""
    base = filled_base(api, {"policy.md": POLICY})
    named = {"tags": [user[:100]], "info": {"login": user}, "app_id": user[:100], "agent_id": user[:100]}
    parts = [
        said(f"I am {user} and live in Porto."),
        file(encoded(POLICY + user.encode()), f"{user[:20]}.md"),
    ]
    api.add(user, message("user", parts, role_id=user), conversation_id=user[:100], **named)
    tell(tenant, api, user, INTENSE)
    api.add(
        user,
        "The hotel limit is 130 euros, not 120 euros.",
        allow_knowledgebase_ids=[base],
        allow_public=True,
    )
    key = {"Idempotency-Key": f"add {user}".encode()}
    body = {"user_id": user, "messages": [message("user", "I like tea.")]}
    api.wait_until_done(api.call("add/message", body, headers=key).json()["data"]["task_id"])
    group = {"messages": [message("user", "We go to Rome.", role_id=user, role_name="Kim")]}
    api.data(
        "add/message", {"user_id": [user, "lee"], "conversation_id": "group", "async_mode": False, **group}
    )
    for feedback in (f"I am not {user}, I live in Lagos now.", "Forget that I like tea."):
        request = {"user_id": user, "feedback_content": feedback, "conversation_id": user[:100]}
        api.wait_until_done(api.data("add/feedback", request)["task_id"])
    api.search(user, f"Where does {user} live?", include_skill=True, knowledgebase_ids=[base])
    for memory in api.listed(user)["memory_detail_list"][:2]:
        api.get(f"get/memory/{memory['id']}")
        api.data("update/memory", {"memory_id": memory["id"], "title": user[:100]})
    api.data("get/message", {"user_id": user, "conversation_id": user[:100]})
    api.data("chat", {"user_id": user, "conversation_id": "chat", "query": f"Who is {user}?"})
    template = api.data("add/profile_template", {"name": "Person", "metadata": {"home": {"value": ""}}})
    binding = {"user_id": user, "profile_template_id": template["profile_template_id"]}
    api.data("bind/profile_template", {"bind_list": [binding]})
    api.data("edit/profile", binding | {"metadata": {"home": {"value": user}}})
    asked = {"user_id": user, "query": f"Where does {user} live?"}
    look_until(lambda: save_marks(api, tenant, asked), bool, otherwise="a memory is replaced each time")


def save_marks(api: Api, tenant: Tenant, asked: dict[str, str]) -> bool:
    """Return whether the recall test could be saved, which it cannot while one of its memories is being replaced."""
    known = [UUID(memory["id"]) for memory in api.listed(asked["user_id"])["memory_detail_list"]]
    try:
        with tenant_scope(tenant.project):
            save_recall_test(tenant.project, get_owner(tenant), asked, known, [])
    except InvalidParameters:
        return False
    return True


def err(api: Api, user: str) -> None:
    """Calls that are refused, each of which names the user in its own way."""
    api.call("search/memory", {"userId": user, "query": "x"})
    api.call("add/message", {"user_id": user, "messages": "none"})
    api.call("delete/memory", {"user_id": user, "conversation_id": "talk"})
    api.call(
        "edit/profile", {"user_id": user, "profile_template_id": "none", "metadata": {"a": {"value": 1}}}
    )
    for broken in (f'{{"user_id": {json.dumps(user)}, ', f"{{'user_id': '{user}'}}", f"user_id={user!r}"):
        api.post("search/memory", content=broken.encode())


def test_a_user_deleted_by_the_api_is_nowhere_by_their_id(
    stack: Stack, tenant: Tenant, api: Api, admin: str, canary: str
) -> None:
    live(tenant, api, canary)
    err(api, canary)
    assert len(find_places(admin, unmistakable(canary))) > 15

    api.data("delete/memory", {"user_id": canary})

    assert until_nowhere(stack, admin, canary) == []


def test_who_comes_back_under_the_same_id_is_a_new_user(tenant: Tenant, api: Api, canary: str) -> None:
    api.add(canary, "I live in Porto.", "I like tea.")
    api.data("delete/memory", {"user_id": canary})

    api.add(canary, "I live in Oslo.")
    api.wait_until_done(
        api.data("add/feedback", {"user_id": canary, "feedback_content": "I live in Bergen now."})["task_id"]
    )

    assert "Bergen" in api.facts(canary, "Where does the user live?")[0]
    assert "Porto" not in repr(api.listed(canary))
    answer = api.data(
        "chat", {"user_id": canary, "conversation_id": "new", "query": "I have a dog called Rex."}
    )
    assert answer["response"]
    talk = api.data("get/message", {"user_id": canary, "conversation_id": "new"})["message_detail_list"]
    assert len(talk) == 2
    api.data("delete/memory", {"user_id": canary})
    assert api.call("delete/memory", {"user_id": canary}).json()["code"] == 40308


def test_what_earlier_versions_left_of_deleted_users_is_cleared_away(
    tenant: Tenant, api: Api, canary: str
) -> None:
    api.add("kim", "I live in Porto.")
    project = tenant.project
    owner = {"account_id": project.account_id, "project": project, "owner_kind": OwnerKind.END_USER}
    with tenant_scope(project):
        MemCube.objects.create(**owner, owner_id=canary, epoch=1)
        MemCube.objects.within(project).filter(owner_id="kim").update(epoch=3)

    clear_erased_cubes()

    with tenant_scope(project):
        left = MemCube.objects.within(project).filter(owner_kind=OwnerKind.END_USER)
        assert list(left.values_list("owner_id", flat=True)) == ["kim"]
    assert "Porto" in api.facts("kim", "Where does the user live?")[0]


def test_those_who_were_there_keep_a_group_talk_without_the_name(
    tenant: Tenant, api: Api, canary: str
) -> None:
    messages = [
        message("user", "We go to Rome.", role_id=canary, role_name="Kim"),
        message("user", "I like trains.", role_id="lee", role_name="Lee"),
    ]
    api.data("add/message", {"user_id": [canary, "lee"], "messages": messages, "async_mode": False})

    api.data("delete/memory", {"user_id": canary})

    with tenant_scope(tenant.project):
        (talk,) = Conversation.objects.within(tenant.project).filter(cube__owner_id="lee")
        kept = Message.objects.within(tenant.project).filter(conversation=talk)
        assert [(row.text, row.extra) for row in kept.order_by("position")] == [
            ("We go to Rome.", {}),
            ("I like trains.", {"role_id": "lee", "role_name": "Lee"}),
        ]


def live_as_agents_do(http: httpx.Client, user: str) -> None:
    """All that the agents' contract has for a person."""
    session = created(http.post("session", json={"user": user, "configs": {"login": user}}))
    space = created(http.post("learning_spaces", json={"user": user, "meta": {"login": user}}))
    created(http.post(f"learning_spaces/{space}/learn", json={"session_id": session}))
    blob = {"role": "user", "content": f"Book a table for {user}."}
    created(http.post(f"session/{session}/messages", json={"blob": blob, "meta": {"login": user}}))
    package = {"file": ("visits.zip", archive({"SKILL.md": skill_md("visits")}))}
    created(http.post("agent_skills", files=package, data={"user": user}))
    http.get("learning_spaces", params={"user": user})
    for path in ("session", "user/ls", "agent_skills", f"learning_spaces/{space}/skills"):
        assert http.get(path).status_code == 200
    # Refused: an id that is none, an object that is none, and no JSON at all.
    assert http.post("session", json={"user": user, "use_uuid": "x"}).status_code == 400
    assert http.post("learning_spaces", json={"user": user, "meta": "x"}).status_code == 400
    assert http.post("session", content=f'{{"user": "{user}", '.encode()).status_code == 400


def created(answer: httpx.Response) -> str:
    assert answer.status_code == 201, answer.text
    return str(answer.json()["data"]["id"])


def test_people_are_nowhere_by_their_identifier_whichever_way_they_were_deleted(
    stack: Stack, tenant: Tenant, api: Api, admin: str, canary: str
) -> None:
    by_agent, in_console, on_page = people = [f"{canary}{letter}" for letter in "abc"]
    for person in people:
        with connect_http(tenant) as http:
            live_as_agents_do(http, person)
    for person in (in_console, on_page):
        api.add(person, f"I am {person} and live in Porto.", conversation_id=person[:100])
    assert find_places(admin, unmistakable(canary), tables="skills_")

    with connect_http(tenant) as http:
        assert http.delete(f"user/{quote(by_agent, safe='')}").status_code == 200
    delete_in_console_with_memories(tenant, in_console)
    address = reverse("console:user_delete", args=[tenant.project_id, on_page])
    receipt = sign_in_owner(tenant).post(address, {"typed": on_page, "sessions": "yes"})

    assert "memories can still be recalled" in receipt.content.decode()
    assert until_nowhere(stack, admin, canary) == []


def delete_in_console_with_memories(tenant: Tenant, user: str) -> None:
    owner = sign_in_owner(tenant)
    place = reverse("console:spaces_people", args=[tenant.project_id])
    assert unmistakable(user) in owner.get(place, {"q": unmistakable(user)}).content.decode()
    memories = reverse("console:memories", args=[tenant.project_id])
    assert "Porto" in owner.get(memories, {"subject": user}).content.decode()
    with tenant_scope(tenant.project):
        person = SpaceUser.objects.within(tenant.project).get(identifier=user)
    address = reverse("console:spaces_person_delete", args=[tenant.project_id, person.pk])
    assert owner.post(address, {"typed": user, "memories": "yes"}, follow=True).status_code == 200


def test_a_user_deleted_in_the_console_alone_stays_remembered_and_the_dialog_says_so(
    tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Porto.", "I like tea.")
    with connect_http(tenant) as http:
        created(http.post("session", json={"user": "kim"}))
    with tenant_scope(tenant.project):
        person = SpaceUser.objects.within(tenant.project).get(identifier="kim")
    owner = sign_in_owner(tenant)
    address = reverse("console:spaces_person_delete", args=[tenant.project_id, person.pk])

    dialog = " ".join(re.sub("<[^>]*>", " ", owner.get(address).content.decode()).split())
    answer = owner.post(address, {"typed": "kim"}, follow=True)

    assert "Sessions 1 Learning spaces 0 Skills 0" in dialog
    assert "Also delete the memories of the end user with this ID Memories 2 Messages 2" in dialog
    assert "The end user's memories are kept" in html.unescape(answer.content.decode())
    assert "Porto" in api.facts("kim", "Where does the user live?")[0]


def holding(project: Project, cube: MemCube) -> list[Any]:
    return snapshots.holding(cube.pk)


def searched_here(project: Project, user: str) -> MemCube:
    """The cube of a user who was searched by this process, which is another one than the server's."""
    search_memories(project, SearchQuery(Subject(OwnerKind.END_USER, user), "Where does the user live?"))
    with tenant_scope(project):
        cube: MemCube = MemCube.objects.within(project).get(owner_id=user)
    assert holding(project, cube)
    return cube


def test_another_process_drops_what_it_kept_as_soon_as_the_user_is_deleted(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Porto.", allow_public=True)
    api.add("lee", "I live in Oslo.")
    project = tenant.project
    cubes = [searched_here(project, user) for user in ("kim", "lee")]

    api.data("delete/memory", {"user_id": "kim"})

    # Lee's snapshot held what Kim had made public.
    wait_until(lambda: not any(holding(project, cube) for cube in cubes))


def test_a_process_that_heard_nothing_of_a_deletion_finds_it_in_the_database(
    tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Porto.")
    project = tenant.project
    cube = searched_here(project, "kim")
    (key,) = holding(project, cube)
    kept = snapshots.get(key)
    assert kept is not None
    api.data("delete/memory", {"user_id": "kim"})
    wait_until(lambda: not holding(project, cube))
    with tenant_scope(project), snapshots.reading(key) as reading:
        assert snapshots.put(reading, kept)  # as if the message had been lost

    drop_erased(timezone.now() - timedelta(minutes=2))

    assert not holding(project, cube)
