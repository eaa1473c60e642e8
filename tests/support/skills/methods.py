"""What the rules learn from a talk, as the entries of the pages of methods."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import uuid4

from skills.learning.distill_engine import DistillationCase
from skills.learning.lesson import LessonContent
from skills.learning.rules.distill import find_lessons
from skills.learning.rules.methods import format_lesson_entry
from skills.reading.task_board import Board
from skills.reading.tasks import read_tasks
from skills.values import LessonKind
from tests.support.skills.read_talks import talk


def learn_methods(play: str) -> list[str]:
    """The entries that a talk leaves in pages of methods."""
    board, heard = Board(), talk(play)
    read_tasks(board, heard, 0)
    entries = []
    for task in board.tasks:
        mine = [message for message in heard if board.placed.get(message.id) is task]
        case = DistillationCase(task.description, task.status != "failed", task.progresses, mine, [], [], [])
        for kind, content in find_lessons(case):
            if kind is not LessonKind.FACTS:
                entries.append(write_entry(kind, content))
    return entries


def write_entry(kind: LessonKind, content: dict[str, Any]) -> str:
    return format_lesson_entry(LessonContent(uuid4(), kind, content, date(2026, 5, 4)))
