"""Process files of type skill: a package becomes a skill, a later package of the same name its next version."""

from __future__ import annotations

from knowledgebase.bases.limits import reserve_space
from knowledgebase.processing.publishing import list_versions_before
from knowledgebase.removal.removal import remove_file_row
from knowledgebase.values import FileState
from knowledgebase.work.file_task import FileWork, claimed
from knowledgebase.work.progress import announce_memories, finish_file, update_file
from memories.files.storage import delete_uncommitted_files
from memories.files.values import FileKind
from memories.jobs import outbox
from skills.catalogue.knowledge_base_skills import count_bytes_to_come, prepare_upload, write_upload
from tenancy.errors import NotFound


def process_skill_file(work: FileWork) -> None:
    """Turn a stored and checked skill file into a skill; outside of transactions.

    Raises `CatalogueError`, which becomes the reason of the file's failure, `FileDeleted` and `outbox.LeaseLost`.
    """
    file = work.file
    _set_state(work, FileState.PARSING)
    with delete_uncommitted_files() as kept:
        try:
            package = prepare_upload(work.cube, file.storage_key, is_zip=file.kind == FileKind.ZIP, kept=kept)
        except FileNotFoundError:
            raise NotFound("the stored file is gone") from None
        with claimed(work) as base:
            file.refresh_from_db(fields=["replaces"])
            old = list_versions_before(file)
            replaced = [version.pk for version in old]
            # Counts the unpacked size: a small archive can hold a thousand times its own size.
            reserve_space(base, count_bytes_to_come(package, file.pk, replaced))
            skill = write_upload(package, file.pk, replaced)
            for version in old:
                remove_file_row(base, version)
            file.replaces = None
            finish_file(file, FileState.COMPLETED, replaces=None)
            outbox.complete(work.task, {"skill": str(skill.pk)})
            announce_memories(base, "refined", [skill.memory_id] if skill.memory_id else [])
            kept.keep_on_commit()


def _set_state(work: FileWork, state: FileState) -> None:
    with claimed(work):
        update_file(work.file, state=state)
