"""Download a skill: its SKILL.md, one of its files, or all files as a ZIP archive."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO
from uuid import UUID

from memories.files.storage import PIECE
from skills.catalogue.downloads import Material, SessionFile
from skills.catalogue.listing import find_skill
from skills.models import SessionMessage, SkillFile
from skills.packages.files import list_skill_files, read_pieces, sort_files
from skills.packages.unpack import SKILL_MD
from skills.sessions.session_message_files import read_upload
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.runtime.account_slots import AccountSlots

# A fixed date, so that equal skills are equal archives.
_DATE = (1980, 1, 1, 0, 0, 0)
# Bytes of all files together; an archive of no more is packed at once, and not counted.
LARGE = 1024 * 1024
MOST_AT_ONCE = 2
_large_packings = AccountSlots(
    MOST_AT_ONCE, f"at most {MOST_AT_ONCE} archives of more than {LARGE // 1024**2} MB at once"
)


@dataclass(frozen=True, slots=True)
class Download:
    """A download; always saved by the browser, never displayed."""

    name: str
    mime: str
    content: Iterator[bytes]


def open_download(link: Material) -> Download:
    """The file at this path; without a path the SKILL.md if it is the only file, else a ZIP archive.

    Raises `NotFound`, `RateLimited`, and `FileNotFoundError` or `OperationFailed` from the storage.
    """
    project = Project.objects.here().filter(pk=link.project).first()
    if project is None:
        raise NotFound("this skill is gone")
    with tenant_scope(project):
        skill = find_skill(project, link.skill)
        files = sort_files(list_skill_files(skill))
    if link.path:
        return _build_file_download(next((file for file in files if file.path == link.path), None))
    if len(files) == 1 and files[0].path.lower() == SKILL_MD:
        return _build_file_download(files[0])
    return Download(
        f"{skill.name}.zip", "application/zip", read_archive_pieces(pack_skill(project.account_id, files))
    )


def _build_file_download(file: SkillFile | None) -> Download:
    if file is None:
        raise NotFound("this file is gone")
    mime = "text/markdown; charset=utf-8" if file.mime == "text/markdown" else "application/octet-stream"
    return Download(file.path.rpartition("/")[2], mime, read_pieces(file))


def open_session_file(link: SessionFile) -> Download:
    """Raises `NotFound`, `OperationFailed`."""
    project = Project.objects.here().filter(pk=link.project).first()
    if project is None:
        raise NotFound("this file is gone")
    with tenant_scope(project):
        message = SessionMessage.objects.within(project).filter(pk=link.message).first()
    if message is None:
        raise NotFound("this file is gone")
    return Download(*read_upload(message, link.part))


def pack_skill(account: UUID, files: list[SkillFile]) -> IO[bytes]:
    """Build the archive; few large ones at once for the account that asks, because links need no key.

    Raises `RateLimited`, and `FileNotFoundError` or `OperationFailed` from the storage.
    """
    is_large = sum(file.size for file in files) > LARGE
    with _large_packings.hold(account) if is_large else nullcontext():
        return zip_skill(files)


def zip_skill(files: list[SkillFile]) -> IO[bytes]:
    """Build the archive in a temporary file and return it at its beginning."""
    archive = TemporaryFile()  # noqa: SIM115  # closed by the reader at its end
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as into:
        for file in files:
            entry = zipfile.ZipInfo(file.path, _DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with into.open(entry, "w") as out:
                for piece in read_pieces(file):
                    out.write(piece)
    archive.seek(0)
    return archive


def read_archive_pieces(archive: IO[bytes]) -> Iterator[bytes]:
    with archive:
        while piece := archive.read(PIECE):
            yield piece
