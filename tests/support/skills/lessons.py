"""Lessons as a distillation leaves them, for tests of what becomes of them."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

from acontext import AcontextClient

from skills.learning.learn import queue_learning
from skills.models import LearningSpace, Lesson, Session
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant

DAY = date(2026, 3, 2)


def attached(agent: AcontextClient, space: Any = None) -> tuple[Any, Any]:
    """A space and a session that it learns from."""
    space = space or agent.learning_spaces.create()
    session = agent.sessions.create()
    agent.learning_spaces.learn(space.id, session_id=session.id)
    return space, session


def teach(
    tenant: Tenant, space: Any, session: Any, *lessons: tuple[str, dict[str, Any]], day: date = DAY
) -> list[UUID]:
    """Leaves the lessons and has them written, in one transaction, as a distillation does."""
    project = tenant.project
    with tenant_scope(project):
        row = LearningSpace.objects.within(project).select_for_update(no_key=True).get(pk=space.id)
        left = [
            Lesson.objects.create(
                account_id=project.account_id,
                project=project,
                space=row,
                session=Session.objects.within(project).get(pk=session.id),
                kind=kind,
                content=content,
                said_on=day,
            )
            for kind, content in lessons
        ]
        queue_learning(row)
    return [lesson.pk for lesson in left]


def facts(*statements: str | tuple[str, str], goal: str = "") -> tuple[str, dict[str, Any]]:
    """About the user where no subject is given."""
    pairs = [(statement, "user") if isinstance(statement, str) else statement for statement in statements]
    return "facts", {
        "task_goal": goal,
        "facts": [{"text": text, "subject": subject} for text, subject in pairs],
    }


def success(
    goal: str, pattern: str, when: str = "", approach: str = "", *decisions: str
) -> tuple[str, dict[str, Any]]:
    return "success", {
        "task_goal": goal,
        "approach": approach,
        "key_decisions": list(decisions),
        "generalizable_pattern": pattern,
        "applies_when": when,
    }


def failure(
    goal: str, point: str, reasoning: str, correct: str, prevention: str, when: str = ""
) -> tuple[str, dict[str, Any]]:
    return "failure", {
        "task_goal": goal,
        "failure_point": point,
        "flawed_reasoning": reasoning,
        "what_should_have_been_done": correct,
        "prevention_principle": prevention,
        "applies_when": when,
    }


def learned(agent: AcontextClient, space: Any, session: Any) -> str:
    """How the learning of the session ended."""
    record = agent.learning_spaces.wait_for_learning(
        space.id, session_id=session.id, timeout=240, poll_interval=0.1
    )
    return str(record.status)


def shelf(agent: AcontextClient, space: Any) -> dict[str, dict[str, str]]:
    """The texts of all files by skill and path, without the SKILL.md of the skills that every space begins with."""
    skills: dict[str, dict[str, str]] = {}
    for skill in agent.learning_spaces.list_skills(space.id):
        files = {}
        for file in skill.file_index:
            content = agent.skills.get_file(skill_id=skill.id, file_path=file.path).content
            assert content is not None
            files[file.path] = content.raw
        skills[skill.name] = files
    return skills


def pages(agent: AcontextClient, space: Any, skill: str) -> dict[str, str]:
    """Of one skill, without its SKILL.md."""
    return {path: text for path, text in shelf(agent, space)[skill].items() if path != "SKILL.md"}


def lesson_rows(tenant: Tenant, keys: list[UUID]) -> list[Lesson]:
    project = tenant.project
    with tenant_scope(project):
        return list(Lesson.objects.within(project).filter(pk__in=keys).order_by("created_at", "id"))
