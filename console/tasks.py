"""Celery tasks that span all apps."""

from __future__ import annotations

from celery import shared_task

from console.data.erasure.erase_tasks import continue_deletions
from console.sign_in.oauth_retention import clear_oauth
from console.sign_in.session_retention import clear_sessions
from memories.jobs.registry import register_handler
from memories.values import TaskKind

register_handler(TaskKind.ERASE, "console.data.erasure.erase_tasks.run_erase_task")
register_handler(TaskKind.RECALL_TESTS, "console.data.recall_tests.run.run_recall_tests")
register_handler(TaskKind.SAMPLE, "console.data.sample_data.job.fill_sample_data")


@shared_task(name="console.clear_sessions", ignore_result=True)
def clear_sessions_task() -> None:
    clear_sessions()


@shared_task(name="console.continue_deletions", ignore_result=True)
def continue_deletions_task() -> None:
    continue_deletions()


@shared_task(name="console.clear_oauth", ignore_result=True)
def clear_oauth_task() -> None:
    clear_oauth()
