"""What finished tasks of a session teach, and what the session's learning record says meanwhile."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from acontext import AcontextClient

from tests.support.api_client import Tenant
from tests.support.skills.contract import build_upload, flush
from tests.support.skills.rows import list_lessons, load_planning, seen
from tests.support.skills.talks import tell
from tests.support.waiting import wait_until

REFUND = """U: Refund order 17, please.
C: get_order {"number": 17}
R: get_order {"error": "unknown argument number"}
C: get_order {"id": 17}
R: get_order {"id": 17, "total": 30}
C: refund {"id": 17, "amount": 30}
R: refund {"ok": true}
A: I refunded 30 euros for order 17 because it never arrived.
U: Perfect, thanks!"""
# Where it is not the point what is learned.
SHORT = """U: Cancel order 17, please.
C: cancel {"id": 17}
R: cancel {"ok": true}
A: I cancelled order 17.
U: Thanks!"""


def attached(agent: AcontextClient, **options: Any) -> tuple[str, str]:
    """A space and a session that it learns from."""
    space, session = agent.learning_spaces.create(), agent.sessions.create(**options)
    agent.learning_spaces.learn(space.id, session_id=session.id)
    return space.id, session.id


def learned(agent: AcontextClient, space_id: str, session_id: str) -> str:
    flush(agent, session_id)
    waited = agent.learning_spaces.wait_for_learning(
        space_id, session_id=session_id, timeout=240, poll_interval=0.1
    )
    return waited.status


def get_content(tenant: Tenant, session_id: str, kind: str) -> dict[str, Any]:
    (lesson,) = [lesson for lesson in list_lessons(tenant, session_id) if lesson.kind == kind]
    content: dict[str, Any] = lesson.content
    return content


def list_facts(tenant: Tenant, session_id: str) -> list[tuple[str, str]]:
    lessons = [lesson for lesson in list_lessons(tenant, session_id) if lesson.kind == "facts"]
    return [(fact["subject"], fact["text"]) for lesson in lessons for fact in lesson.content["facts"]]


def test_a_success_teaches_the_way_it_was_done(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, REFUND)

    assert learned(agent, space, session) == "completed"

    content = get_content(tenant, session, "success")
    assert content["task_goal"] == "Refund order 17, please."
    assert content["approach"].endswith("I refunded 30 euros for order 17 because it never arrived.")
    assert "get_order(number" not in content["approach"]
    assert content["key_decisions"] == ["I refunded 30 euros for order 17 because it never arrived."]
    assert "call 'get_order' with id, then 'refund' with id, amount." in content["generalizable_pattern"]
    assert "the argument was named id and not number" in content["generalizable_pattern"]
    assert "Refund order 17" in content["applies_when"]
    assert {lesson.state for lesson in list_lessons(tenant, session)} == {"written"}


def test_a_failure_teaches_what_was_wrong_and_what_was_wanted(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(
        tenant,
        session,
        """U: Move the backups to the archive.
A: I moved them to the archive in the US region.
U: That's wrong. Use the EU region instead.
C: move {"region": "eu"}
R: move Error: permission denied
A: I was unable to move them: permission denied.
U: Forget it.""",
    )

    assert learned(agent, space, session) == "completed"

    content = get_content(tenant, session, "failure")
    assert content["task_goal"] == "Move the backups to the archive."
    assert content["failure_point"] == "The user said: “That's wrong.”"
    assert 'move(region="eu")' in content["flawed_reasoning"]
    assert "Use the EU region instead." in content["what_should_have_been_done"]
    assert "Use the EU region instead." in content["prevention_principle"]
    assert [task.status for task in agent.sessions.get_tasks(session).items] == ["failed"]


def test_people_who_are_mentioned_are_facts_that_name_them(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    skill = agent.skills.create(file=build_upload("contacts"))
    agent.learning_spaces.include_skill(space, skill_id=skill.id)
    tell(
        tenant,
        session,
        """U: I met Alice Chen today. She is a product manager at Acme.
A: Nice!
U: Bob Martinez is a designer and likes climbing. How are you?
A: Fine, thanks.""",
    )

    assert learned(agent, space, session) == "completed"

    facts = list_facts(tenant, session)
    assert ("Alice Chen", "Alice Chen is a product manager at Acme.") in facts
    assert [text for subject, text in facts if subject == "Bob Martinez"] == [
        "Bob Martinez is a designer and likes climbing."
    ]


def test_preferences_go_straight_to_the_space_and_once(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, "U: My name is Gus")
    assert learned(agent, space, session) == "completed"
    tell(tenant, session, "A: Hello Gus!\nU: I prefer short answers.")
    assert learned(agent, space, session) == "completed"

    taught = [
        lesson.content["facts"] for lesson in list_lessons(tenant, session) if lesson.kind == "preferences"
    ]
    assert taught == [
        [{"text": "The user's name is Gus.", "subject": "user"}],
        [{"text": "The user prefers short answers.", "subject": "user"}],
    ]
    assert list_facts(tenant, session) == []


def test_small_talk_and_trivia_teach_nothing(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(
        tenant,
        session,
        """U: Hi there!
A: Hello! How can I help?
U: What is the capital of France?
A: Paris.
U: Thanks!""",
    )

    assert learned(agent, space, session) == "completed"

    assert list_lessons(tenant, session) == []
    assert [task.status for task in agent.sessions.get_tasks(session).items] == ["success"]


def test_a_talk_that_nobody_closed_is_learned_too(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, REFUND.rpartition("\n")[0])

    assert learned(agent, space, session) == "completed"

    assert [task.status for task in agent.sessions.get_tasks(session).items] == ["success"]
    assert get_content(tenant, session, "success")["task_goal"] == "Refund order 17, please."


def test_what_failed_is_not_made_a_success_by_silence(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, "U: Delete the old backups.\nA: I am unable to delete them: permission denied.")

    assert learned(agent, space, session) == "completed"

    assert [task.status for task in agent.sessions.get_tasks(session).items] == ["failed"]


def test_an_agent_that_is_still_at_work_is_waited_for(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, 'U: Refund order 17, please.\nC: refund {"id": 17}')
    flush(agent, session)

    record = agent.learning_spaces.get_session(space, session_id=session)
    assert record.status == "pending"
    assert [task.status for task in agent.sessions.get_tasks(session).items] == ["running"]
    assert list_lessons(tenant, session) == []

    tell(tenant, session, 'R: refund {"ok": true}\nA: It is refunded.\nU: Thank you!')
    assert learned(agent, space, session) == "completed"
    assert [lesson.kind for lesson in list_lessons(tenant, session)] == ["success"]


def test_a_session_without_a_space_is_read_and_not_learned(agent: AcontextClient, tenant: Tenant) -> None:
    session = agent.sessions.create()
    tell(tenant, session.id, REFUND + "\nU: Now cancel order 18.\nA: Cancelled it.")
    flush(agent, session.id)

    statuses = [task.status for task in agent.sessions.get_tasks(session.id).items]
    assert statuses == ["success", "running"]
    assert list_lessons(tenant, session.id) == []


def test_what_was_said_before_a_session_was_attached_is_learned_when_it_is(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create()
    tell(tenant, session.id, REFUND + "\nU: I prefer short answers.")
    flush(agent, session.id)
    space = agent.learning_spaces.create()

    assert agent.learning_spaces.learn(space.id, session_id=session.id).status == "pending"
    waited = agent.learning_spaces.wait_for_learning(space.id, session_id=session.id, timeout=240)

    assert waited.status == "completed"
    assert sorted(lesson.kind for lesson in list_lessons(tenant, session.id)) == ["preferences", "success"]


def test_another_space_learns_from_a_session_anew(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, SHORT)
    assert learned(agent, space, session) == "completed"
    agent.learning_spaces.delete(space)
    other = agent.learning_spaces.create()

    agent.learning_spaces.learn(other.id, session_id=session)
    agent.learning_spaces.wait_for_learning(other.id, session_id=session, timeout=240)

    assert [str(lesson.space_id) for lesson in list_lessons(tenant, session)] == [other.id]


def test_new_messages_begin_a_new_batch(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, SHORT)
    assert learned(agent, space, session) == "completed"

    tell(tenant, session, "U: Cancel order 18.")
    assert agent.learning_spaces.get_session(space, session_id=session).status == "pending"
    tell(tenant, session, 'C: cancel {"id": 18}\nR: cancel {"ok": true}\nA: Cancelled.\nU: Thanks!')
    assert learned(agent, space, session) == "completed"

    goals = [lesson.content["task_goal"] for lesson in list_lessons(tenant, session)]
    assert goals == ["Cancel order 17, please.", "Cancel order 18."]


def test_a_task_that_ends_once_more_is_distilled_once_more(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent)
    tell(tenant, session, REFUND)
    assert learned(agent, space, session) == "completed"

    tell(tenant, session, "U: That's wrong, I got only 20 euros. Refund the rest again.")
    tell(tenant, session, 'C: refund {"id": 17, "amount": 10}\nR: refund {"ok": true}\nA: Done.\nU: Thanks!')
    assert learned(agent, space, session) == "completed"

    assert len(agent.sessions.get_tasks(session).items) == 1
    first, second = (lesson.content for lesson in list_lessons(tenant, session))
    assert "20 euros" not in first["generalizable_pattern"]
    assert "20 euros" in second["generalizable_pattern"]


def test_imported_talks_carry_their_own_day(agent: AcontextClient, tenant: Tenant) -> None:
    space, session = attached(agent, configs={"original_date": "2024-02-29"})
    tell(tenant, session, SHORT)

    assert learned(agent, space, session) == "completed"

    assert {lesson.said_on for lesson in list_lessons(tenant, session)} == {date(2024, 2, 29)}


def test_a_later_change_of_configs_does_not_move_the_day_of_what_was_said(
    agent: AcontextClient, tenant: Tenant
) -> None:
    space, session = agent.learning_spaces.create(), agent.sessions.create()
    tell(tenant, session.id, SHORT)
    seen(tenant, lambda project: _move_to(project, session.id, datetime(2026, 3, 2, 12, tzinfo=UTC)))
    agent.sessions.patch_configs(session.id, configs={"team": "support"})
    agent.learning_spaces.learn(space.id, session_id=session.id)

    assert learned(agent, space.id, session.id) == "completed"

    assert {lesson.said_on for lesson in list_lessons(tenant, session.id)} == {date(2026, 3, 2)}


def _move_to(project: Any, session_id: str, day: datetime) -> None:
    """As if it had all been said then."""
    from skills.models import Session, SessionMessage

    SessionMessage.objects.within(project).filter(session=session_id).update(created_at=day)
    Session.objects.within(project).filter(pk=session_id).update(updated_at=day)


def test_sessions_of_one_space_that_end_together_are_all_learned(
    agent: AcontextClient, tenant: Tenant
) -> None:
    space = agent.learning_spaces.create()
    sessions = [agent.sessions.create() for _ in range(2)]
    for number, session in enumerate(sessions):
        agent.learning_spaces.learn(space.id, session_id=session.id)
        tell(tenant, session.id, SHORT.replace("17", f"{number}17"))

    for session in sessions:
        assert learned(agent, space.id, session.id) == "completed"

    states = {lesson.state for session in sessions for lesson in list_lessons(tenant, session.id)}
    assert states == {"written"}
    assert [len(list_lessons(tenant, session.id)) for session in sessions] == [1, 1]


def test_a_step_that_breaks_for_good_is_a_failure_until_new_messages_come(
    agent: AcontextClient, tenant: Tenant
) -> None:
    from skills.observation.task_extraction import give_up
    from tenancy.isolation.scoping import Scope

    space, session = attached(agent)
    tell(tenant, session, SHORT)
    give_up(Scope.of_project(tenant.project), session)
    raw = agent.sessions.get_messages(session, format="acontext").items
    assert {item["session_task_process_status"] for item in raw} == {"pending"}, "another run is to read them"

    seen(tenant, lambda project: _drop_readings(project, session))
    give_up(Scope.of_project(tenant.project), session)

    assert agent.learning_spaces.get_session(space, session_id=session).status == "failed"
    raw = agent.sessions.get_messages(session, format="acontext").items
    assert {item["session_task_process_status"] for item in raw} == {"failed"}
    tell(tenant, session, SHORT)
    assert agent.learning_spaces.get_session(space, session_id=session).status == "pending"
    assert learned(agent, space, session) == "completed"


def _drop_readings(project: Any, session: str) -> None:
    from memories.models import Task

    Task.objects.within(project).filter(subject=session).delete()


def test_the_record_names_the_step_that_the_learning_is_at(agent: AcontextClient, tenant: Tenant) -> None:
    from skills.models import LearningRecord, Lesson
    from skills.sessions.records import get_learning_status, record_rows

    space, session = attached(agent)
    tell(tenant, session, SHORT)
    assert learned(agent, space, session) == "completed"

    def told(state: str) -> str:
        def ask(project: Any) -> str:
            Lesson.objects.within(project).filter(session=session).update(state=state)
            return get_learning_status(record_rows(project).get(session=session))

        return str(seen(tenant, ask))

    assert [told(state) for state in ("waiting", "writing", "failed", "written")] == [
        "queued",
        "skill_writing",
        "failed",
        "completed",
    ]
    kept = seen(tenant, lambda project: LearningRecord.objects.within(project).get(session=session).status)
    assert kept == "completed"
    wait_until(lambda: load_planning(tenant, session) == {})
