"""Stored files: on the disk of the data folder, or in a bucket; never under a name chosen by a client.

A key is `account/holder/folder/random`. The holder of a file decides how long it lives: with a project all of its own
goes. The folder says what its files are for: each app sweeps its own.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Protocol, cast
from uuid import UUID, uuid4

from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.db import transaction
from django.utils import timezone

from memories.files.file_types import HEAD, detect_file_kind
from memories.files.values import FileKind
from tenancy.api.bodies.body_limit import MAX_FILE
from tenancy.errors import FileTooLarge, OperationFailed, StorageFull
from tenancy.storage import disk
from tenancy.storage.allowance import format_bytes, get_bytes_left

log = logging.getLogger(__name__)

PIECE = 1024 * 1024
# A file is younger than the row that names it; no request and no fetch lasts this long.
NEWBORN = timedelta(hours=24)
AWAY = (OSError, BotoCoreError, ClientError)


class DurableFiles(FileSystemStorage):
    """A file is there whole or not at all, and stays there when the power goes."""

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.new")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            shutil.copyfileobj(content, file, PIECE)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        _sync_folder(path.parent)
        return name


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that lies in the storage; what it is was read off its content."""

    key: str
    name: str
    kind: FileKind
    media_type: str
    size: int
    sha256: str


class Holder(Protocol):
    """A row of an account under whose id files lie: a project, a knowledge base."""

    @property
    def account_id(self) -> UUID: ...

    @property
    def pk(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules for a file: how large at most, and what `look` takes for its kind by its head and its name."""

    most: int = MAX_FILE
    look: Callable[[bytes, str], tuple[FileKind, str]] = detect_file_kind


ANY_DOCUMENT = Rules()


def get_storage() -> Storage:
    return storages["files"]


def store_file(
    holder: Holder, folder: str, pieces: Iterable[bytes], name: str, rules: Rules = ANY_DOCUMENT
) -> StoredFile:
    """Counts, hashes and stores what comes; outside of transactions.

    Raises `FileTooLarge` and `StorageFull` as soon as it is, what `rules.look` raises, and `OperationFailed` while the
    storage is away.
    """
    left = get_bytes_left(holder.account_id)
    with TemporaryFile() as draft:
        digest, size = hashlib.sha256(), 0
        for piece in pieces:
            size += len(piece)
            if size > rules.most:
                raise FileTooLarge(f"at most {rules.most // 1024 // 1024} MB")
            if left is not None and size > left:
                raise StorageFull(f"{format_bytes(max(0, left))} are left, and the file is larger")
            digest.update(piece)
            draft.write(piece)
        draft.seek(0)
        kind, media_type = rules.look(draft.read(HEAD), name)
        draft.seek(0)
        key = f"{holder.account_id}/{holder.pk}/{folder}/{uuid4().hex}"
        _require_folder(holder)
        _save_content(key, draft)
    return StoredFile(key, name, kind, media_type, size, digest.hexdigest())


def _save_content(key: str, content: IO[bytes]) -> None:
    try:
        get_storage().save(key, File(content, name=key))
    except AWAY as error:
        log.error("file_not_stored", extra={"fault": type(error).__name__})
        raise OperationFailed("the file storage is away", retry_after=5) from error


def _require_folder(holder: Holder) -> None:
    """The database shares the disk: files stop before it is full, those of the largest accounts first."""
    place = get_storage()
    if isinstance(place, FileSystemStorage):
        Path(place.location).mkdir(mode=0o700, parents=True, exist_ok=True)
        if not disk.has_space_for(holder.account_id, shutil.disk_usage(place.location).free):
            log.error("disk_nearly_full")
            raise OperationFailed("the file storage is full", retry_after=60)


@contextmanager
def open_stored(key: str) -> Iterator[IO[bytes]]:
    """A true file of this machine, for processes to read from. Raises `FileNotFoundError`, `OperationFailed`."""
    try:
        content = get_storage().open(key)
    except FileNotFoundError:
        raise
    except AWAY as error:
        raise OperationFailed("the file storage is away") from error
    with content, TemporaryFile() as copy:
        if isinstance(get_storage(), FileSystemStorage):
            yield cast("IO[bytes]", content.file)
            return
        try:
            shutil.copyfileobj(content, copy, PIECE)
        except AWAY as error:
            raise OperationFailed("the file storage is away") from error
        copy.seek(0)
        yield copy


def delete_files(keys: Iterable[str]) -> int:
    """Delete stored files, after the commit that deleted their rows.

    What cannot be deleted now is left to the sweep of its folder.
    """
    gone = 0
    for key in keys:
        try:
            get_storage().delete(key)
            gone += 1
        except AWAY as error:
            log.warning("file_not_deleted", extra={"fault": type(error).__name__})
    return gone


def delete_on_commit(keys: Iterable[str]) -> None:
    doomed = list(keys)
    transaction.on_commit(lambda: delete_files(doomed))


@dataclass(slots=True)
class UncommittedFiles:
    """Files written by one request, which are deleted unless the transaction that names them commits."""

    files: list[StoredFile] = field(default_factory=list)
    is_settled: bool = False

    def append(self, stored: StoredFile) -> None:
        self.files.append(stored)

    def keep_on_commit(self) -> None:
        transaction.on_commit(self._settle_files)

    def _settle_files(self) -> None:
        self.is_settled = True


@contextmanager
def delete_uncommitted_files() -> Iterator[UncommittedFiles]:
    """Delete the appended files at the end, unless `keep_on_commit` was called in a transaction that committed."""
    kept = UncommittedFiles()
    try:
        yield kept
    finally:
        if not kept.is_settled:
            delete_files(stored.key for stored in kept.files)


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of one holder in one folder."""

    account: UUID
    holder: UUID
    keys: list[str]


def list_folders(folder: str) -> Iterator[Folder]:
    """All there are, for a sweep. A name that is none of ours is left alone."""
    for account in _list_names(""):
        for holder in _list_names(account):
            if folder in _list_names(f"{account}/{holder}"):
                place = f"{account}/{holder}/{folder}"
                keys = [f"{place}/{name}" for name in _list_names(place, files=True)]
                yield Folder(UUID(account), UUID(holder), keys)


def _list_names(place: str, *, files: bool = False) -> list[str]:
    try:
        folder_names, file_names = get_storage().listdir(place)
    except FileNotFoundError:
        return []
    if files or place.count("/"):
        return file_names if files else folder_names
    return [name for name in folder_names if _is_id(name)]


def _is_id(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False


def is_newborn(key: str) -> bool:
    """Return whether the row that names the file may still be on its way."""
    try:
        written: datetime = get_storage().get_modified_time(key)
    except FileNotFoundError:
        return True
    return timezone.now() - written < NEWBORN


def delete_holder_files(account: UUID, holder: UUID) -> None:
    """Every file of a holder, in all folders, after the holder is gone."""
    place = f"{account}/{holder}"
    try:
        for folder in _list_names(place):
            delete_files(f"{place}/{folder}/{name}" for name in _list_names(f"{place}/{folder}", files=True))
    except AWAY as error:  # each folder's sweep finds them, for their holder is gone
        log.warning("files_not_listed", extra={"fault": type(error).__name__})
