"""Files of a skill by version: text in database rows, everything else in the file storage."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Length
from django.utils import timezone

from memories.files import storage
from memories.files.storage import Rules, UncommittedFiles
from memories.files.values import FileKind
from skills.models import Skill, SkillFile
from skills.models.skill import get_owner_fields
from skills.packages.limits import MAX_FILE
from skills.packages.ownership import SkillOwner
from skills.packages.package import MAX_TEXT, PackagedFile, decode_text, guess_mime, may_be_text
from skills.packages.unpack import SKILL_MD
from tenancy.ids import uuid7

FOLDER = "skills"
# Of one package, in rows; what goes beyond is stored like everything that is not text.
MAX_TEXTS = 2 * 1024 * 1024
_ANYTHING = Rules(MAX_FILE, lambda head, name: (FileKind.TXT, "application/octet-stream"))


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file as it is to be written: its text, or the key under which its bytes are stored."""

    path: str
    mime: str
    size: int
    sha256: str
    text: str | None
    storage_key: str = ""

    @classmethod
    def of_text(cls, path: str, text: str) -> NewFile:
        content = text.encode()
        return cls(path, guess_mime(path, is_text=True), len(content), _compute_sha256(content), text)


def _compute_sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def store_files(owner: SkillOwner, files: Iterable[PackagedFile], kept: UncommittedFiles) -> list[NewFile]:
    """Store files that are not text; outside of transactions. `kept` deletes what no committed row refers to."""
    new_files, left = [], MAX_TEXTS
    for file in files:
        new = _keep_file(owner, file, kept, may_be_text=file.size <= left)
        left -= file.size if new.text is not None else 0
        new_files.append(new)
    return new_files


def _keep_file(
    owner: SkillOwner, file: PackagedFile, kept: UncommittedFiles, *, may_be_text: bool
) -> NewFile:
    text = file.text() if may_be_text else None
    if text is not None:
        return NewFile(file.path, file.mime, file.size, file.sha256, text)
    stored = storage.store_file(owner, FOLDER, [file.read()], os.path.basename(file.path), _ANYTHING)
    kept.append(stored)
    return NewFile(file.path, file.mime, file.size, file.sha256, None, stored.key)


def copy_files(owner: SkillOwner, files: Iterable[SkillFile], kept: UncommittedFiles) -> list[NewFile]:
    """Files of one skill for another: what is stored is stored again, for each skill takes its own along when it goes.
    Outside of transactions."""
    new_files = []
    for file in files:
        key = ""
        if file.text is None:
            stored = storage.store_file(
                owner, FOLDER, read_pieces(file), os.path.basename(file.path), _ANYTHING
            )
            kept.append(stored)
            key = stored.key
        new_files.append(NewFile(file.path, file.mime, file.size, file.sha256, file.text, key))
    return new_files


def list_skill_files(skill: Skill, version: int | None = None) -> QuerySet[SkillFile]:
    """The files of the skill now, or as they were in a version; inside its scope."""
    rows: QuerySet[SkillFile] = SkillFile.objects.within(skill.account_id).filter(skill=skill)
    if version is None:
        return rows.filter(until=None)
    return rows.filter(since__lte=version).filter(Q(until=None) | Q(until__gte=version))


def sort_files(files: Iterable[SkillFile]) -> list[SkillFile]:
    """SKILL.md first, then by path."""
    return sorted(files, key=lambda file: (file.path.lower() != SKILL_MD, file.path))


def write_files(skill: Skill, files: Sequence[NewFile], *, gone: Iterable[str] = ()) -> None:
    """Write files of the skill's present version, in the caller's transaction and under the skill's lock.

    The files that they replace, and those that are `gone`, are valid until the version before.
    """
    replaced = [*gone, *(file.path for file in files)]
    old = list_skill_files(skill).filter(path__in=replaced)
    old.filter(since=skill.version).delete()
    old.update(until=skill.version - 1)
    SkillFile.objects.bulk_create([_build_file_row(skill, file) for file in files], batch_size=50)


def _build_file_row(skill: Skill, file: NewFile) -> SkillFile:
    now = timezone.now()
    return SkillFile(
        id=uuid7(),
        **get_owner_fields(skill),
        skill=skill,
        path=file.path,
        mime=file.mime,
        size=file.size,
        sha256=file.sha256,
        text=file.text,
        storage_key=file.storage_key,
        since=skill.version,
        created_at=now,
        updated_at=now,
    )


def read_pieces(file: SkillFile) -> Iterator[bytes]:
    """The bytes of a file. Raises `FileNotFoundError`, `OperationFailed`."""
    if file.text is not None:
        yield file.text.encode()
        return
    with storage.open_stored(file.storage_key) as content:
        while piece := content.read(storage.PIECE):
            yield piece


def read_text(file: SkillFile) -> str | None:
    """The text of a file, also where a package had so many that it is stored; None for what is no text.

    Raises `FileNotFoundError`, `OperationFailed`.
    """
    if file.text is not None or file.size > MAX_TEXT or not may_be_text(file.mime):
        return file.text
    return decode_text(b"".join(read_pieces(file)))


def list_storage_keys(rows: QuerySet[SkillFile]) -> set[str]:
    """The keys under which stored files of these rows lie."""
    return {key for key in rows.values_list("storage_key", flat=True) if key}


def sum_index_bytes(account_id: UUID, skill: str) -> Any:
    """About what the list of a skill's files takes in an answer (bytes), for a query in which `skill` names its id."""
    files = SkillFile.objects.within(account_id).filter(skill=OuterRef(skill), until=None).order_by()
    total = files.values("skill").annotate(total=Sum(Length("path") + Length("mime") + 24)).values("total")
    return Coalesce(Subquery(total, output_field=IntegerField()), 0)


def count_skill_bytes(skill: Skill) -> int:
    """Count the bytes that all of its versions hold together."""
    rows = SkillFile.objects.within(skill.account_id).filter(skill=skill)
    return int(rows.aggregate(total=Sum("size"))["total"] or 0)
