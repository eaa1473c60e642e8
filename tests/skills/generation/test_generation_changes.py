"""Generated skills follow what people decide, edit, correct and delete."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from memories.jobs import outbox
from memories.models import MemCube, Memory, Task
from memories.values import MemoryKind, TaskKind, TaskState
from skills.catalogue.edit import SkillEdit, edit_skill, move_skill
from skills.generation.generate import generate_skills
from skills.generation.schedule import GenerationInput, build_subject_id, schedule_generation
from skills.models import Episode, Skill, SkillEvidence, SkillFile, SkillVersion
from skills.packages.skill_md import write_skill_md
from skills.settings.skill_settings import SECTION
from skills.values import SkillState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Api, Tenant
from tests.support.skills.travellers import INTENSE, recalled, sections, talk, tell, wait_until_generated

PLAN = "I'm planning a 7-day trip to Yunnan for the spring holiday."
MORE = talk(
    "Plan a weekend trip to Xi'an for me.",
    "Gladly.",
    "Give us time for hiking. I never take night trains.",
    "Done.",
)


def the_skill(tenant: Tenant) -> Skill:
    with tenant_scope(tenant.project):
        skill: Skill = Skill.objects.within(tenant.project.account_id).select_related("cube", "memory").get()
        return skill


def skills(tenant: Tenant) -> int:
    with tenant_scope(tenant.project):
        return int(Skill.objects.within(tenant.project.account_id).count())


def let(tenant: Tenant, **policies: bool) -> None:
    Project.objects.filter(pk=tenant.project_id).update(settings={SECTION: policies})


def memory_ids(tenant: Tenant, *words: str) -> list[str]:
    """Those of what kim said that hold one of these words; all of them without any."""
    with tenant_scope(tenant.project):
        rows = Memory.objects.within(MemCube.objects.within(tenant.project)).exclude(kind=MemoryKind.SKILL)
        return [str(row.pk) for row in rows if not words or any(word in row.text for word in words)]


def everything_kept(tenant: Tenant) -> str:
    """All words that the project holds of skills, old versions and episodes included."""
    with tenant_scope(tenant.project):
        account = tenant.project.account_id
        texts = SkillFile.objects.within(account).values_list("text", flat=True)
        descriptions = SkillVersion.objects.within(account).values_list("description", flat=True)
        findings = Episode.objects.within(tenant.project).values_list("findings", flat=True)
        values = Skill.objects.within(account).values_list("value", flat=True)
        return " ".join(map(str, [*texts, *descriptions, *findings, *values]))


def task_on(tenant: Tenant, cube: MemCube, **fields: Any) -> Task:
    """A generation task that a worker has claimed, for the cube's one conversation."""
    with tenant_scope(tenant.project):
        conversation = cube.conversations.get().pk
    payload = {"cube": str(cube.pk), "epoch": cube.epoch, "conversations": [str(conversation)]}
    task: Task = Task.objects.create(
        account_id=cube.account_id,
        project_id=cube.project_id,
        kind=TaskKind.SKILL,
        subject=build_subject_id(cube.pk),
        dedupe_key=uuid4().hex,
        payload=payload,
        state=TaskState.RUNNING,
        lease_until=timezone.now() + timedelta(minutes=5),
        fence=fields.get("fence", 1),
    )
    return task


def test_where_approval_is_wanted_a_grown_skill_waits_for_it(tenant: Tenant, api: Api) -> None:
    let(tenant, approval=True)
    tell(tenant, api, "kim", INTENSE)

    assert the_skill(tenant).state == SkillState.DRAFT
    assert recalled(api, "kim", PLAN, relativity=0) == []
    move_skill(tenant.project, the_skill(tenant).pk, SkillState.ACTIVE, "member:1")

    assert [skill["skill_value"]["name"] for skill in recalled(api, "kim", PLAN)] == ["Plan a trip"]


def test_what_must_never_be_remembered_is_in_no_skill(tenant: Tenant, api: Api) -> None:
    Project.objects.filter(pk=tenant.project_id).update(settings={"extraction": {"never": ["weather"]}})

    tell(tenant, api, "kim", INTENSE)

    assert "backtrack" in everything_kept(tenant)
    assert "weather" not in everything_kept(tenant).lower()


def test_a_project_may_let_no_skills_grow(tenant: Tenant, api: Api) -> None:
    let(tenant, generate=False)
    tell(tenant, api, "kim", INTENSE)

    assert skills(tenant) == 0


def test_an_archived_skill_stays_put_away_and_gets_no_twin(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)
    move_skill(tenant.project, the_skill(tenant).pk, SkillState.ARCHIVED, "member:1")

    tell(tenant, api, "kim", MORE, "second")

    assert the_skill(tenant).version == 1
    assert recalled(api, "kim", PLAN, relativity=0) == []


def test_what_a_person_wrote_into_a_skill_stays_while_it_grows(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)
    skill = the_skill(tenant)
    value = skill.value | {"preference": ["Travels by train only", *skill.value["preference"][1:]]}
    edit_skill(tenant.project, skill.pk, SkillEdit(write_skill_md(value), skill.version, "member:1"))

    tell(tenant, api, "kim", MORE, "second")

    preferences = the_skill(tenant).value["preference"]
    assert "Travels by train only" in preferences
    assert "Never takes night trains" in preferences
    assert not any("backtracking" in preference for preference in preferences)


def test_each_version_says_why_and_each_skill_what_it_rests_on(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)
    tell(tenant, api, "kim", MORE, "second")

    skill = the_skill(tenant)
    with tenant_scope(tenant.project):
        versions = list(SkillVersion.objects.within(skill.account_id).filter(skill=skill))
        evidence = list(SkillEvidence.objects.within(tenant.project).filter(skill=skill))
    assert [(version.actor, version.reason) for version in versions] == [
        ("grower", "generated from 2 conversations"),
        ("grower", "generated from a conversation"),
    ]
    assert {row.section for row in evidence if row.episode_id} >= {"preference"}
    assert any(row.memory_id for row in evidence)


def test_a_deleted_preference_leaves_the_skill_and_its_history(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)
    assert "cultural" in everything_kept(tenant).lower()

    api.data("delete/memory", {"memory_ids": memory_ids(tenant, "cultural")})
    wait_until_generated(tenant)

    assert "cultural" not in everything_kept(tenant).lower()
    assert "backtrack" in sections(recalled(api, "kim", PLAN)[0])


def test_a_deleted_preference_does_not_come_back_when_the_talk_goes_on(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)
    api.data("delete/memory", {"memory_ids": memory_ids(tenant, "cultural")})
    wait_until_generated(tenant)

    tell(tenant, api, "kim", talk("Also leave time for hiking."))

    assert "hik" in everything_kept(tenant).lower()
    assert "cultural" not in everything_kept(tenant).lower()


def test_a_skill_goes_with_all_that_it_rested_on(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)

    api.data("delete/memory", {"memory_ids": memory_ids(tenant)})
    wait_until_generated(tenant)

    assert skills(tenant) == 0
    assert "backtrack" not in everything_kept(tenant)


def test_a_deleted_user_leaves_no_skill_and_no_episode(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)

    api.data("delete/memory", {"user_id": "kim"})
    wait_until_generated(tenant)

    assert skills(tenant) == 0
    assert everything_kept(tenant) == ""


def test_a_skill_deleted_by_its_memory_does_not_grow_again_from_the_same_talk(
    tenant: Tenant, api: Api
) -> None:
    tell(tenant, api, "kim", INTENSE)

    api.data("delete/memory", {"memory_ids": [recalled(api, "kim", PLAN)[0]["id"]]})
    tell(tenant, api, "kim", talk("And how long does the flight take?"))

    assert skills(tenant) == 0
    assert recalled(api, "kim", PLAN, relativity=0) == []


def test_feedback_on_a_preference_changes_the_skill(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)
    feedback = {
        "user_id": "kim",
        "conversation_id": "talk",
        "feedback_content": "I don't like cultural attractions.",
    }

    api.wait_until_done(api.data("add/feedback", feedback)["task_id"])
    wait_until_generated(tenant)

    (skill,) = recalled(api, "kim", PLAN)
    assert not any("Prefers cultural" in preference for preference in skill["skill_value"]["preference"])


def test_generating_twice_changes_nothing(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE)
    before = the_skill(tenant)

    with tenant_scope(tenant.project):
        schedule_generation(
            before.cube, "rung again", GenerationInput((str(before.cube.conversations.get().pk),))
        )
    wait_until_generated(tenant)

    after = the_skill(tenant)
    assert (after.pk, after.version, after.value) == (before.pk, before.version, before.value)


def test_a_worker_that_was_taken_for_dead_writes_nothing(tenant: Tenant, api: Api) -> None:
    let(tenant, generate=False)
    tell(tenant, api, "kim", INTENSE)
    let(tenant, generate=True)
    with tenant_scope(tenant.project):
        cube = MemCube.objects.within(tenant.project).get(owner_id="kim")
    task = task_on(tenant, cube, fence=2)

    stale = Task.objects.within(tenant.project).get(pk=task.pk)
    stale.fence = 1
    with pytest.raises(outbox.LeaseLost):
        generate_skills(stale)
    assert skills(tenant) == 0

    generate_skills(task)
    assert the_skill(tenant).version == 1
    assert Task.objects.within(tenant.project).get(pk=task.pk).state == TaskState.COMPLETED


def test_what_waits_for_a_cube_waits_once(tenant: Tenant, api: Api) -> None:
    api.add("kim", "hello")
    with tenant_scope(tenant.project):
        cube = MemCube.objects.within(tenant.project).get(owner_id="kim")
        later = timedelta(minutes=5)
        schedule_generation(cube, "first", GenerationInput(("one",)), later)
        schedule_generation(cube, "second", GenerationInput(("two",)), later)

    (waiting,) = Task.objects.within(tenant.project).filter(kind=TaskKind.SKILL)
    assert waiting.payload["conversations"] == ["one", "two"]
    waiting.delete()
