"""`manage.py reembed`: after a change of EMBEDDING_*, gives every memory a vector of the new model."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand
from tqdm import tqdm

from memories.engine import embedder
from memories.reembed import count_outdated, reembed
from tenancy.models import Project


class Command(BaseCommand):
    help = (
        "Embeds again what another embedder embedded. Runs beside a serving installation; may be run again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", type=UUID, help="only this project, to try the model on it first")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = {"pk": options["project"]} if options["project"] else {}
        projects = list(Project.objects.select_related("account").filter(**wanted))
        total = sum(count_outdated(project) for project in projects)
        with tqdm(total=total, unit="memory", disable=None) as bar:
            for project in projects:
                for done in reembed(project):
                    bar.update(done)
        self.stdout.write(f"{total} memories now have vectors of {embedder().name}.")
