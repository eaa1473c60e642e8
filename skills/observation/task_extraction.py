"""The observe task: turn messages of a session into tasks, preferences and plans.

A run takes up to 32 messages (8 MB) under the session's lock, reads them outside of any transaction, and writes all of
it in one, under the fence of its claim: killed anywhere and begun again, it loses nothing and says nothing twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from django.utils import timezone

from memories.jobs import outbox
from memories.models import Task
from memories.values import TaskState
from skills.learning.reading_engine import BoardReading, Criteria, read_new_messages
from skills.models import LearningRecord, LearningSpace, Session, SessionMessage, SessionTask
from skills.observation.conclude import hand_on_to_learning
from skills.paging import PageWindow, read_window
from skills.reading.talk import TalkMessage, build_talk_message
from skills.reading.task_board import Board, BoardTask
from skills.sessions.debounce import list_observations, list_session_messages
from skills.sessions.planning import load_planning, write_planning
from skills.sessions.records import UNREAD, record_failure, update_status
from skills.sessions.session_message_files import ROW_BYTES
from skills.settings.learning_settings import load_learning_configs
from skills.values import MessageState, SessionTaskState
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

MOST = 32
# So many messages before the new ones are shown again: thanks are for something, "it" is something.
CONTEXT = 12


@dataclass(frozen=True, slots=True)
class MessageBatch:
    """Messages that a run reads. Of `messages` the first `known` were read before; `owners` are the tasks of those."""

    messages: list[TalkMessage]
    known: int
    owners: Mapping[UUID, UUID]
    tasks: list[SessionTask]
    preferences: list[str]
    criteria: Criteria
    is_cut: bool

    @property
    def new(self) -> list[TalkMessage]:
        return self.messages[self.known :]

    def board(self) -> Board:
        """A fresh one each time: an engine that fails leaves its own behind."""
        tasks = [
            BoardTask(
                row.pk,
                row.data.get("task_description", ""),
                SessionTaskState(row.status),
                [*row.data.get("progresses", [])],
            )
            for row in self.tasks
        ]
        by_id = {task.id: task for task in tasks}
        placed = {message: by_id[owner] for message, owner in self.owners.items() if owner in by_id}
        return Board(tasks, [*self.preferences], placed)


def observe(task: Task) -> None:
    """Does the whole of an observe task. Raises `outbox.LeaseLost` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    with tenant_scope(scope):
        batch = _take_batch(task)
    reading = (
        read_new_messages(scope, batch.messages, batch.known, batch.board, batch.criteria) if batch else None
    )
    with tenant_scope(scope):
        session = _lock_session(task)
        if session is not None:
            if batch is not None and reading is not None:
                outbox.require_fence(task)
                _write_board(session, batch, reading)
            hand_on_to_learning(session, is_cut=batch is not None and batch.is_cut)
        outbox.complete(task, _build_result(batch, reading))
        update_status(task.own_project, task.subject)


def _build_result(batch: MessageBatch | None, reading: BoardReading | None) -> dict[str, Any]:
    return {"messages": len(batch.new), "read_by": reading.by} if batch and reading else {"messages": 0}


def _lock_session(task: Task) -> Session | None:
    """The session, locked after its space: that is the order in which everybody takes them."""
    record = LearningRecord.objects.within(task.project_id).filter(session=task.subject).first()
    if record is not None:
        spaces = LearningSpace.objects.within(task.project_id).select_for_update(no_key=True)
        spaces.filter(pk=record.space_id).first()
    rows = Session.objects.within(task.project_id).select_for_update(no_key=True)
    session: Session | None = rows.filter(pk=task.subject).first()
    return session


def _take_batch(task: Task) -> MessageBatch | None:
    """The oldest unread messages, now running: also those that a run was killed over. None when there are none."""
    session = _lock_session(task)
    if session is None:
        return None
    unread = list_session_messages(session).filter(state__in=UNREAD)
    row_slice = read_window(unread, PageWindow(MOST), by="position", size=ROW_BYTES)
    new = row_slice.rows
    if not new:
        return None
    _mark_messages(session, new, MessageState.RUNNING)
    update_status(task.own_project, task.subject)
    first = new[0].position
    before = list_session_messages(session).filter(position__lt=first, state=MessageState.SUCCESS)
    shown = read_window(
        before, PageWindow(CONTEXT, is_newest_first=True), by="position", size=ROW_BYTES
    ).rows[::-1]
    rows = SessionTask.objects.within(session.project_id).filter(session=session)
    return MessageBatch(
        [build_talk_message(message) for message in [*shown, *new]],
        len(shown),
        {message.pk: message.task_id for message in [*shown, *new] if message.task_id},
        list(rows.filter(is_planning=False).order_by("order")),
        load_planning(session).preferences,
        Criteria.of(load_learning_configs(Project(pk=session.project_id))),
        row_slice.next is not None,
    )


def _mark_messages(session: Session, messages: Sequence[SessionMessage], state: MessageState) -> None:
    keys = [message.pk for message in messages]
    list_session_messages(session).filter(pk__in=keys).update(state=state, updated_at=timezone.now())


def _write_board(session: Session, batch: MessageBatch, reading: BoardReading) -> None:
    """The board as rows: tasks, whose messages are whose, plans and preferences."""
    _write_tasks(session, reading)
    now = timezone.now()
    new = {message.id for message in batch.new}
    for row in list_session_messages(session).filter(pk__in=new):
        owner = reading.board.placed.get(row.pk)
        row.task_id = owner.id if owner else None
        row.kept = {**row.kept, "read_by": reading.by}
        row.state, row.updated_at = MessageState.SUCCESS.value, now
        row.save(update_fields=["task", "kept", "state", "updated_at"])
    planned = [message.id for message in batch.new if message.id in reading.board.planned]
    write_planning(session, reading.board.preferences, planned)


def _write_tasks(session: Session, reading: BoardReading) -> None:
    # As they are now: a distillation may have noted something there meanwhile.
    now = SessionTask.objects.within(session.project_id).filter(session=session, is_planning=False)
    rows = {row.pk: row for row in now}
    for order, task in enumerate(reading.board.tasks, 1):
        row = rows.get(task.id)
        if row is None:
            _insert_task(session, order, task, reading.by)
        elif (
            _get_row_state(row) != _RowState(order, task.description, task.status.value, task.progresses)
            or task.has_ended
        ):
            _update_task(row, order, task, reading.by)


class _RowState(NamedTuple):
    """Fields of a task that are written again when they change."""

    order: int
    description: str
    status: str
    progresses: list[str]


def _get_row_state(row: SessionTask) -> _RowState:
    return _RowState(
        row.order, row.data.get("task_description", ""), row.status, row.data.get("progresses", [])
    )


def _insert_task(session: Session, order: int, task: BoardTask, by: str) -> None:
    SessionTask.objects.create(
        id=task.id,
        account_id=session.account_id,
        project_id=session.project_id,
        session=session,
        order=order,
        status=task.status.value,
        data=_build_task_data(task, by),
    )


def _update_task(row: SessionTask, order: int, task: BoardTask, by: str) -> None:
    """One that came to an end, or went on, is to be learned from when it has ended again."""
    row.order, row.data, row.updated_at = order, {**row.data, **_build_task_data(task, by)}, timezone.now()
    fields = ["order", "data", "status", "updated_at"]
    if task.has_ended or task.status.value != row.status:
        # Else it is left alone: a distillation that runs beside this says there how far it is.
        row.distilling = ""
        fields.append("distilling")
    row.status = task.status.value
    row.save(update_fields=fields)


def _build_task_data(task: BoardTask, by: str) -> dict[str, Any]:
    return {"task_description": task.description, "progresses": task.progresses, "read_by": by}


def give_up(scope: Scope, session_id: UUID) -> None:
    """The messages of a run that cannot be done have failed; those that another run is to read have not."""
    with tenant_scope(scope):
        rows = Session.objects.within(scope.project).select_for_update(no_key=True)
        session = rows.filter(pk=session_id).first()
        if session is None:
            return
        is_read_later = list_observations(session).filter(state__in=[TaskState.QUEUED, TaskState.WAITING])
        lost = [MessageState.RUNNING] if is_read_later.exists() else UNREAD
        failed = list_session_messages(session).filter(state__in=lost)
        if failed.update(state=MessageState.FAILED, updated_at=timezone.now()):
            record_failure(session.project_id, session.pk, "messages could not be read")
        else:
            update_status(session.project_id, session.pk)
