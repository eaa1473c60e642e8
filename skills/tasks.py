"""Celery tasks and the registration of task kinds."""

from __future__ import annotations

from celery import shared_task

from memories.jobs.registry import register_handler
from memories.values import TaskKind
from skills.catalogue.orphaned_files import sweep_skill_files
from skills.generation.grow import grow
from skills.learning.distill import distill
from skills.learning.distill import give_up as give_up_distilling
from skills.learning.learn import give_up as give_up_learning
from skills.learning.learn import learn
from skills.observation.task_extraction import give_up as give_up_observing
from skills.observation.task_extraction import observe
from skills.sessions.migrate_message_files import migrate_message_files

register_handler(TaskKind.SKILL, grow)
register_handler(TaskKind.OBSERVE, observe, give_up_observing)
register_handler(TaskKind.DISTILL, distill, give_up_distilling)
register_handler(TaskKind.LEARN, learn, give_up_learning)


# Named after what it did first: a host of an earlier release may still send the name during an upgrade.
@shared_task(name="skills.recount_messages", ignore_result=True)
def migrate_message_files_task() -> None:
    migrate_message_files()


@shared_task(name="skills.sweep_files", ignore_result=True)
def sweep_files_task() -> None:
    sweep_skill_files()
