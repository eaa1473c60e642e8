"""Pass finished tasks and preferences of a session on to learning, if a space learns from it.

It is asked after every reading, and when a session is attached, and it looks at what there is: whatever was handed on
already is not handed on again.
"""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memories.jobs import outbox
from memories.values import TaskKind
from skills.learning.dates import get_session_day
from skills.learning.learn import queue_learning
from skills.models import LearningRecord, Lesson, Session, SessionTask
from skills.reading.ending import ends_badly, is_midway, is_report
from skills.reading.talk import TalkMessage, build_talk_message
from skills.reading.task_board import FINISHED
from skills.sessions.debounce import list_session_messages, observe_at
from skills.sessions.planning import load_planning, mark_taught
from skills.sessions.records import UNREAD
from skills.values import Distilling, LessonKind, SessionTaskState

# An agent may be at work for longer than the idle time: so long after its last message it is not.
QUIET_TIME = timedelta(seconds=30)


def hand_on_to_learning(session: Session, *, is_cut: bool = False) -> None:
    """Queue learning from finished tasks and new preferences, in the transaction of the reading.

    The caller holds the locks of the session's space and of the session. `is_cut` says that the reading left older
    messages unread.
    """
    if is_cut:
        observe_at(session, timezone.now())
    rows = LearningRecord.objects.within(session.project_id).select_related("space")
    record = rows.filter(session=session).first()
    if record is None:
        return
    if not list_session_messages(session).filter(state__in=UNREAD).exists():
        _close_tasks(session)
    for task in _list_tasks(session):
        if task.is_planning or task.status in FINISHED:
            _schedule_distillation(task)
    _add_preferences(record, session)


def _list_tasks(session: Session) -> list[SessionTask]:
    rows = SessionTask.objects.within(session.project_id).filter(session=session)
    return list(rows.order_by("order"))


def _close_tasks(session: Session) -> None:
    """End open tasks by how the session ended: perhaps nobody ever says that they are done."""
    tasks = [task for task in _list_tasks(session) if not task.is_planning]
    open_tasks = [task for task in tasks if task.status not in FINISHED]
    last = _find_last_message(session)
    if not open_tasks or last is None:
        return
    until = last.said_at + QUIET_TIME
    if is_midway(last) and until > timezone.now():
        observe_at(session, until)
        return
    is_first = len(open_tasks) == len(tasks)
    for task in open_tasks:
        spoken = _find_last_message(session, task)
        if spoken is not None and ends_badly(spoken):
            _end_task(task, SessionTaskState.FAILED)
        elif is_first or (spoken is not None and is_report(spoken)):
            _end_task(task, SessionTaskState.SUCCESS)


def _find_last_message(session: Session, task: SessionTask | None = None) -> TalkMessage | None:
    rows = list_session_messages(session).order_by("-position")
    message = (rows if task is None else rows.filter(task=task)).first()
    return None if message is None else build_talk_message(message)


def _end_task(task: SessionTask, status: SessionTaskState) -> None:
    task.status, task.distilling, task.updated_at = status.value, "", timezone.now()
    task.save(update_fields=["status", "distilling", "updated_at"])


def _schedule_distillation(task: SessionTask) -> None:
    """Once for each time that it ended."""
    if task.distilling or (task.is_planning and not _has_messages(task)):
        return
    task.distilling, task.distilled = Distilling.WAITING.value, task.distilled + 1
    task.save(update_fields=["distilling", "distilled"])
    outbox.write_work(
        task.account_id,
        project_id=task.project_id,
        kind=TaskKind.DISTILL,
        dedupe_key=f"{task.pk}:{task.distilled}",
        payload={"turn": task.distilled},
        subject=task.pk,
    )


def _has_messages(task: SessionTask) -> bool:
    return bool(list_session_messages(task.session).filter(task=task, role="user").exists())


def _add_preferences(record: LearningRecord, session: Session) -> None:
    """Preferences need no distillation."""
    planning = load_planning(session)
    if planning.row is None or not planning.untaught:
        return
    facts = [{"text": text, "subject": "user"} for text in planning.untaught]
    Lesson.objects.create(
        account_id=session.account_id,
        project_id=session.project_id,
        space=record.space,
        session=session,
        task=planning.row,
        kind=LessonKind.PREFERENCES,
        content={"facts": facts},
        said_on=get_session_day(session),
    )
    mark_taught(planning.row)
    queue_learning(record.space)
