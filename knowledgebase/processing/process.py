"""Process a file of a knowledge base: fetch, check, parse, split, write memories, publish, embed.

A run may be repeated or interrupted at any line: a stored file is not fetched again, written fragments are not parsed
again, and each batch of memories is linked to its fragments in the transaction that writes it. All memories of a file
become searchable at once: first by words, then also by vectors as these are written.
"""

from __future__ import annotations

from contextlib import suppress

from knowledgebase.processing.fetching import fetch_file, repeat_other_file
from knowledgebase.processing.fragment_memories import generate_memories
from knowledgebase.processing.indexing import embed_memories
from knowledgebase.processing.parse_file import parse_file, write_fragments
from knowledgebase.processing.publishing import is_published, publish_file
from knowledgebase.processing.skill_files import process_skill_file
from knowledgebase.values import FileState, FileType
from knowledgebase.work.file_task import FileDeleted, FileWork, begin_work, claimed, fail_file
from knowledgebase.work.progress import is_past, update_file
from memories.engine.protocols import ProviderRefused
from memories.jobs import outbox
from memories.models import Task
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.runtime.address_guard import TryLater, build_fetch_error

# A slow server can occupy a worker for a minute at each attempt.
FETCH_ATTEMPTS = 3
PROVIDER_CURE = "Have the operator check the embedding model's settings, then process the file again."


def process_file(task: Task) -> None:
    """Process the file of a task, or as much of it as one run may.

    Raises `Unfinished`; `TryLater` for a server that may answer later; `ProviderUnavailable`; a `CatalogueError` that
    was noted on the file when it has failed for good; and `outbox.LeaseLost`.
    """
    work = begin_work(task)
    if work is None:
        _complete_without_file(task)
        return
    try:
        _run_steps(work)
    except FileDeleted:
        _complete_without_file(task)
    except TryLater as error:
        if task.attempts < FETCH_ATTEMPTS:
            raise
        raise _note_refusal(work, build_fetch_error()) from error
    except ProviderRefused as refusal:
        _note_failure(work, "", f"the embedding model refused: {refusal}", PROVIDER_CURE)
        raise
    except CatalogueError as refusal:
        raise _note_refusal(work, refusal) from None


def _complete_without_file(task: Task) -> None:
    with tenant_scope(Scope(task.account_id, None)):
        outbox.complete(task, {"emptied": True})


def _run_steps(work: FileWork) -> None:
    file = work.file
    if not file.storage_key:
        _set_state(work, FileState.CHECKING)
        if not fetch_file(work):
            return
        work.refuse_late()
    _set_state(work, FileState.CHECKING)
    if not is_past(file, FileState.PARSING) and repeat_other_file(work):
        return
    if file.type == FileType.SKILL:
        process_skill_file(work)
        return
    if not is_past(file, FileState.GENERATING):
        _split_file(work)
    if not is_published(work):
        _publish_file(work)
    embed_memories(work)


def _publish_file(work: FileWork) -> None:
    generate_memories(work)
    while not publish_file(work):
        generate_memories(work)


def _split_file(work: FileWork) -> None:
    _set_state(work, FileState.PARSING)
    parsed = parse_file(work)
    _set_state(work, FileState.SPLITTING)
    write_fragments(work, parsed)
    work.refuse_late()


def _set_state(work: FileWork, state: FileState) -> None:
    """Note the state on the file. A repeated run does not move it back to the states of its first steps."""
    if not is_past(work.file, state):
        with claimed(work):
            update_file(work.file, state=state)


def _note_refusal(work: FileWork, refusal: CatalogueError) -> CatalogueError:
    """Note a permanent failure on the file. Server errors (5xx) are temporary and are not noted."""
    if refusal.status < 500:
        _note_failure(work, str(refusal.code), refusal.text, refusal.cure)
    return refusal


def _note_failure(work: FileWork, code: str, reason: str, cure: str) -> None:
    with suppress(FileDeleted), claimed(work):
        fail_file(work.file, code, reason, cure)
