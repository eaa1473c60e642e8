"""`manage.py reextract`: makes memories anew from stored messages, shows what that would change, or undoes it."""

import time
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from memories.ingest.reextraction.runs import ReextractionMode, find_task, get_run_counts, start_run
from memories.ingest.reextraction.work import sample_changes
from memories.models import Task
from memories.models.task import OPEN_STATES
from memories.values import OwnerKind, Subject, TaskState
from tenancy.errors import EndUserUnknown
from tenancy.models import Project

POLL_SECONDS = 0.5


class Command(BaseCommand):
    help = (
        "Makes the memories of a project anew from its stored messages, in the background. What people edited,"
        " froze or deleted is left alone. A run can be undone."
    )

    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", type=UUID, required=True)
        whose = parser.add_mutually_exclusive_group()
        whose.add_argument("--user", help="only this end user")
        whose.add_argument("--agent", help="only this agent")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--preview", action="store_true", help="count and show the changes, write nothing")
        what.add_argument("--undo", type=UUID, metavar="RUN", help="undo a run")
        parser.add_argument("--no-wait", action="store_true", help="do not wait until the workers are done")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.select_related("account").filter(pk=options["project"]).first()
        if project is None:
            raise CommandError("There is no such project.")
        subject = self._get_subject(options)
        mode = (
            ReextractionMode.UNDO
            if options["undo"]
            else ReextractionMode.PREVIEW
            if options["preview"]
            else ReextractionMode.APPLY
        )
        try:
            task = start_run(project, mode, None, options["undo"], subject)
            if mode is ReextractionMode.PREVIEW:
                self._show_sample(project, subject)
        except EndUserUnknown as unknown:
            raise CommandError(f"The project holds nothing of {unknown}.") from unknown
        self.stdout.write(f"Run {task.payload['run']} ({mode}) has begun.")
        if not options["no_wait"]:
            self._wait_for_task(project, task)

    def _get_subject(self, options: dict[str, Any]) -> Subject | None:
        if options["user"]:
            return Subject(OwnerKind.END_USER, options["user"])
        return Subject(OwnerKind.AGENT, options["agent"]) if options["agent"] else None

    def _show_sample(self, project: Project, subject: Subject | None) -> None:
        sample = sample_changes(project, subject)
        for sign, texts in (("+", sample.added), ("-", sample.removed)):
            for text in texts:
                self.stdout.write(f"{sign} {text}")

    def _wait_for_task(self, project: Project, task: Task) -> None:
        while (ended := find_task(project, task.pk)).state in OPEN_STATES:
            time.sleep(POLL_SECONDS)
        if ended.state != TaskState.COMPLETED:
            raise CommandError(
                f"The run ended as {ended.state}: {ended.error_code}. Start it again to go on."
            )
        counts = get_run_counts(ended)
        self.stdout.write(
            f"{counts.added} added, {counts.removed} removed, {counts.kept} kept,"
            f" {counts.left_alone} left alone."
        )
