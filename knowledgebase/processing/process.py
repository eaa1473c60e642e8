"""A file becomes knowledge: fetched, checked, read in a child process, cut up, written up, shown, embedded.

The work may run twice or die at any line: a file that was stored is not fetched again, fragments that were written
are not read again, and each batch of memories is linked to its fragments in the transaction that writes it. Nothing
of a file can be recalled before all of it can: by its words first, by its meaning too as its vectors come.
"""

from __future__ import annotations

from knowledgebase.processing.checking import fetch
from knowledgebase.processing.generating import generate
from knowledgebase.processing.indexing import index
from knowledgebase.processing.showing import is_shown, show
from knowledgebase.processing.skill_files import take_skill_file
from knowledgebase.processing.splitting import read, write_fragments
from knowledgebase.values import FileState, FileType
from knowledgebase.work.progress import is_past, note
from knowledgebase.work.work import Work, begin, fail, is_ours
from memories.address_guard import TryLater, could_not_fetch
from memories.engine.protocols import ProviderRefused
from memories.jobs import outbox
from memories.models import Task
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import Scope, tenant_scope

# Each may take a minute of a worker's time, by a server that lets its bytes drip.
FETCH_ATTEMPTS = 3
PROVIDER_CURE = "Have the operator check the embedding model's settings, then process the file again."


def process_file(task: Task) -> None:
    """Does a file's task, or as much of it as one run may.

    Raises `Unfinished`; `TryLater` for a server that may answer later; `ProviderUnavailable`; an error that is noted on
    the file when nothing will come of it; and `outbox.LeaseLost`.
    """
    work = begin(task)
    if work is None:
        with tenant_scope(Scope(task.account_id, None)):
            outbox.complete(task, {"emptied": True})
        return
    try:
        _do(work)
    except TryLater as fault:
        if task.attempts < FETCH_ATTEMPTS:
            raise
        raise _noted(work, could_not_fetch()) from fault
    except ProviderRefused as refusal:
        _note_failure(work, "", f"the embedding model refused: {refusal}", PROVIDER_CURE)
        raise
    except CatalogueError as refusal:
        raise _noted(work, refusal) from None


def _do(work: Work) -> None:
    file = work.file
    if not file.storage_key:
        _move(work, FileState.CHECKING)
        if not fetch(work):
            return
        work.refuse_late()
    _move(work, FileState.CHECKING)
    if file.type == FileType.SKILL:
        take_skill_file(work)
        return
    if not is_past(file, FileState.GENERATING) and not _split(work):
        return
    if is_shown(work) or _show(work):
        index(work)


def _show(work: Work) -> bool:
    while generate(work):
        if show(work):
            return True
    return False


def _split(work: Work) -> bool:
    _move(work, FileState.PARSING)
    parsed = read(work)
    _move(work, FileState.SPLITTING)
    if not write_fragments(work, parsed):
        return False
    work.refuse_late()
    return True


def _move(work: Work, state: FileState) -> None:
    """Only forwards: a run that begins again goes through its first steps in silence."""
    if not is_past(work.file, state):
        with tenant_scope(work.scope):
            if is_ours(work):
                note(work.file, state=state)


def _noted(work: Work, refusal: CatalogueError) -> CatalogueError:
    """Written on the file, unless it is our own trouble, which passes."""
    if refusal.status < 500:
        _note_failure(work, str(refusal.code), refusal.text, refusal.cure)
    return refusal


def _note_failure(work: Work, code: str, reason: str, cure: str) -> None:
    with tenant_scope(work.scope):
        if is_ours(work):
            fail(work.file, code, reason, cure)
