"""Every address of the console that changes something writes one entry into the audit log, and no more.

A page that is new and can be posted to fails here until its line says how it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from allauth.usersessions.models import UserSession
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memories.models import MemCube
from skills.sessions import NewSession, create_session
from skills.spaces import create_space, include_skill
from tenancy.invitations import invite
from tenancy.key_changes import rotate_key
from tenancy.keys import create_key
from tenancy.models import ApiKey, AuditEvent, Role, User
from tenancy.scoping import tenant_scope
from tests.api_client import Tenant
from tests.console.addresses import Address, addresses
from tests.console.skill_pages import made_skill, skill_text
from tests.knowledge import files_of, filled_base
from tests.people import member_of, new_person, owner_of, sign_in, sign_in_owner

Body = dict[str, Any]
DAYS = {"expire_working_days": "3", "archive_doubtful_days": "0", "expire_archived_days": "0"}
KEY = {"name": "laptop", "scope": "read", "expiry": "", "ranges": "", "daily_cap": ""}


class Scene:
    """A developer with what each page needs, made when a page needs it."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.project = tenant.project
        self.account = tenant.project.account
        self.owner = owner_of(tenant)
        self.known: dict[str, Any] = {"account_id": self.account.pk, "project_id": self.project.pk}

    def client(self) -> Client:
        return sign_in_owner(self.tenant)

    def with_key(self, *, is_rotating: bool = False) -> None:
        key: ApiKey = create_key(self.project, "backend", created_by=self.owner).key
        if is_rotating:
            rotate_key(key, timedelta(hours=1), self.owner)
        self.known["key_id"] = key.pk

    def with_member(self) -> User:
        member = member_of(self.account, Role.DEVELOPER)
        self.known["member_id"] = member.pk
        return member

    def with_invitation(self, email: str = "") -> str:
        sent = invite(self.account, email or f"{uuid4().hex}@example.org", Role.VIEWER, self.owner)
        self.known |= {"invitation_id": sent.invitation.pk, "token": sent.token}
        return sent.token

    def with_memory(self) -> str:
        with self.tenant.api() as api:
            api.add("kim", "I live in Lisbon.")
            (fact,) = api.search("kim", "Where do I live?")["memory_detail_list"]
        self.known["memory_id"] = fact["id"]
        return str(fact["id"])

    def with_base(self) -> str:
        with self.tenant.api() as api:
            base = filled_base(api, {"faq.md": b"# Parking\n\nThe company pays for parking."}, "Policies")
            (file,) = files_of(api, base)
        other = self.account.projects.create(name="staging")
        self.known |= {"base_id": base, "file_id": file["id"], "linked_id": other.pk}
        return base

    def with_skill(self, *, state: str = "active") -> Any:
        skill = made_skill(self.tenant, state=state)
        self.known["skill_id"] = skill.pk
        return skill

    def with_space(self) -> Any:
        space = create_space(self.project, "kim", {})
        self.known["space_id"] = space.pk
        return space

    def with_session(self) -> Any:
        session, _ = create_session(self.project, NewSession("kim", False, None))
        self.known["session_id"] = session.pk
        return session


def of_key(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_key(is_rotating=True)
        return body

    return act


def of_member(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_member()
        return body

    return act


def of_memory(body: Body, **known: str) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_memory()
        scene.known |= known
        return body

    return act


def of_base(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_base()
        return body

    return act


def of_invitation(scene: Scene) -> Body:
    scene.with_invitation()
    return {}


def of_named(name: str) -> Callable[[Scene], Body]:
    """Confirmed by typing the name of the account or the project."""
    return lambda scene: {"typed": getattr(scene, name).name}


def of_transfer(scene: Scene) -> Body:
    scene.with_member()
    return {"typed": scene.account.name}


def of_other_project(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        other = scene.account.projects.create(name="staging")
        scene.known["project_id"] = other.pk
        return body | ({"typed": "staging"} if "typed" in body else {})

    return act


def of_linking(scene: Scene) -> Body:
    scene.with_base()
    return {"chosen": str(scene.known["linked_id"])}


def of_unlinking(scene: Scene) -> Body:
    scene.with_base()
    scene.known["linked_id"] = scene.project.pk
    return {}


def of_associating(scene: Scene) -> Body:
    base = scene.with_base()
    scene.known["project_id"] = scene.known["linked_id"]
    return {"chosen": base}


def of_upload(scene: Scene) -> Body:
    scene.with_base()
    return {"files": SimpleUploadedFile("b.md", b"# Laptops\n\nAsk the IT desk.")}


def of_memories(scene: Scene) -> Body:
    return {"ids": [scene.with_memory()], "confirmed": "yes"}


def of_skill(body: Body, state: str = "active", **known: Any) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_skill(state=state)
        scene.known |= known
        return body

    return act


def of_space(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_space()
        return body

    return act


def of_session(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_session()
        return body

    return act


def of_learning(scene: Scene) -> Body:
    scene.with_space()
    return {"chosen": str(scene.with_session().pk)}


def of_including(scene: Scene) -> Body:
    scene.with_space()
    return {"chosen": str(scene.with_skill().pk)}


def of_excluding(scene: Scene) -> Body:
    include_skill(scene.project, scene.with_space().pk, scene.with_skill().pk)
    return {}


def of_session_elsewhere(scene: Scene) -> Body:
    sign_in_owner(scene.tenant).get("/me/")
    session = UserSession.objects.filter(user=scene.owner).latest("pk")
    scene.known["session_id"] = session.pk
    return {}


ACTS: dict[str, Callable[[Scene], Body]] = {
    "quickstart_key": lambda _: {},
    "api_key_new": lambda _: KEY,
    "api_keys_revoke_all": of_named("project"),
    "api_key_edit": of_key(KEY),
    "api_key_rotate": of_key({"overlap": "1h"}),
    "api_key_end_overlap": of_key({}),
    "api_key_revoke": of_key({"confirmed": "yes"}),
    "api_key_leaked": of_key({"confirmed": "yes"}),
    "memories_delete": of_memories,
    "memory_delete": of_memory({"confirmed": "yes"}),
    "memory_status": of_memory({"confirmed": "yes"}, move="freeze"),
    "knowledge_new": lambda _: {"name": "Manuals"},
    "knowledge_associate": of_associating,
    "knowledge_edit": of_base({"name": "Rules", "description": "All of them."}),
    "knowledge_upload": of_upload,
    "knowledge_address": of_base({"url": "https://files.example.invalid/a.pdf"}),
    "knowledge_tell": of_base({"words": "Parking is paid for by the driver."}),
    "knowledge_file_again": of_base({}),
    "knowledge_file_delete": of_base({}),
    "knowledge_link": of_linking,
    "knowledge_unlink": of_unlinking,
    "knowledge_delete": of_base({"typed": "Policies"}),
    "settings": lambda _: DAYS,
    "project_new": lambda _: {"name": "staging"},
    "project_edit": of_other_project({"name": "production"}),
    "project_delete": of_other_project({"typed": ""}),
    "member_leave": of_member({}),
    "member_roles": of_member({"role": "viewer"}),
    "member_remove": of_member({"revoke_keys": "yes"}),
    "account_transfer": of_transfer,
    "account_delete": of_named("account"),
    "audit_verify": lambda _: {},
    "audit_export": lambda _: {"format": "jsonl"},
    "invitation_new": lambda _: {"emails": f"{uuid4().hex}@example.org", "role": "viewer", "days": "7"},
    "invitation_again": of_invitation,
    "invitation_revoke": of_invitation,
    "me": lambda _: {"first_name": "Ana", "last_name": "Silva"},
    "sessions_end": lambda _: {},
    "session_end": of_session_elsewhere,
    "skill_edit": of_skill({"text": skill_text("Farewell"), "seen": "1"}),
    "skill_move": of_skill({}, move="archive"),
    "skill_delete": of_skill({}),
    "space_new": lambda _: {"user": "kim", "meta": "{}"},
    "space_delete": of_space({}),
    "space_learn": of_learning,
    "space_include": of_including,
    "space_exclude": of_excluding,
    "session_new": lambda _: {"user": "kim", "tracks": "on"},
    "session_delete": of_session({}),
}
# Posted to without changing anything: a choice of language, a preview.
NOTHING = {"set_language", "skill_preview"}
# Their stories are longer than a post: the tests of their pages look for the entry.
ELSEWHERE = {
    "invitation",
    "login_delete",
    "knowledge_revert",
    "settings_skills",
    "settings_tasks",
    "skill_upload",
    "skills_bulk",
    "skill_restore",
    "skill_merge",
    "skill_copy",
    "spaces_person_delete",
    "space_edit",
    "space_meta",
    "session_configs",
}
ALL = {one.name: one for one in addresses()}


def entries(scene: Scene) -> int:
    with tenant_scope(scene.account):
        return int(AuditEvent.objects.within(scene.account).count())


@pytest.mark.parametrize("name", ACTS)
def test_it_writes_one_entry(tenant: Tenant, name: str) -> None:
    scene = Scene(tenant)
    client = scene.client()
    body = ACTS[name](scene)
    if name == "member_leave":
        client = sign_in(User.objects.get(pk=scene.known["member_id"]))
    client.get("/me/")
    before = entries(scene)

    answer = client.post(ALL[name].path(**scene.known), body)

    assert answer.status_code in {200, 302}, answer.content.decode()[:2_000]
    assert entries(scene) == before + 1


def test_every_address_that_can_be_posted_to_is_listed(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    listed = ACTS.keys() | NOTHING | ELSEWHERE

    found = {
        address.name
        for address in ALL.values()
        if address.name not in listed and takes_posts(address, client, tenant)
    }

    assert found == set()
    assert ALL.keys() >= listed


def takes_posts(address: Address, client: Client, tenant: Tenant) -> bool:
    """Asked with an empty form about made-up objects, so that nothing happens."""
    known: dict[str, Any] = {"account_id": tenant.project.account_id}
    if "account_id" not in address.parameters:
        known["project_id"] = tenant.project.pk
    return client.post(address.path(**known)).status_code != 405


def test_accepting_an_invitation_and_deleting_a_login_are_one_entry_each(tenant: Tenant) -> None:
    scene, person = Scene(tenant), new_person()
    token = scene.with_invitation(person.email)
    theirs = sign_in(person)
    before = entries(scene)

    theirs.post(f"/invite/{token}/")
    joined = entries(scene)
    theirs.post("/me/delete/", {"typed": person.email})

    assert (joined, entries(scene)) == (before + 1, before + 2)


def test_no_entry_holds_what_somebody_said(tenant: Tenant) -> None:
    scene = Scene(tenant)
    client = scene.client()
    client.post(
        ALL["memory_delete"].path(**{**scene.known, "memory_id": scene.with_memory()}), {"confirmed": "yes"}
    )

    with tenant_scope(scene.account):
        told = [str(one.detail) for one in AuditEvent.objects.within(scene.account)]
        left = MemCube.objects.within(scene.project).count()
    assert left
    assert not any("Lisbon" in one for one in told)
