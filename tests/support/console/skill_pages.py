"""Skills as the tests of their pages need them, made by the functions that make real ones."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from tempfile import TemporaryFile
from typing import Any, ParamSpec, TypeVar

from django.db import connection
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as NothingThere

from skills.catalogue.catalogue import PackageUpload, upload_skill
from skills.catalogue.edit import SkillEdit, edit_skill
from skills.catalogue.write import PATH, NewSkill, create_skill, parse_skill_text, set_state
from skills.message_formats import normalise_message
from skills.models import (
    LearningSpace,
    Session,
    SessionMessage,
    SessionTask,
    Skill,
)
from skills.models.user_rows import get_or_create_person
from skills.packages.files import NewFile
from skills.packages.ownership import SkillOwner
from skills.sessions.messages import NewMessage, store_message
from skills.sessions.sessions import NewSession, create_session, load_session
from skills.spaces.spaces import attach_session, create_space
from skills.values import SkillOrigin, SkillState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role
from tests.support.accounts.people import PASSWORD, add_member
from tests.support.api_client import Tenant
from tests.support.skills.packages import zipped
from tests.support.waiting import wait_until

Wanted = ParamSpec("Wanted")
Result = TypeVar("Result")
# One red point.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
# Files as a browser holds them when they are dropped.
DROP = """(zone, files) => {
  const transfer = new DataTransfer();
  for (const { name, content } of files) {
    transfer.items.add(new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], name));
  }
  for (const type of ["dragenter", "dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
  }
}"""

TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "Where is order 17?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "get_order", "arguments": '{"order": 17}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "t1", "content": '{"state": "lost"}'},
    {"role": "assistant", "content": "It is lost. <b>Sorry</b>."},
]


def apart(work: Callable[Wanted, Result]) -> Callable[Wanted, Result]:
    """In a thread of its own: the browser's loop runs in the tests' thread, from which open pages cannot be told."""

    @wraps(work)
    def run(*args: Wanted.args, **named: Wanted.kwargs) -> Result:
        def whole() -> Result:
            try:
                return work(*args, **named)
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(whole).result()

    return run


def skill_text(name: str) -> str:
    front = f"---\nname: {name}\ndescription: What to do when it comes to {name.lower()}\n---\n"
    return f"{front}\n## Procedure\n1. Begin\n"


@apart
def made_skill(
    tenant: Tenant,
    name: str = "Greeting",
    *,
    text: str = "",
    files: Mapping[str, str | bytes] | None = None,
    user: str = "",
    origin: str = "uploaded",
    state: str = "active",
) -> Skill:
    """Created as an upload creates it, out of a package where not all of its files are texts; one that is to look
    grown has its origin changed."""
    contents = {PATH: text or skill_text(name), **(files or {})}
    texts = {path: content for path, content in contents.items() if isinstance(content, str)}
    skill = (
        _created(tenant, texts, user) if len(texts) == len(contents) else _uploaded(tenant, contents, user)
    )
    with tenant_scope(tenant.project):
        if origin != SkillOrigin.UPLOADED:
            Skill.objects.within(skill.account_id).filter(pk=skill.pk).update(origin=origin)
        if state != SkillState.ACTIVE:
            set_state(skill, SkillState(state), actor="test")
    return skill


def _uploaded(tenant: Tenant, contents: Mapping[str, str | bytes], user: str) -> Skill:
    with TemporaryFile() as content:
        content.write(zipped(contents))
        content.seek(0)
        return upload_skill(tenant.project, PackageUpload(content, user or None))


def _created(tenant: Tenant, texts: Mapping[str, str], user: str) -> Skill:
    """No package is opened and no model asked, which take longer than all the rest."""
    project = tenant.project
    files = [NewFile.of_text(path, text) for path, text in texts.items()]
    with tenant_scope(project):
        person = get_or_create_person(project, user or None)
        skill_owner = SkillOwner.of_person(project, user)
        text = parse_skill_text(texts[PATH])
        return create_skill(NewSkill(skill_owner, text, files, SkillOrigin.UPLOADED, "t", "t", person=person))


@apart
def many_skills(tenant: Tenant, count: int) -> None:
    """Seven names among them; no model is asked."""
    project = tenant.project
    with tenant_scope(project):
        for number in range(count):
            text = skill_text(f"Skill {number % 7}")
            files = [NewFile.of_text(PATH, text)]
            create_skill(
                NewSkill(
                    SkillOwner.of_space(project),
                    parse_skill_text(text),
                    files,
                    SkillOrigin.UPLOADED,
                    "t",
                    "t",
                )
            )


@apart
def changed_skill(tenant: Tenant, skill: Skill, text: str, reason: str = "") -> Skill:
    """Its next version, as somebody else writes it meanwhile."""
    return edit_skill(tenant.project, skill.pk, SkillEdit(text, skill.version, "worker", reason))


def list_project_skills(tenant: Tenant) -> list[Skill]:
    project = tenant.project
    with tenant_scope(project):
        return list(Skill.objects.within(project.account_id).order_by("created_at"))


def add_viewer(tenant: Tenant) -> Tenant:
    """A member of the tenant's account who may read only."""
    user = add_member(tenant.project.account, Role.VIEWER)
    credentials = {"email": user.email, "password": PASSWORD, "project_id": tenant.project_id, "api_key": ""}
    return Tenant(tenant.url, credentials)


def talked(tenant: Tenant, user: str = "kim") -> Session:
    """A talk with a call of a tool; not tracked, so that no worker reads it while the test looks."""
    project = tenant.project
    new = NewSession(user, disable_task_tracking=True, configs={"lang": "en"})
    session, _ = create_session(project, new)
    for blob in TALK:
        store_message(project, session.pk, NewMessage.of(normalise_message("openai", blob)), {})
    return load_session(project, session.pk)


def with_tasks(tenant: Tenant, session: Session) -> SessionTask:
    """The first three messages are of a task that failed."""
    owner = {"account_id": session.account_id, "project_id": session.project_id, "session": session}
    with tenant_scope(tenant.project):
        planning = {"task_description": "", "user_preferences": ["Kim wants mails"]}
        SessionTask.objects.create(**owner, order=0, is_planning=True, data=planning)
        data = {"task_description": "Find order 17", "progresses": ["Asked the carrier"]}
        task: SessionTask = SessionTask.objects.create(**owner, order=1, status="failed", data=data)
        rows = SessionMessage.objects.within(session.project_id).filter(session=session, position__lt=3)
        rows.update(task=task)
    return task


def space_with(tenant: Tenant, session: Session, user: str = "kim") -> LearningSpace:
    """A space that learns from the session."""
    space = create_space(tenant.project, user, {"team": "travel"})
    attach_session(tenant.project, space.pk, session.pk)
    return space


def open_skills(page: Page, tenant: Tenant, query: str = "") -> None:
    page.goto(f"/p/{tenant.project_id}/skills/{query}")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def open_skill(page: Page, tenant: Tenant, skill: Any, query: str = "") -> None:
    page.goto(f"/p/{tenant.project_id}/skills/{skill.pk}/{query}")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def row(page: Page, title: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=title, exact=True))


def locate_upload(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name="Uploads").get_by_role("listitem").filter(has_text=name)


def drop(page: Page, **files: bytes) -> None:
    given = [
        {"name": name.replace("__", "."), "content": base64.b64encode(content).decode()}
        for name, content in files.items()
    ]
    page.locator("drop-zone").evaluate(DROP, given)


def open_dialog(page: Page, button: str) -> None:
    """Presses again, as people do, where a refresh of the list cut a press in two, which then reaches no button."""

    def press() -> bool:
        page.get_by_role("button", name=button).click()
        try:
            page.get_by_role("dialog").wait_for(timeout=10_000)
        except NothingThere:
            return False
        return True

    wait_until(press)
