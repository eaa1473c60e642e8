"""Celery tasks and the registration of task kinds."""

from __future__ import annotations

from celery import shared_task

from memories.jobs.registry import register_handler
from memories.values import TaskKind
from skills.catalogue.orphaned_files import sweep_skill_files
from skills.sessions.migrate_message_files import migrate_message_files

register_handler(TaskKind.SKILL, "skills.generation.generate.generate_skills")
register_handler(
    TaskKind.OBSERVE,
    "skills.observation.task_extraction.observe",
    "skills.observation.task_extraction.give_up",
)
register_handler(TaskKind.DISTILL, "skills.learning.distill.distill", "skills.learning.distill.give_up")
register_handler(TaskKind.LEARN, "skills.learning.learn.learn", "skills.learning.learn.give_up")


# Named after what it did first: a host of an earlier release may still send the name during an upgrade.
@shared_task(name="skills.recount_messages", ignore_result=True)
def migrate_message_files_task() -> None:
    migrate_message_files()


@shared_task(name="skills.sweep_files", ignore_result=True)
def sweep_files_task() -> None:
    sweep_skill_files()
