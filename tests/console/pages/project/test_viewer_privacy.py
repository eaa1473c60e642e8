"""Where a project shows viewers metadata only, no page of it says what anybody said, however it is asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.test import Client

from console.embedded.stack import Stack
from memories.models import Conversation, MemCube, Memory
from skills.values import SkillState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog, Role
from tenancy.people.members import Roles, change_roles
from tenancy.projects.projects import change_settings
from tenancy.projects.viewer_privacy import SETTING, as_setting
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant, message
from tests.support.console.addresses import Address, addresses
from tests.support.console.downloads import read_streamed
from tests.support.console.skill_pages import (
    changed_skill,
    made_skill,
    skill_text,
    space_with,
    talked,
    with_tasks,
)
from tests.support.knowledge.knowledge import fetch_files, filled_base
from tests.support.tenants import make_tenant
from tests.support.waiting import LIMIT, look_until

OF_PROJECT = [address for address in addresses() if address.needs and address.needs[0] == "project"]
# What else a page of this name can be asked for.
VARIANTS = {
    "memories": ["?q={canary}", "?standing=replaced", "?open={memory_id}", "?tab=tools", "?tab=skills"],
    "memory": ["?view=sources", "?view=history", "?view=recall&question={canary}", "?view=json"],
    "knowledge_base": ["?tab=memories", "?tab=memories&q={canary}", "?tab=corrections", "?tab=projects"],
    "skills": ["?q={canary}"],
    "skill": [
        "?path=SKILL.md",
        "?path=notes.txt",
        "?tab=versions",
        "?tab=versions&layout=split",
        "?tab=evidence",
        "?tab=use",
        "?version=1",
    ],
    "skill_download": ["?path=notes.txt"],
    "skill_picture": ["?path=notes.txt"],
    "space": ["?tab=sessions", "?tab=metadata"],
    "session": ["?tab=tasks", "?tab=configs"],
    "session_download": ["?format=openai", "?format=acontext"],
    "user": ["?tab=timeline", "?tab=as-of"],
    "conversation_download": ["?format=openai"],
    "logs": ["?q={canary}"],
}


@dataclass
class Scene:
    """A project in which everything that somebody can have said holds the canary."""

    tenant: Tenant
    canary: str
    known: dict[str, Any] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def places(self) -> Iterator[str]:
        """Every page of the project with what is known, each also in what else it can be asked for."""
        for address in OF_PROJECT:
            for path in self._paths(address):
                yield path
                for query in VARIANTS.get(address.name, []):
                    yield path + query.format(canary=self.canary, **self.known)

    def files(self) -> list[str]:
        """What can be downloaded of the project."""
        known, place = self.known, f"/p/{self.tenant.project_id}"
        return [
            f"{place}/skills/{known['skill_id']}/download/",
            f"{place}/knowledge/{known['base_id']}/files/{known['file_id']}/download/",
            f"{place}/sessions/{known['session_id']}/download/",
        ]

    def _paths(self, address: Address) -> list[str]:
        known = {"project_id": self.tenant.project_id, **self.known}
        if address.name == "log":
            return [address.path(**known, request_id=request_id) for request_id in self.requests]
        if address.name == "memory":
            return [
                address.path(**known | {"memory_id": memory_id}) for memory_id in self.known["memory_ids"]
            ]
        return [address.path(**known)]

    def said_by(self, client: Client, path: str) -> bool:
        """Return whether the canary is on the page or in the fragment."""
        for headers in ({}, {"HX-Request": "true"}):
            answer = client.get(path, headers=headers)
            assert answer.status_code < 500, path
            body = read_streamed(answer)
            content = body + json.dumps(dict(answer.headers)).encode()
            # What the address itself asked for is said back to anyone who asked, in the link that signs in again too.
            for asked in (f"={self.canary}", f'value="{self.canary}"', f"%3D{self.canary}"):
                content = content.replace(asked.encode(), b"")
            if self.canary.encode() in content:
                return True
            if answer.status_code >= 400:  # before anything was read, for a page and a fragment alike
                break
        return False


def fill(scene: Scene, api: Api) -> None:
    tenant, canary = scene.tenant, scene.canary
    api.add("kim", f"I live in {canary}town.", f"I like {canary} tea.", tags=[canary], info={"note": canary})
    api.add("kim", f"I moved to {canary}ville.")
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "look", "arguments": f'{{"at": "{canary}"}}'},
    }
    api.add(
        "kim",
        f"Look up {canary} for me.",
        message("assistant", None, tool_calls=[call]),
        message("tool", f"{canary} is sunny", tool_call_id="c1"),
        message("assistant", f"{canary} is sunny today."),
        conversation_id="tools",
    )
    api.search("kim", f"Where is {canary}?")
    api.call("search/memory", {"user_id": "kim", "query": canary, "relativity": 9})
    feedback = {
        "user_id": "kim",
        "conversation_id": "talk",
        "feedback_content": f"I live in {canary}city now.",
    }
    api.wait_until_done(api.data("add/feedback", feedback)["task_id"])
    base = filled_base(api, {"faq.md": f"# {canary}\n\nThe company pays for {canary} parking.".encode()})
    (file,) = fetch_files(api, base)
    skill = made_skill(tenant, files={"notes.txt": canary}, text=skill_text(f"Go to {canary}"))
    changed_skill(tenant, skill, skill_text(f"Leave {canary}"), reason=canary)
    made_skill(tenant, user="kim", text=skill_text(f"Draft {canary}"), state=SkillState.ARCHIVED)
    session = talked(tenant)
    with_tasks(tenant, session)
    with tenant_scope(tenant.project):
        session.messages.update(parts=[{"type": "text", "text": canary}])
        session.tasks.update(data={"task_description": canary, "progresses": [canary]})
    space = space_with(tenant, session)
    with tenant_scope(tenant.project):
        memories = Memory.objects.within(MemCube.objects.within(tenant.project)).order_by("created_at")
        every = [str(key) for key in memories.values_list("pk", flat=True)]
        # One of each kind, now and in the past, has all that its page can show.
        one_of_each = {(memory.kind, memory.valid_until is None): str(memory.pk) for memory in memories}
        keys = list(one_of_each.values())
        talk = Conversation.objects.within(tenant.project).get(external_id="tools").pk
    scene.known = {
        "memory_id": keys[0],
        "base_id": base,
        "file_id": file["id"],
        "skill_id": skill.pk,
        "session_id": session.pk,
        "space_id": space.pk,
        "user_id": "kim",
        "conversation_id": talk,
    }
    thrown = next(key for key in every if key not in keys)
    scene.known["memory_ids"] = [*keys, thrown]
    owner = sign_in(get_owner(tenant))
    owner.post(f"/p/{tenant.project_id}/memories/{thrown}/delete/", {"confirmed": "yes"})
    scene.requests = all_logged(tenant)


def all_logged(tenant: Tenant, at_least: int = 7, seconds: float = LIMIT) -> list[str]:
    """One call of each kind. Log entries are stored a moment after the answers."""
    return look_until(lambda: logged(tenant), lambda request_ids: len(request_ids) >= at_least, seconds)


def logged(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.project):
        calls = RequestLog.objects.within(tenant.project).order_by("created_at")
        return list({(call.endpoint, call.code): call.request_id for call in calls}.values())


@pytest.fixture
def scene(tenant: Tenant, api: Api) -> Iterator[Scene]:
    scene = Scene(tenant, f"Q{uuid4().hex[:12]}")
    fill(scene, api)
    yield scene
    connections.close_all()


def hide(tenant: Tenant, *, metadata_only: bool = True) -> None:
    change_settings(tenant.project, SETTING, as_setting(metadata_only=metadata_only), get_owner(tenant))


def test_no_page_no_fragment_and_no_file_tells_a_viewer_what_was_said(scene: Scene) -> None:
    hide(scene.tenant)
    account = scene.tenant.project.account
    viewer, developer = (sign_in(add_member(account, role)) for role in (Role.VIEWER, Role.DEVELOPER))
    places = list(scene.places())

    leaking_paths = [path for path in places if scene.said_by(viewer, path)]

    assert leaking_paths == []
    for file in scene.files():
        answer = viewer.get(file)
        assert (answer.status_code, b"metadata only" in answer.content) == (403, True), file
    paths_that_tell = islice((path for path in places if scene.said_by(developer, path)), 12)
    assert len(list(paths_that_tell)) == 12  # else the walk looked in the wrong places


@pytest.fixture(scope="module")
def hidden(stack: Stack) -> Tenant:
    """Whose memory no viewer is to read."""
    tenant = make_tenant(stack)
    hide(tenant)
    with tenant.api() as api:
        api.add("kim", "I live in Lisbon.")
    return tenant


def test_viewers_read_everything_where_nothing_is_hidden(tenant: Tenant, api: Api) -> None:
    hide(tenant)
    api.add("kim", "I live in Lisbon.")
    hide(tenant, metadata_only=False)
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    assert b"Lisbon" in viewer.get(f"/p/{tenant.project_id}/memories/").content


def test_anyone_who_is_a_viewer_in_this_project_only_is_told_nothing_here(hidden: Tenant) -> None:
    tenant = hidden
    member = add_member(tenant.project.account, Role.DEVELOPER)
    roles = Roles(Role.DEVELOPER, {tenant.project_id: "viewer"})
    change_roles(tenant.project.account, member, roles, get_owner(tenant))

    page = sign_in(member).get(f"/p/{tenant.project_id}/memories/").content

    assert b"kim" in page
    assert b"Lisbon" not in page
    assert "•••••".encode() in page


def test_the_reason_of_an_edit_tells_a_viewer_nothing(tenant: Tenant, api: Api) -> None:
    hide(tenant)
    api.add("kim", "I live in Lisbon.")
    memory = api.listed("kim")["memory_detail_list"][0]["id"]
    page = f"/p/{tenant.project_id}/memories/{memory}/"
    wanted = {"text": "The user lives in Porto.", "seen": "1", "reason": "Her doctor said so"}
    sign_in_owner(tenant).post(f"{page}edit/", wanted)
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    history = viewer.get(f"{page}?view=history", headers={"HX-Request": "true"}).content.decode()

    assert "updated by hand: •••••" in history
    assert (
        "doctor"
        not in history + viewer.get(f"/p/{tenant.project_id}/users/kim/?tab=timeline").content.decode()
    )
    assert (
        "Her doctor said so"
        in sign_in_owner(tenant).get(f"{page}?view=history", headers={"HX-Request": "true"}).content.decode()
    )


def test_a_search_for_a_word_tells_a_viewer_nothing(hidden: Tenant) -> None:
    viewer = sign_in(add_member(hidden.project.account, Role.VIEWER))

    pages = [viewer.get(f"/p/{hidden.project_id}/memories/?q={word}") for word in ("Lisbon", "Oslo")]

    counts = [page.content.count(b"data-row") for page in pages]
    assert counts[0] == counts[1] == 1
    assert "shows viewers metadata only" in pages[0].content.decode()  # which says why words are missing


def test_no_order_tells_a_viewer_where_a_word_stands(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    hide(tenant)
    made = [str(made_skill(tenant, name).pk) for name in ("Zebra", "Apple", "Mango")]
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))
    place = f"/p/{tenant.project_id}/skills/"

    for after in ("", f"N~{uuid4()}", f"A~{uuid4()}"):
        page = viewer.get(f"{place}?sort=name&after={after}").content.decode()
        assert sorted(made, key=page.index) == made[::-1]
        assert "By name" not in page

    monkeypatch.setattr("console.ui.lists.sorting.PAGE_SIZE", 2)
    first = viewer.get(f"{place}?sort=name").content.decode()
    (after,) = set(re.findall(r'[?&;](after=[^"&]+)', first))
    second = viewer.get(f"{place}?sort=name&{after}").content.decode()
    assert [[f"/skills/{key}/" in page for key in made] for page in (first, second)] == [
        [False, True, True],
        [True, False, False],
    ]
