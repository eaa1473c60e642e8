"""`manage.py reembed`: after a change of EMBEDDING_*, gives every memory a vector of the new model."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.checks import Tags
from django.core.management.base import BaseCommand
from django.db import ProgrammingError
from tqdm import tqdm

from memories.engine import get_embedder
from memories.retrieval.candidates.vector_index import MOST_DIMENSIONS, build_index
from memories.retrieval.reembed import count_outdated, reembed_project
from tenancy.models import Project


class Command(BaseCommand):
    help = (
        "Embeds again what another embedder embedded. Runs beside a serving installation; may be run again."
    )

    # The others load every page of the console, which took half as long as all else here.
    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", type=UUID, help="only this project, to try the model on it first")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = {"pk": options["project"]} if options["project"] else {}
        projects = list(Project.objects.select_related("account").filter(**wanted))
        self._build_index()
        total, done = sum(count_outdated(project) for project in projects), 0
        with tqdm(total=total, unit="memory", disable=None) as bar:
            for project in projects:
                for count in reembed_project(project):
                    bar.update(count)
                    done += count
        self.stdout.write(f"{done} memories now have vectors of {get_embedder().name}.")

    def _build_index(self) -> None:
        """First, while no vector of the model is there yet: then it is built in no time, and grows with them."""
        model = get_embedder()
        try:
            is_built = build_index(model.name, model.dimensions)
        except ProgrammingError:
            is_built = False  # the role given as the owner is not: see below
        if not is_built:
            self.stdout.write(
                f"There is no index for the {model.dimensions} dimensions of {model.name}: large knowledge bases are"
                f" compared in full. An index needs DATABASE_OWNER_URL and at most {MOST_DIMENSIONS} dimensions."
            )
