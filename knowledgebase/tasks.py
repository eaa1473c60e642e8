"""The worker's doors to knowledge bases: the work on files, deletions, and rounds by the clock."""

from __future__ import annotations

from celery import shared_task

from knowledgebase.processing.process import process_file
from knowledgebase.removal.removal import purge
from knowledgebase.removal.sweeps import sweep, sweep_files
from knowledgebase.work.work import give_up_file
from memories.jobs.registry import register_handler
from memories.values import TaskKind

register_handler(TaskKind.FILE, process_file, give_up_file)
register_handler(TaskKind.PURGE, purge)


@shared_task(name="knowledgebase.sweep", ignore_result=True)
def sweep_door() -> None:
    sweep()


@shared_task(name="knowledgebase.sweep_files", ignore_result=True)
def sweep_files_door() -> None:
    sweep_files()
