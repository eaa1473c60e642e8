"""Copy a skill of a project into a knowledge base, as a file that is processed like any upload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO

from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.uploads.add_files import Uploader, add_files
from knowledgebase.uploads.receive_uploads import OfferedFile, receive_uploads
from knowledgebase.values import FileType
from memories.files import storage
from skills.catalogue.archive import pack_skill
from skills.models import Skill
from skills.packages.files import list_skill_files, read_pieces, sort_files
from skills.packages.unpack import SKILL_MD
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, User


def copy_skill(
    project: Project, base: KnowledgeBase, skill: Skill, by: User, record: Callable[[], None]
) -> KnowledgeFile:
    """Copy the skill into a file, which the worker turns into a skill of the base. Raises what uploads raise.

    `record` is called in the transaction of the copy, for its entry in the audit log.
    """
    with tenant_scope(project):
        files = sort_files(list_skill_files(skill))
    if len(files) == 1 and files[0].path.lower() == SKILL_MD:
        name, content = f"{skill.name}.md", read_pieces(files[0])
    else:
        name, content = f"{skill.name}.zip", _read_pieces(pack_skill(project.account_id, files))
    with storage.delete_uncommitted_files() as kept:
        (upload,) = receive_uploads(base, [OfferedFile(name, FileType.SKILL, content=content)], kept)
        with tenant_scope(project):
            (file,) = add_files(project, base, [replace(upload, copied_from=skill.pk)], Uploader(by))
            record()
            kept.keep_on_commit()
    return file


def _read_pieces(archive: IO[bytes]) -> Iterator[bytes]:
    with archive:
        while piece := archive.read(storage.PIECE):
            yield piece
