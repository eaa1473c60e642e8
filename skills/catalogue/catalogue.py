"""Skills of a project as files: upload, list, read, download as an archive."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import IO, Any
from uuid import UUID

from django.db.models import QuerySet

from memories.files.storage import delete_uncommitted_files
from memories.text.words.language_detection import detect_language
from skills.catalogue.archive import pack_skill
from skills.catalogue.downloads import build_signed_url
from skills.catalogue.listing import find_skill, list_visible_skills
from skills.catalogue.search_memory import recall_text
from skills.catalogue.write import NewSkill, create_skill, delete_skill, embed_skill, record_nothing
from skills.models import Skill, SkillFile
from skills.models.user_rows import get_or_create_person
from skills.packages.files import (
    NewFile,
    list_skill_files,
    read_text,
    sort_files,
    store_files,
    sum_index_bytes,
)
from skills.packages.ownership import SkillOwner
from skills.packages.package import open_package
from skills.packages.skill_md import SkillText
from skills.paging import PageWindow, Slice, count_json_octets, read_window
from skills.values import SkillOrigin, SkillState
from tenancy.errors import Conflict, FilesTooLarge, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.storage.allowance import storage_scope

ACTOR = "upload"
# A longer name can be no end user's.
MAX_END_USER = 100
MAX_ARCHIVE, MAX_ARCHIVE_FILES = 50 * 1024 * 1024, 200
PROGRAMS = frozenset(
    ".c .cc .cpp .cs .css .go .h .hpp .java .js .jsx .kt .lua .php .pl .ps1 .py .r .rb .rs .scala .sh .sql"
    " .swift .ts .tsx .vue".split()
)


@dataclass(frozen=True, slots=True)
class PackageUpload:
    """An uploaded package (a ZIP archive or one SKILL.md) as a temporary file, with the sender's metadata."""

    file: IO[bytes]
    identifier: str | None = None
    meta: dict[str, Any] | None = None
    is_zip: bool = True


class TextForm(StrEnum):
    """Forms in which the text of a file is interpreted."""

    JSON = "json"
    CSV = "csv"
    CODE = "code"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class SkillFileContent:
    """Content of a file: its text, or a URL for other files."""

    mime: str
    form: TextForm | None = None
    text: str = ""
    url: str = ""


def check_package(upload: PackageUpload) -> None:
    """Read the package and store nothing. Raises `PackageRefused`."""
    with open_package(upload.file, is_zip=upload.is_zip, in_folder=True):
        pass


def upload_skill(
    project: Project,
    upload: PackageUpload,
    paying: Callable[[], AbstractContextManager[None]] = nullcontext,
    record: Callable[[Skill], None] = record_nothing,
) -> Skill:
    """Everything slow before the transaction, which `paying` makes part of its own; `record` is called in it. Raises
    `PackageRefused`, `OperationFailed`."""
    with (
        open_package(upload.file, is_zip=upload.is_zip, in_folder=True) as package,
        delete_uncommitted_files() as kept,
    ):
        files = store_files(SkillOwner.of_space(project), package.files, kept)
        vector = embed_skill(package.skill)
        with paying(), storage_scope(project):
            skill = create_skill(_build_new_skill(project, upload, package.skill, files), vector)
            record(skill)
            kept.keep_on_commit()
    return skill


def _build_new_skill(
    project: Project, upload: PackageUpload, text: SkillText, files: list[NewFile]
) -> NewSkill:
    return NewSkill(
        _find_owner(project, upload.identifier or ""),
        text,
        files,
        SkillOrigin.UPLOADED,
        ACTOR,
        "uploaded",
        language=detect_language(recall_text(text)),
        person=get_or_create_person(project, upload.identifier),
        meta=upload.meta,
    )


def _find_owner(project: Project, identifier: str) -> SkillOwner:
    """The owner of the upload: a person's skill is never shared with all, even if no end user can have that name."""
    if len(identifier) > MAX_END_USER:
        return SkillOwner.of_space(project)
    return SkillOwner.of_person(project, identifier)


def list_catalogue(project: Project, window: PageWindow, identifier: str) -> Slice:
    """Active skills, without drafts and archived ones."""
    with tenant_scope(project):
        rows = list_visible_skills(project).filter(state=SkillState.ACTIVE)
        if identifier:
            rows = rows.filter(person__identifier=identifier)
        size = count_json_octets("description", "meta") + sum_index_bytes(project.account_id, "pk")
        return read_window(rows.defer("value"), window, size=size)


def load_skill(project: Project, skill_id: UUID) -> Skill:
    with tenant_scope(project):
        return find_skill(project, skill_id)


def remove_skill(project: Project, skill_id: UUID) -> None:
    """Delete a skill with its files and its links to spaces. Raises `Conflict` for one of a knowledge base file."""
    with tenant_scope(project):
        skill = find_skill(project, skill_id)
        if skill.project_id is None:
            raise Conflict("this skill is a file of a knowledge base: delete that file")
        delete_skill(skill)


def load_file_indexes(project: Project, skills: Iterable[Skill]) -> dict[UUID, list[SkillFile]]:
    """The files of each skill without their texts, SKILL.md first."""
    files_by_skill: dict[UUID, list[SkillFile]] = {skill.pk: [] for skill in skills}
    with tenant_scope(project):
        rows: QuerySet[SkillFile] = SkillFile.objects.within(project.account_id)
        for file in rows.filter(skill_id__in=list(files_by_skill), until=None).only(
            "skill_id", "path", "mime"
        ):
            files_by_skill[file.skill_id].append(file)
    return {key: sort_files(files) for key, files in files_by_skill.items()}


def load_file_content(project: Project, skill_id: UUID, path: str, seconds: int) -> SkillFileContent:
    """Raises `NotFound` for an unknown skill or file, and `OperationFailed` while the storage is away."""
    with tenant_scope(project):
        skill = find_skill(project, skill_id)
        file: SkillFile | None = list_skill_files(skill).filter(path=path).first()
    if file is None:
        raise NotFound("the skill has no such file")
    try:
        text = read_text(file)
    except FileNotFoundError:
        raise NotFound("the stored file is gone") from None
    if text is None:
        return SkillFileContent(
            file.mime, url=build_signed_url(skill, file.path, seconds, through=project.pk)
        )
    return SkillFileContent(file.mime, detect_text_form(file.path, text), text)


def detect_text_form(path: str, text: str) -> TextForm:
    """Detect the form of a text by its extension; content that is no valid JSON or CSV is plain text."""
    suffix = PurePosixPath(path.lower()).suffix
    if suffix == ".json" and _is_json(text):
        return TextForm.JSON
    if suffix == ".csv" and _is_csv(text):
        return TextForm.CSV
    return TextForm.CODE if suffix in PROGRAMS else TextForm.TEXT


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_csv(text: str) -> bool:
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error:
        return False
    return len({len(row) for row in rows if row}) <= 1


def build_skill_archive(project: Project, skill_id: UUID) -> tuple[Skill, IO[bytes]]:
    """The skill and a ZIP archive of all its files. Raises `NotFound`, `FilesTooLarge`, and what `pack_skill` does."""
    with tenant_scope(project):
        skill = find_skill(project, skill_id)
        files = sort_files(list_skill_files(skill))
    if len(files) > MAX_ARCHIVE_FILES or sum(file.size for file in files) > MAX_ARCHIVE:
        raise FilesTooLarge(
            f"an archive has at most {MAX_ARCHIVE_FILES} files and {MAX_ARCHIVE // 1024 // 1024} MB"
        )
    return skill, pack_skill(project.account_id, files)
