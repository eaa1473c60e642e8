"""Sessions read by a chat model, which acts by tools; and by the rules where it does not do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from acontext import AcontextClient
from django.conf import settings as django_settings

from memories.models import Task
from skills.models import Lesson, SessionTask
from skills.observation.task_extraction import observe
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.servers.model_server import Body, Reply, as_json, completion, parse_data
from tests.support.servers.own_provider import lend_model, list_usage
from tests.support.skills.contract import connect_client, flush
from tests.support.skills.learning_task import claim_now
from tests.support.skills.reading_model import DONE, PLAY, Scripted, calls, list_tools
from tests.support.skills.rows import seen
from tests.support.skills.talks import tell
from tests.support.waiting import wait_until

MODEL = "scripted (observe-1)"


def answers_in(body: Body) -> list[str]:
    """What the tools answered until now, without the marks around it."""
    return [
        message["content"].split("\n", 1)[1].rpartition("\n")[0]
        for message in body["messages"]
        if message["role"] == "tool"
    ]


@pytest.fixture
def server(model_port: int, tenant: Tenant) -> Iterator[Scripted]:
    running = Scripted(model_port)
    lend_model(tenant, running)
    yield running
    running.close()


@pytest.fixture
def agent(tenant: Tenant, server: Scripted) -> Iterator[AcontextClient]:
    """Of the project that the model works for."""
    with connect_client(tenant) as client:
        yield client


def read_by(agent: AcontextClient, session_id: str) -> set[str]:
    raw = agent.sessions.get_messages(session_id, format="acontext").items
    return {item["meta"]["__source__"].get("read_by", "") for item in raw}


def test_the_model_keeps_the_list_of_tasks(tenant: Tenant, agent: AcontextClient, server: Scripted) -> None:
    server.reads = [DONE]
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)

    flush(agent, session.id)

    (task,) = agent.sessions.get_tasks(session.id).items
    assert (task.status, task.data.task_description) == ("success", "Send the report to Kim")
    assert task.data.progresses == ["The report was sent."]
    raw = agent.sessions.get_messages(session.id, format="acontext").items
    assert {item["task_id"] for item in raw} == {task.id}
    assert read_by(agent, session.id) == {MODEL}
    (planning,) = task_data(tenant, session.id, is_planning=True)
    assert planning["user_preferences"] == ["The user only drinks tea."]


def test_the_model_is_shown_the_talk_as_data_and_the_eight_tools(
    agent: AcontextClient, tenant: Tenant, server: Scripted
) -> None:
    session = agent.sessions.create()
    tell(tenant, session.id, "U: " + "x" * 3_000 + '\nC: look {"at": 1}\nR: look 42')
    server.reads = [DONE]
    flush(agent, session.id)
    tell(tenant, session.id, "U: And once more.")
    flush(agent, session.id)

    first, second = server.asked_to("insert_task")
    assert list_tools(first) == {
        "insert_task",
        "update_task",
        "append_messages_to_task",
        "append_task_progress",
        "append_messages_to_planning_section",
        "submit_user_preference",
        "report_thinking",
        "finish",
    }
    shown = parse_data(first)
    assert [message["role"] for message in shown["messages"]] == ["user", "assistant", "user"]
    assert len(shown["messages"][0]["parts"][0]["text"]) == 1_025
    assert shown["messages"][1]["parts"] == [{"tool_call": "look", "arguments": '{"at": 1}'}]
    assert shown["messages"][2]["parts"] == [{"tool_result": "42"}]
    later = parse_data(second)
    assert later["tasks"] == [
        {"task_order": 1, "status": "success", "task_description": "Send the report to Kim"}
    ]
    assert [message.get("known", False) for message in later["messages"]] == [True, True, True, False]
    assert later["preferences"] == ["The user only drinks tea."]


def test_what_the_tools_refuse_is_told_to_the_model_which_tries_again(
    agent: AcontextClient, tenant: Tenant, server: Scripted
) -> None:
    server.reads = [
        calls(
            ("update_task", {"task_order": 3, "task_status": "success"}),
            ("update_task", {"task_order": 1, "task_status": "splendid"}),
            ("insert_task", {"after_task_order": 0, "task_description": "  "}),
            ("append_messages_to_task", {"task_order": 1, "message_id_range": [0, 99]}),
            ("append_messages_to_task", {"task_order": 1, "message_id_range": [0, 3_000_000_000]}),
            ("drop_table", {}),
        ),
        DONE,
    ]
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)

    flush(agent, session.id)

    _, second = server.asked_to("insert_task")
    refusals = answers_in(second)
    assert all(answer.startswith("Refused: ") for answer in refusals)
    assert "there is no task 3" in refusals[0]
    assert "message ids go from 0" in refusals[4]
    assert "there is no tool of this name" in refusals[5]
    assert [task.status for task in agent.sessions.get_tasks(session.id).items] == ["success"]
    assert read_by(agent, session.id) == {MODEL}


def test_a_finished_task_must_be_taken_up_before_it_grows(
    agent: AcontextClient, tenant: Tenant, server: Scripted
) -> None:
    server.reads = [DONE]
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)
    flush(agent, session.id)
    server.reads = [
        calls(("append_messages_to_task", {"task_order": 1, "message_id_range": [3, 3]})),
        calls(
            ("update_task", {"task_order": 1, "task_status": "running"}),
            ("append_messages_to_task", {"task_order": 1, "message_id_range": [3, 3]}),
            ("finish", {}),
        ),
    ]
    tell(tenant, session.id, "U: Kim did not get it.")

    flush(agent, session.id)

    assert "task 1 is finished" in answers_in(server.asked_to("insert_task")[2])[0]
    (task,) = agent.sessions.get_tasks(session.id).items
    assert task.status == "running"


def test_the_projects_own_words_say_what_success_and_failure_are(
    agent: AcontextClient, tenant: Tenant, server: Scripted
) -> None:
    criteria = {"task_success_criteria": "a ticket was closed", "task_failure_criteria": "a ticket was lost"}
    agent.project.update_configs(criteria)
    server.reads = [DONE]
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)

    flush(agent, session.id)

    (asked,) = server.asked_to("insert_task")
    prompt = asked["messages"][0]["content"]
    assert "success: a ticket was closed" in prompt
    assert "failed: a ticket was lost" in prompt


@pytest.mark.parametrize(
    ("replies", "trouble"),
    [
        ([as_json({}, 401)], "refused with 401"),
        ([completion("I would rather talk."), completion("And so on.")], "nothing done, ended by silent"),
        ([completion(None, "length")], "cut short"),
    ],
)
def test_the_rules_read_what_the_model_does_not_and_the_messages_say_so(
    agent: AcontextClient, tenant: Tenant, server: Scripted, replies: list[Reply], trouble: str
) -> None:
    server.reads = [*replies]
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)

    flush(agent, session.id)

    assert read_by(agent, session.id) == {f"local-1 (remote: {trouble})"}
    (task,) = agent.sessions.get_tasks(session.id).items
    assert task.status == "success"
    assert task.data.task_description.startswith("Send the report to Kim")


def test_half_of_what_a_model_did_before_it_failed_is_not_kept(
    agent: AcontextClient, tenant: Tenant, server: Scripted
) -> None:
    server.reads = [
        calls(("insert_task", {"after_task_order": 0, "task_description": "Half a task"})),
        as_json({}, 401),
    ]
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)

    flush(agent, session.id)

    descriptions = [task.data.task_description for task in agent.sessions.get_tasks(session.id).items]
    assert descriptions != []
    assert "Half a task" not in descriptions


def test_a_model_that_never_finishes_is_stopped_after_six_rounds(
    agent: AcontextClient, tenant: Tenant, server: Scripted
) -> None:
    insert = ("insert_task", {"after_task_order": 0, "task_description": "Send it"})
    server.reads = [calls(insert)] + [calls(("report_thinking", {"thinking": "Hm."}))] * 20
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)

    flush(agent, session.id)

    assert len(server.asked_to("insert_task")) == 6
    assert [task.data.task_description for task in agent.sessions.get_tasks(session.id).items] == ["Send it"]


def test_a_model_that_takes_too_long_is_not_waited_for(
    agent: AcontextClient, tenant: Tenant, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(django_settings.LLM, "SECONDS", 0.2)
    server.reads = [Reply(delay=5)]
    session = agent.sessions.create()
    tell(tenant, session.id, PLAY)

    observe(claim_now(seen(tenant, lambda project: Task.objects.within(project).get(subject=session.id).pk)))

    assert read_by(agent, session.id) == {"local-1 (remote: timed out)"}


SUCCESS = {
    "task_goal": "Send reports",
    "approach": "Look the address up, then send.",
    "key_decisions": ["Used the company address"],
    "generalizable_pattern": "Look up addresses before sending.",
    "applies_when": "Somebody wants a report sent.",
}


def attached(agent: AcontextClient) -> tuple[str, str]:
    space, session = agent.learning_spaces.create(), agent.sessions.create()
    agent.learning_spaces.learn(space.id, session_id=session.id)
    return space.id, session.id


def lessons(tenant: Tenant, session_id: str) -> list[tuple[str, dict[str, Any]]]:
    with tenant_scope(tenant.project):
        rows = Lesson.objects.within(tenant.project).filter(session_id=session_id).order_by("created_at")
        return [
            (row.kind, {name: value for name, value in row.content.items() if name != "learned"})
            for row in rows
            if row.kind != "preferences"
        ]


def task_data(tenant: Tenant, session_id: str, *, is_planning: bool) -> list[dict[str, Any]]:
    with tenant_scope(tenant.project):
        tasks = SessionTask.objects.within(tenant.project).filter(session_id=session_id)
        return list(tasks.filter(is_planning=is_planning).values_list("data", flat=True))


def finished(agent: AcontextClient, space: str, session: str) -> None:
    flush(agent, session)
    waited = agent.learning_spaces.wait_for_learning(
        space, session_id=session, timeout=240, poll_interval=0.1
    )
    assert waited.status == "completed"


def test_a_success_is_analysed_in_one_call_that_knows_the_skills_of_the_space(
    tenant: Tenant, agent: AcontextClient, server: Scripted
) -> None:
    server.reads, server.distils = [DONE], [calls(("report_success_analysis", SUCCESS))]
    space, session = attached(agent)
    tell(tenant, session, PLAY)

    finished(agent, space, session)

    assert lessons(tenant, session) == [("success", SUCCESS)]
    (asked,) = server.asked_to("report_success_analysis")
    assert list_tools(asked) == {"skip_learning", "report_success_analysis", "report_factual_content"}
    shown = parse_data(asked)
    assert [skill["name"] for skill in shown["skills"]] == ["daily-logs", "user-general-facts"]
    assert shown["task"]["task_description"] == "Send the report to Kim"
    assert len(shown["messages"]) == 3


def test_a_report_that_does_not_fit_is_repaired_once(
    tenant: Tenant, agent: AcontextClient, server: Scripted
) -> None:
    server.reads = [DONE]
    server.distils = [
        calls(("report_success_analysis", {"approach": 7})),
        calls(("report_success_analysis", SUCCESS)),
    ]
    space, session = attached(agent)
    tell(tenant, session, PLAY)

    finished(agent, space, session)

    assert lessons(tenant, session) == [("success", SUCCESS)]


def test_a_model_may_find_nothing_to_learn(tenant: Tenant, agent: AcontextClient, server: Scripted) -> None:
    server.reads, server.distils = [DONE], [calls(("skip_learning", {"reason": "Trivial."}))]
    space, session = attached(agent)
    tell(tenant, session, PLAY)

    finished(agent, space, session)

    assert lessons(tenant, session) == []


def test_facts_of_the_model_name_whom_they_are_about(
    tenant: Tenant, agent: AcontextClient, server: Scripted
) -> None:
    facts = [{"text": "Kim leads the sales team.", "subject": "Kim"}]
    server.reads = [DONE]
    server.distils = [calls(("report_factual_content", {"task_goal": "Send reports", "facts": facts}))]
    space, session = attached(agent)
    tell(tenant, session, PLAY)

    finished(agent, space, session)

    assert lessons(tenant, session) == [("facts", {"task_goal": "Send reports", "facts": facts})]


def test_of_a_failure_only_the_failure_is_analysed(
    tenant: Tenant, agent: AcontextClient, server: Scripted
) -> None:
    analysis = {
        "task_goal": "Send reports",
        "failure_point": "The address was wrong.",
        "flawed_reasoning": "It was guessed.",
        "what_should_have_been_done": "Look it up.",
        "prevention_principle": "Never guess addresses.",
        "applies_when": "Mail is sent.",
    }
    server.reads = [
        calls(
            ("insert_task", {"after_task_order": 0, "task_description": "Send the report"}),
            ("append_messages_to_task", {"task_order": 1, "message_id_range": [0, 2]}),
            ("update_task", {"task_order": 1, "task_status": "failed"}),
            ("finish", {}),
        )
    ]
    server.distils = [calls(("report_failure_analysis", analysis))]
    space, session = attached(agent)
    tell(tenant, session, PLAY)

    finished(agent, space, session)

    assert lessons(tenant, session) == [("failure", analysis)]
    (asked,) = server.asked_to("report_failure_analysis")
    assert list_tools(asked) == {"report_failure_analysis"}


def test_the_rules_distil_where_the_model_does_not_and_the_task_says_so(
    tenant: Tenant, agent: AcontextClient, server: Scripted
) -> None:
    server.reads, server.distils = [DONE], [as_json({}, 401)]
    space, session = attached(agent)
    tell(tenant, session, PLAY)

    finished(agent, space, session)

    (task,) = task_data(tenant, session, is_planning=False)
    assert task["distilled_by"] == "local-1 (remote: refused with 401)"
    ((kind, content),) = lessons(tenant, session)
    assert (kind, content["task_goal"]) == ("success", "Send the report to Kim")


def test_reading_and_distilling_are_counted_for_the_project(
    tenant: Tenant, agent: AcontextClient, server: Scripted
) -> None:
    server.reads, server.distils = [DONE], [calls(("report_success_analysis", SUCCESS))]
    space, session = attached(agent)
    tell(tenant, session, PLAY)

    finished(agent, space, session)

    wait_until(lambda: {"observation", "distillation"} <= {usage.purpose for usage in list_usage(tenant)})
