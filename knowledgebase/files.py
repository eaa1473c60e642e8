"""Find, list and delete files of knowledge bases that a project may see."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from knowledgebase.bases.bases import lock_base
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.removal.removal import remove_file
from knowledgebase.values import FileType
from memories.consolidation.cube_locks import lock_cube
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


def find_files_by_id(project: Project, ids: Sequence[str | UUID]) -> list[KnowledgeFile]:
    """Files in the given order. Raises `NotFound` for the first that is in no base linked to the project."""
    wanted = {str(file_id): _parse_file_id(str(file_id)) for file_id in ids}
    with tenant_scope(project):
        rows = KnowledgeFile.objects.within(project.account_id).filter(
            pk__in=[key for key in wanted.values() if key is not None],
            base__deleted_at=None,
            base__cube__grants__project=project,
        )
        files = {file.pk: file for file in rows.select_related("base")}
    for name, key in wanted.items():
        if key not in files:
            raise NotFound(f"file_ids: {name}")
    # Two spellings of an id are one file.
    return [files[key] for key in dict.fromkeys(wanted.values()) if key is not None]


def _parse_file_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def list_base_files(base: KnowledgeBase, type: FileType | None = None) -> QuerySet[KnowledgeFile]:
    """Files of a base, newest first; evaluated inside the scope of its account or of a project of it."""
    files: QuerySet[KnowledgeFile] = KnowledgeFile.objects.within(base.account_id).filter(base=base)
    return (files if type is None else files.filter(type=type)).order_by("-created_at", "-pk")


def load_file_page(
    project: Project, base: KnowledgeBase, type: FileType | None, number: int, size: int
) -> tuple[list[KnowledgeFile], int]:
    """One page of files (counted from 1) and the number of all files."""
    with tenant_scope(project):
        files = list_base_files(base, type).select_related("base")
        return list(files[(number - 1) * size : number * size]), files.count()


def delete_files(project: Project, ids: Sequence[str | UUID]) -> None:
    """Delete all these files or none, with memories and stored content. Raises `NotFound` like `find_files_by_id`."""
    with tenant_scope(project):
        bases = {file.base_id: file.base for file in find_files_by_id(project, ids)}
        for key in sorted(bases):
            lock_base(bases[key])
        for cube_id in sorted(base.cube_id for base in bases.values()):
            lock_cube(cube_id)
        # Read again: another deletion may have been waited for.
        for file in find_files_by_id(project, ids):
            remove_file(file)


def get_shown_name(file: KnowledgeFile) -> str:
    """The name of the file, or its kind if it has none."""
    return file.name or (f"file.{file.kind}" if file.kind else "file")
