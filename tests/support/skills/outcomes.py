"""Outcomes of requests in a conversation."""

from __future__ import annotations

from skills.reading.task_board import Board
from skills.reading.tasks import read_tasks
from tests.support.skills.read_talks import talk


def outcome(play: str) -> list[tuple[str, str]]:
    board = Board()
    read_tasks(board, talk(play), 0)
    return [(task.description, task.status.value) for task in board.tasks]
