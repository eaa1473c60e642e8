"""`manage.py ensure_demo`: the demo tenant of this installation, and its demo.json."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from console.embedded.demo.demo import ensure_demo


class Command(BaseCommand):
    help = "Makes the demo tenant if it is not there, and writes demo.json (mode 600) into the data folder."

    def handle(self, *args: Any, **options: Any) -> None:
        ensure_demo(settings.DATA_FOLDER)
        self.stdout.write(str(settings.DATA_FOLDER / "demo.json"))
