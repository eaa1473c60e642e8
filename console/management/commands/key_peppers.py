"""`manage.py key_peppers`: how many API keys still need an old pepper of KEY_PEPPERS."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tenancy.keys.peppers import count_pepper_use


class Command(BaseCommand):
    help = "Says how many live API keys would stop working if only the first of KEY_PEPPERS were left."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        use = count_pepper_use()
        if options["json"]:
            self.stdout.write(json.dumps(asdict(use)))
            return
        self.stdout.write(f"{use.current} live keys need the first pepper only.")
        self.stdout.write(
            f"{use.depending} need an older one: {use.older} were made with it,"
            f" and of {use.unknown} it is not known yet."
        )
        if use.depending:
            self.stdout.write(
                f"A key moves to the first pepper when it is used next; {use.idle} of these were not used for 30 days."
                " Keep the old pepper until there is none, or have them replaced."
            )
        else:
            self.stdout.write("The older peppers may be taken out of KEY_PEPPERS.")
