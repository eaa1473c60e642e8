"""The manifest of a backup: what is in the folder, with counts and checksums."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any

FORMAT = 1
MANIFEST, DUMP, FILES, SECRETS, DEMO = "manifest.json", "database.dump", "files", "secrets", "demo.json"
CALIBRATIONS = "calibration"
PIECE = 1024 * 1024


class BackupRefused(Exception):
    """A backup or a restore cannot be done; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class BackupContent:
    """Expected content of one file of the backup; `size` in bytes."""

    size: int
    sha256: str


@dataclass(slots=True)
class Manifest:
    """Everything in one backup folder.

    `postgres` is the server's major version, `tables` has the count of rows of each table in the dump's snapshot,
    `files` what each storage key holds. `missing` says of each key that was not copied why. `fingerprints` are slow
    salted hashes of the secrets, by the name of their variable; `has_secrets` whether the secrets are in the folder.
    """

    created_at: str
    postgres: int
    migrations: list[str]
    tables: dict[str, int]
    dump: BackupContent
    files: dict[str, BackupContent]
    missing: dict[str, str]
    salt: str
    fingerprints: dict[str, list[str]]
    has_secrets: bool
    format: int = field(default=FORMAT)
    calibrations: dict[str, BackupContent] = field(
        default_factory=dict
    )  # by file name; none in older backups


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Last of all and whole or not at all: a folder without it is no backup."""
    draft = folder / f"{MANIFEST}.new"
    with create_private_file(draft) as file:
        file.write(json.dumps(asdict(manifest), indent=1).encode())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / MANIFEST)


def read_manifest(folder: Path) -> Manifest:
    """Raises `BackupRefused` for a folder that holds no finished backup of a known format."""
    try:
        written: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        if written["format"] != FORMAT:
            raise BackupRefused(
                f"The backup has format {written['format']}; this release reads format {FORMAT}."
            )
        contents = {key: BackupContent(**about) for key, about in written["files"].items()}
        fitted = {name: BackupContent(**about) for name, about in written.get("calibrations", {}).items()}
        parts = {"dump": BackupContent(**written["dump"]), "files": contents, "calibrations": fitted}
        return Manifest(**{**written, **parts})
    except FileNotFoundError as error:
        raise BackupRefused(
            f"{folder} has no {MANIFEST}: it is not a backup, or its making broke off."
        ) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupRefused(f"{folder / MANIFEST} cannot be read: {type(error).__name__}.") from error


def build_backup_path(folder: Path, key: str) -> Path:
    """Return where a stored file lies in the backup. Raises `BackupRefused` for a key that leads elsewhere."""
    path = PurePosixPath(key)
    if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in key:
        raise BackupRefused(f"The backup names a file that cannot be one: {key!r}.")
    return folder / FILES / path


def build_calibration_path(folder: Path, name: str) -> Path:
    """Return where a calibration lies in the backup. Raises `BackupRefused` for a name that leads elsewhere."""
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        raise BackupRefused(f"The backup names a file that cannot be one: {name!r}.")
    return folder / CALIBRATIONS / name


def create_private_file(path: Path) -> IO[bytes]:
    """A new file that only its owner reads."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def hash_content(pieces: Iterable[bytes]) -> BackupContent:
    """Size and checksum of what passes by."""
    digest, size = sha256(), 0
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
    return BackupContent(size, digest.hexdigest())


def read_file_pieces(file: Any) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def hash_file(path: Path) -> BackupContent:
    with path.open("rb") as file:
        return hash_content(read_file_pieces(file))
