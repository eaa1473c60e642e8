"""What tenancy does by the clock."""

from __future__ import annotations

from celery import shared_task

from tenancy.retention import clear_request_logs, clear_stored_answers


@shared_task(name="tenancy.clear_request_logs", ignore_result=True)
def clear_request_logs_door() -> None:
    clear_request_logs()


@shared_task(name="tenancy.clear_stored_answers", ignore_result=True)
def clear_stored_answers_door() -> None:
    clear_stored_answers()
