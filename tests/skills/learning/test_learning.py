"""What becomes of lessons in a space whose server has no model: files that agents can read."""

from __future__ import annotations

import threading
from datetime import date

from acontext import AcontextClient
from django.db import connection

from skills.learning.learn import give_up
from skills.models import LearningSpace, SkillVersion
from tenancy.isolation.scoping import Scope, tenant_scope
from tests.support.api_client import Tenant
from tests.support.skills.contract import build_upload
from tests.support.skills.lessons import (
    attached,
    facts,
    failure,
    learned,
    lesson_rows,
    pages,
    shelf,
    success,
    teach,
)
from tests.support.waiting import wait_until

REFUND = success(
    "Refund the duplicate charge on invoice 4711",
    "Check the payment history for a second charge before refunding.",
    "A customer reports being charged twice",
    "Looked up the invoice. Compared the charges. Refunded the second one.",
    "Refunded to the original card instead of issuing credit",
)
ROUNDING = failure(
    "Fix the rounding on invoice 5120",
    "The total was off by one cent after the tax was added",
    "Each line was rounded before summing",
    "Sum first, round the total once",
    "Round money only at the last step of an invoice",
    "Computing invoice totals with tax",
)


def test_facts_about_the_user_become_bullets_by_topic(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    teach(
        tenant,
        space,
        session,
        facts("The user's name is Gus.", "The user lives in Porto.", "用户喜欢喝绿茶。"),
    )

    assert learned(agent, space, session) == "completed"
    general = pages(agent, space, "user-general-facts")
    assert general["personal-info.md"] == "# Personal info\n\n- The user's name is Gus. (2026-03-02)\n"
    assert "- The user lives in Porto. (2026-03-02)" in general["home.md"]
    assert any("# 美食\n\n- 用户喜欢喝绿茶。 (2026-03-02)" in text for text in general.values())


def test_what_the_user_corrects_replaces_the_stale_fact(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    teach(tenant, space, session, facts("The user lives in Porto.", "The user has a dog called Rex."))
    learned(agent, space, session)
    teach(tenant, space, session, facts("The user moved to Berlin."), day=date(2026, 4, 1))
    learned(agent, space, session)

    text = "\n".join(pages(agent, space, "user-general-facts").values())
    assert "Porto" not in text
    assert "- The user moved to Berlin. (2026-04-01)" in text
    assert "Rex" in text


def test_the_same_fact_told_again_is_kept_once(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    for _ in range(2):
        teach(tenant, space, session, facts("The user is allergic to peanuts."))
        learned(agent, space, session)

    text = "\n".join(pages(agent, space, "user-general-facts").values())
    assert text.count("peanuts") == 1


def test_a_finished_task_is_noted_in_the_log_of_its_day(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    teach(tenant, space, session, REFUND)
    teach(tenant, space, session, ROUNDING)
    learned(agent, space, session)

    log = pages(agent, space, "daily-logs")
    assert list(log) == ["2026-03-02.md"]
    page = log["2026-03-02.md"]
    assert page.startswith("# 2026-03-02\n\n## Refund the duplicate charge on invoice 4711\n\n- ")
    assert "## Fix the rounding on invoice 5120\n\n- It failed: The total was off by one cent" in page


def test_a_success_and_a_failure_of_one_field_share_a_skill_that_is_named_after_the_field(
    tenant: Tenant, agent: AcontextClient
) -> None:
    space, session = attached(agent)
    teach(tenant, space, session, REFUND)
    learned(agent, space, session)
    teach(tenant, space, session, ROUNDING)
    learned(agent, space, session)

    skills = shelf(agent, space)
    assert set(skills) == {"daily-logs", "user-general-facts", "billing-operations"}
    methods = skills["billing-operations"]["methods.md"]
    assert "- **Principle**: Check the payment history for a second charge before refunding." in methods
    assert "- **When to apply**: A customer reports being charged twice" in methods
    assert "  1. Looked up the invoice." in methods
    assert "  4. Refunded to the original card instead of issuing credit" in methods
    assert "- **Day**: 2026-03-02" in methods
    pitfalls = skills["billing-operations"]["pitfalls.md"]
    for label in ("Symptom", "Root cause", "Correct approach", "Prevention"):
        assert f"- **{label}**: " in pitfalls
    assert "4711" not in skills["billing-operations"]["SKILL.md"]


def test_chinese_lessons_become_chinese_entries(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    deploy = success(
        "把订单服务发布到生产环境",
        "先灰度发布到一台机器，观察监控后再全量。",
        "发布有数据库改动的服务时",
        "先备份数据库。再灰度发布。最后全量上线。",
    )
    teach(tenant, space, session, deploy)
    learned(agent, space, session)

    skills = shelf(agent, space)
    methods = skills["deployment-operations"]["methods.md"]
    assert "- **原则**: 先灰度发布到一台机器，观察监控后再全量。" in methods
    assert "- **适用场景**: 发布有数据库改动的服务时" in methods
    assert "## 准则" in skills["deployment-operations"]["SKILL.md"]
    assert "## 把订单服务发布到生产环境\n\n- 先备份数据库。再灰度发布。最后全量上线。" not in methods
    assert "已完成。" in skills["daily-logs"]["2026-03-02.md"]


def test_an_uploaded_skill_that_covers_the_field_grows_instead_of_a_twin(
    tenant: Tenant, agent: AcontextClient
) -> None:
    text = (
        "---\nname: invoices-and-refunds\ndescription: How invoices, charges and refunds are handled for customers.\n"
        "---\n\n## Procedure\n\n1. Look up the invoice\n"
    )
    space, session = attached(agent)
    skill = agent.skills.create(file=build_upload("x", {"SKILL.md": text}))
    agent.learning_spaces.include_skill(space.id, skill_id=skill.id)
    teach(tenant, space, session, REFUND)
    learned(agent, space, session)

    skills = shelf(agent, space)
    assert set(skills) == {"daily-logs", "user-general-facts", "invoices-and-refunds"}
    assert "second charge" in skills["invoices-and-refunds"]["methods.md"]


def test_small_talk_is_not_written_down(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    keys = teach(tenant, space, session, facts("Thanks a lot!", "哈哈，好的", goal="Hi there"))

    assert learned(agent, space, session) == "completed"
    assert pages(agent, space, "user-general-facts") == pages(agent, space, "daily-logs") == {}
    assert [row.state for row in lesson_rows(tenant, keys)] == ["written"]


def test_every_change_is_a_version_that_says_who_made_it_and_why(
    tenant: Tenant, agent: AcontextClient
) -> None:
    space, session = attached(agent)
    teach(tenant, space, session, facts("The user's name is Gus."))
    learned(agent, space, session)

    skill = agent.learning_spaces.list_skills(space.id)[1]
    project = tenant.project
    with tenant_scope(project):
        newest = SkillVersion.objects.within(project.account_id).filter(skill=skill.id).first()
    assert (newest.number, newest.actor, newest.reason) == (2, "learner", "1 lesson learned by local-1")


def test_many_lessons_at_once_are_all_written_and_none_twice(tenant: Tenant, agent: AcontextClient) -> None:
    """More than one run takes, from sessions that finish together."""
    space = agent.learning_spaces.create()
    sessions = [attached(agent, space)[1] for _ in range(4)]
    cities = ["Oslo", "Turin", "Quito", "Hanoi"]

    def finish(at: int) -> None:
        for number in range(3):
            teach(
                tenant,
                space,
                sessions[at],
                facts(f"The user visited {cities[at]} with {number + 2} friends."),
            )

    def finish_apart(at: int) -> None:
        try:
            finish(at)
        finally:
            connection.close()

    threads = [threading.Thread(target=finish_apart, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {learned(agent, space, session) for session in sessions} == {"completed"}
    text = "\n".join(pages(agent, space, "user-general-facts").values())
    for city in cities:
        for number in range(3):
            assert text.count(f"visited {city} with {number + 2} friends") == 1


def test_lessons_that_cannot_be_written_end_the_wait_as_failed_and_hold_up_no_others(
    tenant: Tenant, agent: AcontextClient
) -> None:
    space, session = attached(agent)
    project = tenant.project
    with tenant_scope(project):  # nobody claims the task before this ends
        keys = teach(
            tenant, space, session, *[facts(f"The user owns {number + 2} bikes.") for number in range(7)]
        )
        give_up(Scope.of_project(project), LearningSpace.objects.within(project).get(pk=space.id).pk)

    wait_until(lambda: [row.state for row in lesson_rows(tenant, keys)] == ["failed"] * 5 + ["written"] * 2)
    assert learned(agent, space, session) == "failed"
    agent.sessions.patch_configs(session.id, configs={"team": "support"})
    assert learned(agent, space, session) == "failed", "nothing new was said"


def test_what_a_deleted_session_said_is_not_written_any_more(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    project = tenant.project
    with tenant_scope(project):
        teach(tenant, space, session, facts("The user's name is Gus."))
        from skills.models import Session

        Session.objects.within(project).filter(pk=session.id).delete()

    other = attached(agent, space)[1]
    teach(tenant, space, other, facts("The user lives in Porto."))
    learned(agent, space, other)
    text = "\n".join(pages(agent, space, "user-general-facts").values())
    assert "Porto" in text
    assert "Gus" not in text


def test_what_a_knowledge_base_shares_is_read_only_to_a_space(tenant: Tenant, agent: AcontextClient) -> None:
    from skills.learning.workspace.stored_skills import load_workspace_skills
    from skills.models import Skill

    space, session = attached(agent)
    project = tenant.project
    skill = agent.learning_spaces.list_skills(space.id)[1]
    with tenant_scope(project):
        Skill.objects.within(project.account_id).filter(pk=skill.id).update(state="archived")
        row = LearningSpace.objects.within(project).get(pk=space.id)
        assert [book.is_locked for book in load_workspace_skills(row)] == [False, True]
    teach(tenant, space, session, facts("The user's name is Gus."))
    learned(agent, space, session)
    assert pages(agent, space, "user-general-facts") == {}
