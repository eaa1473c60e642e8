"""Add uploaded files to a base with a task each. Equal content is recognised, an equal name is a new version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from uuid import UUID

from django.db.models import Q

from knowledgebase.bases.bases import lock_base, refuse_unlinked_base
from knowledgebase.bases.limits import reserve_space
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.values import FileState, FileType
from knowledgebase.work.file_task import write_file_task
from knowledgebase.work.reprocess import process_again
from memories.files import storage
from memories.files.file_types import name_in
from memories.files.storage import StoredFile
from tenancy.metering.refunds import Cost
from tenancy.models import Project, User
from tenancy.storage.allowance import storage_scope


@dataclass(frozen=True, slots=True)
class FileUpload:
    """A stored file, or the URL to fetch it from; `name` is given by the uploader, or "".

    `copied_from` is the skill that it is a copy of. Its name is the skill's, which several may have.
    """

    name: str
    type: FileType
    stored: StoredFile | None
    url: str
    copied_from: UUID | None = None


@dataclass(frozen=True, slots=True)
class Uploader:
    """Uploader of files: a member, or a program, known by the hint of its key."""

    user: User | None = None
    key_hint: str = ""


def add_files(
    project: Project,
    base: KnowledgeBase,
    uploads: Sequence[FileUpload],
    by: Uploader,
    cost: Cost | None = None,
) -> list[KnowledgeFile]:
    """The row of each upload, in their order: a new one with its task, or the one that has this content already.

    All of them or none. `cost` is refunded if the first task fails for good. Raises `KnowledgeBaseUnknown`,
    `KnowledgeBaseNotLinked` and `PlanLimitReached`.
    """
    with storage_scope(project):
        locked = lock_base(base)
        refuse_unlinked_base(project, locked)
        shelf = _Shelf(project, locked, uploads, by)
        files = [shelf.find_or_create_row(upload) for upload in uploads]
        reserve_space(locked, sum(file.size for file in shelf.added))
        KnowledgeFile.objects.bulk_create(shelf.added)
        costs = chain([cost], repeat(None))
        for file in shelf.added:
            write_file_task(file, project, next(costs))
        again = {file.pk: process_again(project, file, by.user, next(costs)) for file in shelf.failed}
        storage.delete_on_commit(shelf.repeated)
    return [again.get(file.pk, file) for file in files]


class _Shelf:
    """The files of the base that the uploads may repeat or replace, the uploads before included."""

    def __init__(
        self, project: Project, base: KnowledgeBase, uploads: Sequence[FileUpload], by: Uploader
    ) -> None:
        self.added: list[KnowledgeFile] = []
        self.failed: list[KnowledgeFile] = []
        self.repeated: list[str] = []
        self._project, self._base, self._by = project, base, by
        self._known = _list_concerned_files(base, uploads)

    def find_or_create_row(self, upload: FileUpload) -> KnowledgeFile:
        same = self._find_same(upload)
        if same is None:
            return self._create_file(upload)
        if upload.stored is not None:
            self.repeated.append(upload.stored.key)
        if same.state == FileState.FAILED and same not in self.failed:
            self.failed.append(same)
        return same

    def _find_same(self, upload: FileUpload) -> KnowledgeFile | None:
        """The row with this content. Not one that a newer version is about to take away.

        Nor one of another name where the upload is a new version: the worker replaces the version before.
        """
        if upload.stored is None:
            return None
        alike = [
            file for file in self._known if file.type == upload.type and file.sha256 == upload.stored.sha256
        ]
        leaving = {
            file.replaces_id
            for file in self._known
            if file.replaces_id and file.state not in {FileState.COMPLETED, FileState.FAILED}
        }
        staying = [file for file in alike if file.pk not in leaving]
        if self._find_version_before(upload) is not None:
            staying = [file for file in staying if _is_version_of(file, upload)]
        return min(staying, key=lambda file: file.same_as_id is not None, default=None)

    def _create_file(self, upload: FileUpload) -> KnowledgeFile:
        stored, before = upload.stored, self._find_version_before(upload)
        file = KnowledgeFile(
            account_id=self._base.account_id,
            base=self._base,
            type=upload.type,
            name=upload.name or name_in(upload.url),
            url=upload.url,
            replaces=before,
            # An upload of the same name is a version of the copy, which the next copy replaces.
            copied_from=upload.copied_from or (before.copied_from if before else None),
            through=self._project,
            uploaded_by=self._by.user,
            uploaded_with=self._by.key_hint,
        )
        if stored is not None:
            file.storage_key, file.kind, file.media_type = stored.key, stored.kind, stored.media_type
            file.size, file.sha256 = stored.size, stored.sha256
        self.added.append(file)
        self._known.append(file)
        return file

    def _find_version_before(self, upload: FileUpload) -> KnowledgeFile | None:
        earlier = [file for file in self._known if _is_version_of(file, upload)]
        return earlier[-1] if earlier else None


def _is_version_of(file: KnowledgeFile, upload: FileUpload) -> bool:
    """Return whether the file is a copy of the same skill, was given the same name, or is of the same address where
    nobody gave a name.

    What is called alike only because addresses end alike, or skills are named alike, may be very different things.
    """
    if file.type != upload.type:
        return False
    if upload.copied_from is not None:
        return bool(file.copied_from == upload.copied_from)
    is_same_address = bool(upload.url) and file.url == upload.url
    if not upload.name:
        return is_same_address
    is_named_by_address = bool(file.url) and file.name == name_in(file.url)
    return file.name == upload.name and (is_same_address or not is_named_by_address)


def _list_concerned_files(base: KnowledgeBase, uploads: Iterable[FileUpload]) -> list[KnowledgeFile]:
    hashes = [upload.stored.sha256 for upload in uploads if upload.stored is not None]
    names = [upload.name for upload in uploads if upload.name]
    urls = [upload.url for upload in uploads if upload.url]
    skills = [upload.copied_from for upload in uploads if upload.copied_from]
    rows = KnowledgeFile.objects.within(base.account_id).filter(base=base)
    concerned = rows.filter(
        Q(sha256__in=hashes)
        | Q(replaces__sha256__in=hashes)
        | Q(name__in=names)
        | Q(url__in=urls)
        | Q(copied_from__in=skills)
    )
    return list(concerned.order_by("created_at", "pk"))
