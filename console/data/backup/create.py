"""Makes a backup of a running installation.

The database is dumped as of one snapshot, in which rows are counted and stored files are listed too. The files are
copied after it: one that is deleted meanwhile is left out and named in the manifest.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import psycopg

from console.configuration import environment
from console.data.backup import database_inventory, postgres_programs
from console.data.backup.secrets import compute_fingerprints
from console.data.backup.values import (
    DEMO,
    DUMP,
    BackupContent,
    BackupRefused,
    Manifest,
    build_backup_path,
    build_calibration_path,
    create_private_file,
    hash_content,
    hash_file,
    read_file_pieces,
    write_manifest,
)
from console.data.backup.values import SECRETS as SECRETS_FOLDER
from console.embedded.demo import demo_file
from console.embedded.preparation.locks import Lock, LockTaken, hold_lock
from console.embedded.services.environment import RESTORED_SECRETS, SECRETS
from memories.files.storage import AWAY, get_storage

MIGRATION_SECONDS = 600
KEPT_SECRETS = SECRETS | RESTORED_SECRETS
DELETED, LOST = "deleted during the backup", "not in the file storage although a row names it"


def create_backup(folder: Path, *, with_secrets: bool) -> Manifest:
    """Everything of the running installation into a new folder. Raises `BackupRefused`."""
    url = environment.read_database_backup_url()
    if not url:
        raise BackupRefused(
            "Engram does not run on this data folder, so its database cannot be read. Start it, or give "
            "DATABASE_URL and DATABASE_BACKUP_URL of an outside database."
        )
    _make_empty(folder)
    try:
        # Migrations wait for it, and it for them: no index can be built concurrently while a snapshot is kept.
        with hold_lock(url, Lock.SCHEMA, MIGRATION_SECONDS, shared=True), open_snapshot(url) as connection:
            manifest, keys = _copy_database(connection, url, folder)
    except LockTaken as error:
        raise BackupRefused("The database is being migrated. Try again when that is done.") from error
    _copy_files(folder, keys, manifest)
    _note_lost(url, manifest)
    _copy_calibrations(folder, manifest)
    _copy_secrets(folder, manifest, with_secrets)
    os.sync()
    write_manifest(folder, manifest)
    return manifest


@contextmanager
def open_snapshot(url: str) -> Iterator[psycopg.Connection]:
    """One read-only snapshot of everything, for as long as it takes. Raises `BackupRefused`."""
    with psycopg.connect(url, connect_timeout=10) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.execute("SELECT set_config(%s, '0', true)", [limit])
        database_inventory.require_sight(connection)
        yield connection


def _make_empty(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BackupRefused(f"{folder} is not empty. Name a new folder: a backup overwrites nothing.")
    folder.chmod(0o700)


def _copy_database(connection: psycopg.Connection, url: str, folder: Path) -> tuple[Manifest, list[str]]:
    row = connection.execute("SELECT pg_export_snapshot()").fetchone()
    major = postgres_programs.get_major_version(connection)
    postgres_programs.dump_database(url, str(row[0]) if row else "", folder / DUMP, major)
    manifest = Manifest(
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        postgres=major,
        migrations=database_inventory.list_applied_migrations(connection),
        tables=database_inventory.count_rows(connection),
        dump=hash_file(folder / DUMP),
        files={},
        missing={},
        salt=secrets.token_hex(16),
        fingerprints={},
        has_secrets=False,
    )
    return manifest, list(database_inventory.iterate_stored_files(connection))


def _copy_files(folder: Path, keys: Iterable[str], manifest: Manifest) -> None:
    for key in keys:
        try:
            manifest.files[key] = _copy_file(key, build_backup_path(folder, key))
        except FileNotFoundError:
            manifest.missing[key] = DELETED
        except AWAY as error:
            raise BackupRefused(f"The file {key} cannot be copied: {error}") from error


def _copy_file(key: str, target: Path) -> BackupContent:
    with get_storage().open(key) as source:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with create_private_file(target) as copy:
            return hash_content(_copy_pieces(read_file_pieces(source), copy))


def _copy_pieces(pieces: Iterable[bytes], copy: IO[bytes]) -> Iterable[bytes]:
    for piece in pieces:
        copy.write(piece)
        yield piece


def _note_lost(url: str, manifest: Manifest) -> None:
    """A file whose row is still there was not deleted: it was missing before."""
    if manifest.missing:
        with open_snapshot(url) as connection:
            for key in manifest.missing.keys() & set(database_inventory.iterate_stored_files(connection)):
                manifest.missing[key] = LOST


def _copy_calibrations(folder: Path, manifest: Manifest) -> None:
    """Copy what `manage.py calibrate` fitted, as this host has it."""
    for path in sorted(environment.read_calibration_folder().glob("*.npz")):
        target = build_calibration_path(folder, path.name)
        target.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("rb") as source, create_private_file(target) as copy:
            manifest.calibrations[path.name] = hash_content(_copy_pieces(read_file_pieces(source), copy))


def _copy_secrets(folder: Path, manifest: Manifest, with_secrets: bool) -> None:
    salt = bytes.fromhex(manifest.salt)
    names = [name for name in KEPT_SECRETS if environment.read_text(name)]
    manifest.fingerprints = {name: compute_fingerprints(name, salt) for name in names}
    manifest.has_secrets = with_secrets
    if not with_secrets:
        return
    place = folder / SECRETS_FOLDER
    place.mkdir(mode=0o700)
    for name in names:
        with create_private_file(place / KEPT_SECRETS[name]) as file:
            file.write(environment.read_text(name).encode())
    demo = environment.read_data_folder() / demo_file.NAME
    if demo.exists():
        with create_private_file(place / DEMO) as file:
            file.write(demo.read_bytes())
