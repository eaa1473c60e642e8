"""What each page of the console that changes something needs, and how it is used: a scene and a body to be posted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

from allauth.usersessions.models import UserSession
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from console.data.sample_data.job import add_sample_data
from console.sign_in.second_factor import ask_everybody
from knowledgebase.corrections.corrections import list_corrections
from memories.engine.provider_settings import save_own_model
from memories.models import Conversation, Task
from memories.values import TaskKind
from skills.models import SpaceUser
from skills.sessions.sessions import NewSession, create_session
from skills.spaces.spaces import create_space, include_skill
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.changes import rotate_key
from tenancy.keys.keys import create_key
from tenancy.models import ApiKey, Project, Role, User
from tenancy.people.invitations import invite_member
from tenancy.projects.model_providers import ProviderInput
from tenancy.projects.projects import archive_project
from tests.support.accounts.people import add_member, get_owner, give_factor, new_person, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.addresses import addresses
from tests.support.console.skill_pages import changed_skill, made_skill, skill_text
from tests.support.documents.policies import LIMITS, create_base_with_passages
from tests.support.knowledge.knowledge import new_base, upload, wait_for_files
from tests.support.tasks.feedback import give
from tests.support.tasks.many_memories import hold_facts

Body = dict[str, Any]
TOLD = "The procurement limit for office software is 600 yuan, not 800 yuan."
DAYS = {"retention-request_log_days": "3", "retention-message_days": "0"}
KEY = {"name": "laptop", "scope": "read", "expiry": "", "ranges": "", "daily_cap": ""}
ALL = {address.name: address for address in addresses()}


class Scene:
    """A developer with what each page needs, made when a page needs it."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.project = tenant.project
        self.account = tenant.project.account
        self.owner = get_owner(tenant)
        self.known: dict[str, Any] = {"account_id": self.account.pk, "project_id": self.project.pk}

    def client(self) -> Client:
        return sign_in_owner(self.tenant)

    def with_key(self, *, is_rotating: bool = False) -> None:
        key: ApiKey = create_key(self.project, "backend", created_by=self.owner).key
        if is_rotating:
            rotate_key(key, timedelta(hours=1), self.owner)
        self.known["key_id"] = key.pk

    def with_member(self) -> User:
        member = add_member(self.account, Role.DEVELOPER)
        self.known["member_id"] = member.pk
        return member

    def with_invitation(self, email: str = "") -> str:
        sent = invite_member(self.account, email or f"{uuid4().hex}@example.org", Role.VIEWER, self.owner)
        self.known |= {"invitation_id": sent.invitation.pk, "token": sent.token}
        return sent.token

    def with_memory(self) -> str:
        [memory] = hold_facts(self.tenant, "kim", "The user lives in Lisbon.")
        self.known["memory_id"] = str(memory.pk)
        return str(self.known["memory_id"])

    def with_talk(self) -> None:
        """A memory with the conversation and the task that it is from."""
        with self.tenant.api() as api:
            api.add("kim", "I live in Lisbon.")

    def with_empty_base(self) -> str:
        base = new_base(self.tenant, "Policies")
        self.known |= {"base_id": base, "linked_id": self.account.projects.create(name="staging").pk}
        return base

    def with_base(self) -> str:
        base = self.with_empty_base()
        with self.tenant.api() as api:
            upload(api, base, {"faq.md": b"# Parking\n\nThe company pays for parking."})
            (file,) = wait_for_files(api, base)
        self.known["file_id"] = file["id"]
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


def of_edited_memory(scene: Scene) -> Body:
    """Edited once, so that there is a version to restore."""
    memory_id = scene.with_memory()
    with scene.tenant.api() as api:
        api.data("update/memory", {"memory_id": memory_id, "content": "The user lives in Porto."})
    scene.known["number"] = 1
    return {"seen": "2"}


def of_base(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        scene.with_empty_base()
        return body

    return act


def of_file(scene: Scene) -> Body:
    scene.with_base()
    return {}


def of_invitation(scene: Scene) -> Body:
    scene.with_invitation()
    return {}


def of_named(name: str) -> Callable[[Scene], Body]:
    """Confirmed by typing the name of the account or the project."""
    return lambda scene: {"typed": getattr(scene, name).name}


def of_asking(scene: Scene) -> Body:
    give_factor(scene.owner)
    return {"typed": scene.account.name}


def of_no_longer_asking(scene: Scene) -> Body:
    body = of_asking(scene)
    ask_everybody(scene.account, scene.owner, asks=True)
    return body


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
    scene.with_empty_base()
    return {"chosen": str(scene.known["linked_id"])}


def of_unlinking(scene: Scene) -> Body:
    scene.with_empty_base()
    scene.known["linked_id"] = scene.project.pk
    return {}


def of_associating(scene: Scene) -> Body:
    base = scene.with_empty_base()
    scene.known["project_id"] = scene.known["linked_id"]
    return {"chosen": base}


def of_upload(scene: Scene) -> Body:
    scene.with_empty_base()
    return {"files": SimpleUploadedFile("b.md", b"# Laptops\n\nAsk the IT desk.")}


def of_memories(scene: Scene) -> Body:
    scene.known["action"] = "archive"
    return {"ids": [scene.with_memory()], "confirmed": "yes"}


def of_trashed(body: Body) -> Callable[[Scene], Body]:
    def act(scene: Scene) -> Body:
        key = scene.with_memory()
        scene.client().post(ALL["memory_delete"].path(**scene.known), {"confirmed": "yes"})
        return body | {"ids": [key]}

    return act


def of_section(scene: Scene) -> Body:
    scene.known["section"] = "retention"
    return DAYS


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


def of_archived(scene: Scene) -> Body:
    of_other_project({})(scene)
    archive_project(scene.account.projects.get(name="staging"), scene.owner)
    return {}


PROVIDER = {
    "provider-base_url": "https://models.example.com/v1",
    "provider-model": "tiny-1",
    "provider-has_no_key": "on",
}


def of_provider(scene: Scene) -> Body:
    save_own_model(
        scene.project, ProviderInput("https://models.example.com/v1", "tiny-1", key=""), scene.owner
    )
    return {}


def of_person(scene: Scene) -> Body:
    with tenant_scope(scene.project):
        person = SpaceUser.objects.within(scene.project).get(pk=scene.with_space().person_id)
    scene.known["person_id"] = person.pk
    return {"typed": person.identifier}


def of_end_user(scene: Scene) -> Body:
    scene.with_talk()
    scene.known["user_id"] = "kim"
    return {"typed": "kim", "confirmed": "yes"}


def of_conversation(scene: Scene) -> Body:
    scene.with_talk()
    with tenant_scope(scene.project):
        scene.known["conversation_id"] = Conversation.objects.within(scene.project).get().pk
    return {"typed": "1"}


def of_feedback(scene: Scene) -> Body:
    of_conversation(scene)
    return {"words": "I live in Porto, not in Lisbon."}


def of_package(scene: Scene) -> Body:
    """One: each of several skills is stored with an entry of its own."""
    return {"files": [SimpleUploadedFile("Greeting.md", skill_text("Greeting").encode())]}


def of_many_skills(scene: Scene) -> Body:
    skills = [made_skill(scene.tenant, name) for name in ("Greeting", "Farewell")]
    return {"ids": [str(skill.pk) for skill in skills], "move": "archive", "confirmed": "yes"}


def of_changed_skill(scene: Scene) -> Body:
    changed_skill(scene.tenant, scene.with_skill(), skill_text("Farewell"))
    scene.known["number"] = 1
    return {}


def of_two_skills(scene: Scene) -> Body:
    other = made_skill(scene.tenant, "Farewell")
    skill = scene.with_skill()
    return {"with": str(other.pk), "text": skill_text("Both"), "seen": str(skill.version)}


def of_copy(scene: Scene) -> Body:
    scene.with_skill()
    return {"chosen": scene.with_empty_base()}


def of_correction(scene: Scene) -> Body:
    base = create_base_with_passages(scene.project, (LIMITS,))
    with scene.tenant.api() as api:
        give(api, scene.tenant, TOLD, allow_knowledgebase_ids=[base.public_id])
    with tenant_scope(scene.project):
        correction = list_corrections(base).order_by("created_at").first()
    assert correction is not None
    scene.known |= {"base_id": base.public_id, "correction_id": correction.pk}
    return {}


def of_accepting(scene: Scene) -> Body:
    person = new_person()
    scene.with_invitation(person.email)
    scene.known["acting"] = person
    return {}


def of_sample_data(scene: Scene) -> Body:
    with transaction.atomic():
        put_off_filling(add_sample_data(scene.account, scene.owner))
    return {"confirmed": "yes"}


def put_off_filling(project: Project) -> None:
    """In the transaction that orders sample data: to fill the project takes the workers a while."""
    with tenant_scope(project):
        filling = Task.objects.within(project).filter(kind=TaskKind.SAMPLE)
        filling.update(due_at=timezone.now() + timedelta(hours=1))


def of_machine(scene: Scene) -> Body:
    machine = Client(HTTP_HOST="localhost", REMOTE_ADDR="192.0.2.2")  # has twenty codes a minute of its own
    form = "application/x-www-form-urlencoded"
    asked = machine.post("/identity/o/api/device/code", "client_id=engram-cli", content_type=form)
    code = asked.json()["user_code"]
    return {"code": code, "project": str(scene.project.pk), "scopes": ["read"], "action": "approve"}


def of_leaving(scene: Scene) -> Body:
    leaving = scene.with_member()
    scene.known["acting"] = leaving
    return {"typed": leaving.email}
