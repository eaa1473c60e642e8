"""Celery's doors into this app, each one line long."""

from __future__ import annotations

from celery import shared_task
from django.db import close_old_connections

from skills.orphans import sweep_skill_files


@shared_task(name="skills.sweep_files", ignore_result=True)
def sweep_files_door() -> None:
    close_old_connections()
    sweep_skill_files()
