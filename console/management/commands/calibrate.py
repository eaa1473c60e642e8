"""`manage.py calibrate`: fits the relativity of statements for the embedding model in use, on the labelled set."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from memories.engine import get_embedder
from memories.engine.calibration.fitting import fit_calibration
from memories.engine.calibration.model import SHIPPED, get_calibration_path
from memories.engine.protocols import ProviderRefused, ProviderUnavailable


class Command(BaseCommand):
    help = (
        "Fits how relevant statements are for the embedding model in use, on the labelled set that ships with Engram,"
        " and writes the result to CALIBRATION_FOLDER. Processes read it when they start."
    )

    # The others load every page of the console.
    requires_system_checks = (Tags.security,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--output", type=Path, help="another file than the one that searches read")
        parser.add_argument(
            "--shipped", action="store_true", help="the file of the default model in the source tree"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        engine = get_embedder()
        if options["shipped"] and settings.EMBEDDING["ENGINE"] != "local":
            raise CommandError("--shipped is for the default model only")
        path = SHIPPED if options["shipped"] else options["output"] or get_calibration_path(engine.name)
        try:
            calibration = fit_calibration(engine, self.stdout.write)
        except (ProviderUnavailable, ProviderRefused) as error:
            raise CommandError(f"{engine.name} did not answer: {error}") from error
        calibration.save(path)
        self.stdout.write(f"On people held out, with {engine.name}:")
        for name, value in calibration.figures.items():
            self.stdout.write(f"  {name}: {value:.3f}")
        self.stdout.write(f"Written to {path}. Restart web and worker processes.")
