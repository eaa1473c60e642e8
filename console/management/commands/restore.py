"""`manage.py restore FOLDER [--verify]`: a backup into the empty installation that the environment describes."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.data.backup.restore import restore_backup
from console.data.backup.values import BackupRefused


class Command(BaseCommand):
    help = (
        "Restores a backup into an empty data folder (ENGRAM_DATA), database and file storage. "
        "Refuses to overwrite anything."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that `manage.py backup` made")
        parser.add_argument(
            "--verify", action="store_true", help="reads everything back and compares it with the manifest"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        os.umask(0o077)
        try:
            manifest = restore_backup(options["folder"].expanduser().resolve(), verify=options["verify"])
        except (BackupRefused, OSError) as error:
            raise CommandError(f"The backup was not restored: {error}") from error
        rows, files = sum(manifest.tables.values()), len(manifest.files)
        read_back = " All of it was read back and is as the manifest says." if options["verify"] else ""
        self.stdout.write(
            f"{rows} rows and {files} files of {manifest.created_at} were restored.{read_back} Start Engram now."
        )
        for key, reason in sorted(manifest.missing.items()):
            self.stdout.write(f"Not in the backup: {key}, {reason}.")
