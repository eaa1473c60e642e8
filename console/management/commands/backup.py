"""`manage.py backup FOLDER [--without-secrets]`: everything of the running installation into a new folder."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError

from console.data.backup.create import create_backup
from console.data.backup.values import BackupRefused


class Command(BaseCommand):
    help = (
        "Copies database, files and secrets of the running installation into a new folder, with a manifest."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that does not exist yet, or is empty")
        parser.add_argument(
            "--without-secrets",
            action="store_true",
            help="leaves out SECRET_KEY, KEY_PEPPERS, ENCRYPTION_KEYS and the demo login; restore then asks for them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        os.umask(0o077)
        folder: Path = options["folder"].expanduser().resolve()
        try:
            manifest = create_backup(folder, with_secrets=not options["without_secrets"])
        except (BackupRefused, psycopg.Error, OSError) as error:
            raise CommandError(f"The backup was not made: {error}") from error
        rows = sum(manifest.tables.values())
        size = sum(content.size for content in manifest.files.values())
        self.stdout.write(f"{folder}: {rows} rows, {len(manifest.files)} files of {size} bytes.")
        for key, reason in sorted(manifest.missing.items()):
            self.stdout.write(f"Left out: {key}, {reason}.")
