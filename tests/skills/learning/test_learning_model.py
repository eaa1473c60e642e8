"""Lessons written by a model with tools: what it is shown, what of its work is kept, and what happens without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from acontext import AcontextClient
from django.conf import settings
from django.db import connection

from memories.engine.client import http_json, provider_breaker
from skills.catalogue.write import SkillChanges, revise_skill
from skills.learning.learn import learn
from skills.models import Session, Skill, SkillVersion
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import ModelUsage
from tests.support.api_client import Tenant
from tests.support.servers.model_server import Body, ModelServer, Reply, calling, parse_data, used
from tests.support.skills.contract import skill_md
from tests.support.skills.learning_task import lesson_states, load_state, task_in_hand
from tests.support.skills.lessons import attached, facts, pages, shelf

GUS = facts("The user's name is Gus.")
THINK = ("report_thinking", {"thinking": "A name is a fact."})
FINISH = ("finish", {})


def create(path: str, content: str, skill: str = "user-general-facts") -> tuple[str, dict[str, str]]:
    return "create_skill_file", {"skill_name": skill, "file_path": path, "content": content}


def replace(path: str, old: str, new: str, skill: str = "user-general-facts") -> tuple[str, dict[str, str]]:
    return "str_replace_skill_file", {
        "skill_name": skill,
        "file_path": path,
        "old_string": old,
        "new_string": new,
    }


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    running = ModelServer()
    monkeypatch.setattr(http_json, "_PAUSE_BASE", 0.01)
    monkeypatch.setitem(settings.LLM, "BASE_URL", running.url)
    monkeypatch.setitem(settings.LLM, "MODEL", "scripted")
    yield running
    provider_breaker._breakers.clear()
    running.close()


def apart(tenant: Tenant, change: Callable[[], object]) -> None:
    """What somebody else does meanwhile: this runs in the thread that answers for the model."""
    try:
        with tenant_scope(tenant.project):
            change()
    finally:
        connection.close()


def newest(tenant: Tenant, agent: AcontextClient, space: Any) -> SkillVersion:
    skill = agent.learning_spaces.list_skills(space.id)[1]
    project = tenant.project
    with tenant_scope(project):
        version: SkillVersion = SkillVersion.objects.within(project.account_id).filter(skill=skill.id).first()
    return version


def test_a_model_writes_the_files_and_is_named_in_their_versions(
    tenant: Tenant, agent: AcontextClient, server: ModelServer
) -> None:
    space, session = attached(agent)
    task = task_in_hand(tenant, space, session, GUS)
    text = "# Personal info\n\n- The user is called Gus. (2026-03-02)\n"
    server.will_say(
        calling(
            ("get_skill_file", {"skill_name": "user-general-facts", "file_path": "SKILL.md"}),
            usage=used(10, 1),
        ),
        calling(THINK, create("personal-info.md", text), usage=used(20, 2)),
        calling(("create_skill", {"skill_md_content": skill_md("travel-planning")}), usage=used(30, 3)),
        calling(create("methods.md", "# Methods\n", "travel-planning"), FINISH, usage=used(40, 4)),
    )
    learn(task)

    assert pages(agent, space, "user-general-facts") == {"personal-info.md": text}
    assert shelf(agent, space)["travel-planning"]["methods.md"] == "# Methods\n"
    asked = parse_data(server.bodies[0])
    assert [skill["name"] for skill in asked["skills"]] == ["daily-logs", "user-general-facts"]
    assert asked["lessons"][0]["day"] == "2026-03-02"
    assert asked["lessons"][0]["facts"] == [{"text": "The user's name is Gus.", "subject": "user"}]
    version = newest(tenant, agent, space)
    assert (version.actor, version.reason) == ("learner", "1 lesson learned by scripted (write-1)")
    project = tenant.project
    with tenant_scope(project):
        usage = ModelUsage.objects.within(project).get(purpose="learning")
    assert (usage.prompt_tokens, usage.completion_tokens, usage.calls) == (100, 10, 4)


@pytest.mark.parametrize(
    "trouble",
    [
        [Reply(401)],
        [calling(THINK, create("a.md", "half")), Reply(401)],
        [calling(THINK, create("a.md", "half"), finish_reason="length")],
    ],
)
def test_without_a_useful_model_the_rules_write_and_the_version_says_why(
    tenant: Tenant, agent: AcontextClient, server: ModelServer, trouble: list[Reply]
) -> None:
    space, session = attached(agent)
    task = task_in_hand(tenant, space, session, GUS)
    server.will_say(*trouble)
    learn(task)

    assert pages(agent, space, "user-general-facts") == {
        "personal-info.md": "# Personal info\n\n- The user's name is Gus. (2026-03-02)\n"
    }
    assert "local-1 (remote: " in newest(tenant, agent, space).reason


def test_a_model_that_finds_nothing_worth_keeping_leaves_the_skills_as_they_are(
    tenant: Tenant, agent: AcontextClient, server: ModelServer
) -> None:
    space, session = attached(agent)
    task = task_in_hand(tenant, space, session, GUS)
    server.will_say(calling(FINISH))
    learn(task)

    assert pages(agent, space, "user-general-facts") == {}
    assert lesson_states(tenant, space.id) == ["written"]


def test_what_somebody_wrote_while_the_model_was_thinking_stays(
    tenant: Tenant, agent: AcontextClient, server: ModelServer
) -> None:
    space, session = attached(agent)
    write(tenant, agent, space, {"notes.md": "# Notes\n\n- one\n"})
    task = task_in_hand(tenant, space, session, GUS)

    def thinks(body: Body) -> Reply:
        apart(tenant, lambda: revise(tenant, agent, space, {"notes.md": "# Notes\n\n- zero\n- one\n"}))
        return calling(FINISH)

    server.will_say(calling(THINK, replace("notes.md", "- one", "- one\n- Gus")), thinks)
    learn(task)

    assert pages(agent, space, "user-general-facts")["notes.md"] == "# Notes\n\n- zero\n- one\n- Gus\n"
    assert len(server.asked) == 2


def test_an_edit_that_fits_no_longer_is_thought_about_again(
    tenant: Tenant, agent: AcontextClient, server: ModelServer
) -> None:
    space, session = attached(agent)
    write(tenant, agent, space, {"notes.md": "# Notes\n\n- one\n"})
    task = task_in_hand(tenant, space, session, GUS)

    def thinks(body: Body) -> Reply:
        apart(tenant, lambda: revise(tenant, agent, space, {"notes.md": "# Notes\n\n- two\n"}))
        return calling(FINISH)

    server.will_say(
        calling(THINK, replace("notes.md", "- one", "- Gus")),
        thinks,
        calling(THINK, replace("notes.md", "- two", "- two\n- Gus"), FINISH),
    )
    learn(task)

    assert pages(agent, space, "user-general-facts")["notes.md"] == "# Notes\n\n- two\n- Gus\n"
    assert load_state(tenant, task) == "completed"


def test_what_was_said_in_a_session_that_is_deleted_meanwhile_is_not_written(
    tenant: Tenant, agent: AcontextClient, server: ModelServer
) -> None:
    space, session = attached(agent)
    task = task_in_hand(tenant, space, session, GUS)

    def thinks(body: Body) -> Reply:
        apart(tenant, lambda: Session.objects.within(tenant.project).filter(pk=session.id).delete())
        return calling(FINISH)

    server.will_say(calling(THINK, create("personal-info.md", "Gus")), thinks)
    learn(task)

    assert pages(agent, space, "user-general-facts") == {}
    assert load_state(tenant, task) == "completed"


def revise(tenant: Tenant, agent: AcontextClient, space: Any, texts: dict[str, str | None]) -> None:
    """Inside the scope."""
    entry = agent.learning_spaces.list_skills(space.id)[1]
    skill = Skill.objects.within(tenant.project.account_id).get(pk=entry.id)
    revise_skill(skill, SkillChanges(texts=texts), actor="kim@example.org", reason="by hand")


def write(tenant: Tenant, agent: AcontextClient, space: Any, texts: dict[str, str | None]) -> None:
    with tenant_scope(tenant.project):
        revise(tenant, agent, space, texts)
