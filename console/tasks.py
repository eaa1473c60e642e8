"""Celery tasks that span all apps."""

from __future__ import annotations

from celery import shared_task

from console.data.erasure.delete_project import continue_deletions, erase
from console.data.recall_tests.run import run_recall_tests
from console.data.sample_data.job import fill_sample_data
from console.sign_in.oauth_retention import clear_oauth
from console.sign_in.session_retention import clear_sessions
from memories.jobs.registry import register_handler
from memories.values import TaskKind

register_handler(TaskKind.ERASE, erase)
register_handler(TaskKind.RECALL_TESTS, run_recall_tests)
register_handler(TaskKind.SAMPLE, fill_sample_data)


@shared_task(name="console.clear_sessions", ignore_result=True)
def clear_sessions_task() -> None:
    clear_sessions()


@shared_task(name="console.continue_deletions", ignore_result=True)
def continue_deletions_task() -> None:
    continue_deletions()


@shared_task(name="console.clear_oauth", ignore_result=True)
def clear_oauth_task() -> None:
    clear_oauth()
