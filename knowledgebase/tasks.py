"""Celery tasks: file processing, deletion, and periodic clean-up."""

from __future__ import annotations

from celery import shared_task

from knowledgebase.removal.sweeps import sweep_stored_files
from knowledgebase.work.reassign import reassign_lost_tasks
from memories.jobs.registry import register_handler
from memories.values import TaskKind

register_handler(
    TaskKind.FILE,
    "knowledgebase.processing.process.process_file",
    "knowledgebase.work.file_task.give_up_file",
)
register_handler(TaskKind.PURGE, "knowledgebase.removal.removal.purge_base")


@shared_task(name="knowledgebase.sweep", ignore_result=True)
def sweep_task() -> None:
    reassign_lost_tasks()


@shared_task(name="knowledgebase.sweep_files", ignore_result=True)
def sweep_files_task() -> None:
    sweep_stored_files()
