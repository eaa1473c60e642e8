"""`manage.py reembed`: after a change of EMBEDDING_*, gives every memory a vector of the new model."""

from typing import Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from memories.engine import embedder
from memories.reembed import count_outdated, reembed
from tenancy.models import Project


class Command(BaseCommand):
    help = (
        "Embeds again what another embedder embedded. Runs beside a serving installation; may be run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        projects = list(Project.objects.select_related("account"))
        total = sum(count_outdated(project) for project in projects)
        with tqdm(total=total, unit="memory", disable=None) as bar:
            for project in projects:
                for done in reembed(project):
                    bar.update(done)
        self.stdout.write(f"{total} memories now have vectors of {embedder().name}.")
