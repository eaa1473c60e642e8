"""Files of type skill: a package becomes a skill of the base, and a later package of its name its next version."""

from __future__ import annotations

from knowledgebase.bases.limits import take_space
from knowledgebase.processing.showing import versions_before
from knowledgebase.removal.removal import remove_row
from knowledgebase.values import FileState
from knowledgebase.work.progress import note, note_end, tell_memories
from knowledgebase.work.work import Work, is_ours, lock_base
from memories.files.storage import keeping
from memories.files.values import FileKind
from memories.jobs import outbox
from skills.catalogue.uploaded import bytes_to_come, prepare_upload, write_upload
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope


def take_skill_file(work: Work) -> None:
    """The whole way of a stored and checked skill file; outside of transactions.

    Raises errors of the catalogue, which become the file's reason, and `outbox.LeaseLost`.
    """
    file = work.file
    _move(work, FileState.PARSING)
    with keeping() as kept:
        try:
            package = prepare_upload(work.cube, file.storage_key, is_zip=file.kind == FileKind.ZIP, kept=kept)
        except FileNotFoundError:
            raise NotFound("the stored file is gone") from None
        with tenant_scope(work.scope):
            base = lock_base(file)
            if base is None or not is_ours(work):
                outbox.complete(work.task, {"emptied": True})
                return
            file.refresh_from_db(fields=["replaces"])
            old = versions_before(file)
            replaced = [version.pk for version in old]
            # Unpacked, and with the versions before: a small archive can hold a thousand times its size.
            take_space(base, bytes_to_come(package, file.pk, replaced))
            skill = write_upload(package, file.pk, replaced)
            for version in old:
                remove_row(base, version)
            file.replaces = None
            note_end(file, FileState.COMPLETED, replaces=None)
            outbox.complete(work.task, {"skill": str(skill.pk)})
            tell_memories(base, "refined", [skill.memory_id] if skill.memory_id else [])
            kept.keep_on_commit()


def _move(work: Work, state: FileState) -> None:
    with tenant_scope(work.scope):
        if is_ours(work):
            note(work.file, state=state)
