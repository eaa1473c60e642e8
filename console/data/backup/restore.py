"""Restores a backup into an empty installation: an empty data folder, an empty database, an empty file storage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from django.core.files.base import File
from django.db.migrations.loader import MigrationLoader
from psycopg.conninfo import conninfo_to_dict

from console.configuration import environment
from console.data.backup import database_inventory, postgres_programs
from console.data.backup.create import KEPT_SECRETS, open_snapshot
from console.data.backup.secrets import require_same
from console.data.backup.values import (
    DEMO,
    DUMP,
    BackupRefused,
    Manifest,
    build_backup_path,
    build_calibration_path,
    create_private_file,
    hash_content,
    hash_file,
    read_file_pieces,
    read_manifest,
)
from console.data.backup.values import SECRETS as SECRETS_FOLDER
from console.embedded.demo import demo_file
from console.embedded.folder import DataFolder, StartRefused
from console.embedded.preparation.same_secrets import compute_fingerprint
from console.embedded.services.environment import Addresses
from console.embedded.services.postgres import Postgres
from memories.files.storage import AWAY, get_storage

# Where these hold in the empty database already, tables would be made with more rights than those of the backup had.
# The dump brings them at its end.
_NO_DEFAULTS = """
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM engram_app, engram_backup;
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON SEQUENCES FROM engram_app, engram_backup;
"""


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """The empty database: its owner loads, its backup role reads back."""

    owner_url: str
    backup_url: str


def restore_backup(folder: Path, *, verify: bool) -> Manifest:
    """All of a backup into this process's data folder, database and file storage, which must be empty.

    Nothing is written before the whole backup was found unharmed. With `verify` everything is read back and compared
    with the manifest. Raises `BackupRefused`.
    """
    manifest = read_manifest(folder)
    check_backup(folder, manifest)
    data = DataFolder(environment.read_data_folder())
    _require_empty(data.path)
    values = _read_secret_values(folder, manifest)
    try:
        with _locked(data), _target(data) as target:
            _load_database(target, folder, manifest)
            _store_files(folder, manifest)
            _store_calibrations(folder, manifest)
            _write_secrets(data, folder, values, manifest)
            if verify:
                verify_restored(target.backup_url, manifest)
    except (StartRefused, psycopg.Error) as error:
        raise BackupRefused(str(error)) from error
    return manifest


def check_backup(folder: Path, manifest: Manifest) -> None:
    """Return whether every file of a backup is what the manifest says, and this release knows its tables."""
    _require_content(folder / DUMP, manifest.dump.sha256)
    for key, content in manifest.files.items():
        _require_content(build_backup_path(folder, key), content.sha256)
    for name, content in manifest.calibrations.items():
        _require_content(build_calibration_path(folder, name), content.sha256)
    unknown = set(manifest.migrations) - _list_known_migrations()
    if unknown:
        raise BackupRefused(
            f"The backup was made by a newer release: {min(unknown)} is unknown here. Restore it with that release."
        )


def _list_known_migrations() -> set[str]:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    replaced = {name for migration in loader.disk_migrations.values() for name in migration.replaces}
    return {".".join(name) for name in {*loader.disk_migrations, *replaced}}


def _require_content(path: Path, digest: str) -> None:
    try:
        checksum = hash_file(path).sha256
    except OSError as error:
        raise BackupRefused(f"{path} cannot be read: {error.strerror}.") from error
    if checksum != digest:
        raise BackupRefused(f"{path} is not what it was when the backup was made: its checksum differs.")


def _require_empty(path: Path) -> None:
    if path.exists() and any(path.iterdir()):
        raise BackupRefused(
            f"{path} is not empty. Give a new folder in ENGRAM_DATA: a restore overwrites nothing."
        )
    try:
        folders, names = get_storage().listdir("")
    except FileNotFoundError:
        return
    except AWAY as error:
        raise BackupRefused(f"The file storage cannot be read: {error}") from error
    if folders or names:
        raise BackupRefused(
            "The file storage is not empty. Give an empty bucket: a restore overwrites nothing."
        )


def _read_secret_values(folder: Path, manifest: Manifest) -> dict[str, str]:
    """Read the secrets that the environment does not give; compare each with the manifest before anything is made."""
    values, lacking, salt = {}, [], bytes.fromhex(manifest.salt)
    for name in manifest.fingerprints:
        path = folder / SECRETS_FOLDER / KEPT_SECRETS[name]
        if environment.read_text(name):
            continue
        if not manifest.has_secrets:
            lacking.append(name)
        elif not path.exists():
            raise BackupRefused(f"{path} is missing. Put it back, or give {name} in the environment.")
        else:
            values[name] = path.read_text().strip()
            fingerprints = [compute_fingerprint(part, salt) for part in environment.split_list(values[name])]
            if fingerprints != manifest.fingerprints[name]:
                raise BackupRefused(f"{path} is not what it was when the backup was made.")
    if lacking:
        raise BackupRefused(
            f"The backup was made without secrets. Give {', '.join(lacking)} in the environment, as they were then."
        )
    given = {name: wanted for name, wanted in manifest.fingerprints.items() if name not in values}
    require_same(given, salt)
    return values


@contextmanager
def _locked(data: DataFolder) -> Iterator[None]:
    data.prepare()
    data.lock()
    try:
        yield
    finally:
        data.release()


@contextmanager
def _target(data: DataFolder) -> Iterator[RestoreTarget]:
    """The database that this installation will run with: the bundled one, running meanwhile, or the outside one."""
    addresses = Addresses(data)
    if url := environment.read_database_url():
        addresses.use_outside_database(url)
        yield _build_target(addresses)
        return
    postgres = Postgres(data, environment.read_shared_buffers())
    postgres.start()
    try:
        addresses.provide_database(postgres.admin_url)
        yield _build_target(addresses)
    finally:
        postgres.stop()


def _build_target(addresses: Addresses) -> RestoreTarget:
    decided = addresses.decided
    if "DATABASE_BACKUP_URL" not in decided:
        raise BackupRefused("DATABASE_BACKUP_URL must be set: what was restored is read back by that role.")
    return RestoreTarget(decided["DATABASE_OWNER_URL"], decided["DATABASE_BACKUP_URL"])


def _load_database(target: RestoreTarget, folder: Path, manifest: Manifest) -> None:
    with psycopg.connect(target.owner_url, connect_timeout=10, autocommit=True) as connection:
        major = postgres_programs.get_major_version(connection)
        if major < manifest.postgres:
            raise BackupRefused(
                f"The backup was made by PostgreSQL {manifest.postgres}, and the database is PostgreSQL {major}."
            )
        if database_inventory.list_tables(connection):
            name = conninfo_to_dict(target.owner_url).get("dbname")
            raise BackupRefused(
                f"The database {name} has tables. Give an empty one: a restore overwrites nothing."
            )
        connection.execute(_NO_DEFAULTS)
        postgres_programs.load_dump(target.owner_url, folder / DUMP, major)
        connection.execute("ANALYZE")


def _store_files(folder: Path, manifest: Manifest) -> None:
    for key in manifest.files:
        with build_backup_path(folder, key).open("rb") as source:
            try:
                name = get_storage().save(key, File(source, name=key))
            except AWAY as error:
                raise BackupRefused(f"The file {key} cannot be stored: {error}") from error
        if name != key:
            raise BackupRefused(f"The file storage has a file named {key} already.")


def _store_calibrations(folder: Path, manifest: Manifest) -> None:
    """One that `CALIBRATION_FOLDER` has already stays: a restore overwrites nothing."""
    place = environment.read_calibration_folder()
    for name in manifest.calibrations:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (place / name).exists():
            with create_private_file(place / name) as file:
                file.write(build_calibration_path(folder, name).read_bytes())


def _write_secrets(data: DataFolder, folder: Path, values: dict[str, str], manifest: Manifest) -> None:
    for name, value in values.items():
        data.write_private(data.path / SECRETS_FOLDER / KEPT_SECRETS[name], value)
    demo = folder / SECRETS_FOLDER / DEMO
    if manifest.has_secrets and demo.exists():
        data.write_private(data.path / demo_file.NAME, demo.read_text())


def verify_restored(backup_url: str, manifest: Manifest) -> None:
    """Counts of all rows, and each file that a row names, read back. Raises `BackupRefused` for any difference."""
    with open_snapshot(backup_url) as connection:
        counts = database_inventory.count_rows(connection)
        for table in manifest.tables.keys() | counts.keys():
            wanted, count = manifest.tables.get(table, 0), counts.get(table, 0)
            if wanted != count:
                raise BackupRefused(
                    f"{table} has {count} rows after the restore, and {wanted} in the backup."
                )
        for key in database_inventory.iterate_stored_files(connection):
            _verify_file(key, manifest)


def _verify_file(key: str, manifest: Manifest) -> None:
    if key in manifest.missing:
        return
    try:
        with get_storage().open(key) as file:
            content = hash_content(read_file_pieces(file))
    except AWAY as error:
        raise BackupRefused(f"A row names the file {key}, which cannot be read: {error}") from error
    if content != manifest.files.get(key):
        raise BackupRefused(f"The file {key} is not what the manifest says.")
