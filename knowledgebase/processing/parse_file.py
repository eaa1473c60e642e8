"""Parse a stored file in a child process and write its fragments; unchanged fragments keep their memories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from knowledgebase.models import Fragment, KnowledgeFile
from knowledgebase.processing.fragment_text import format_passage_text
from knowledgebase.values import FileState
from knowledgebase.work.file_task import FileWork, claimed
from knowledgebase.work.progress import update_file
from memories.files import values as intake
from memories.files.parser import parse_stored
from memories.files.storage import StoredFile
from memories.ingest.passages import list_passages
from memories.text.content import hash_passage, hash_wording
from tenancy.errors import FileTooLarge, InvalidFile, NotFound

MAX_PAGES = 500
# Each is a memory to embed: a megabyte of two-word chapters would occupy a worker for half an hour.
MAX_PASSAGES = 20_000
BATCH = 1_000


def parse_file(work: FileWork) -> intake.Parsed:
    """Parse the stored file in a child process, which isolates hostile files. Raises `CatalogueError`."""
    file = work.file
    kind = intake.FileKind(file.kind)
    stored = StoredFile(file.storage_key, file.name, kind, file.media_type, file.size, file.sha256)
    try:
        parsed = parse_stored(stored, MAX_PAGES, intake.Purpose.KNOWLEDGE)
    except FileNotFoundError:
        raise NotFound("the stored file is gone") from None
    if not parsed.fragments:
        raise InvalidFile("it holds no text", cure="Upload a file that holds text.")
    if len(parsed.fragments) > MAX_PASSAGES:
        reason = f"it holds {len(parsed.fragments)} passages, and {MAX_PASSAGES} are allowed"
        raise FileTooLarge(reason, cure="Split it into several files.")
    return parsed


def write_fragments(work: FileWork, parsed: intake.Parsed) -> None:
    """Replace the fragments of the file and note its new state, in one transaction. Raises `FileDeleted`."""
    file = work.file
    with claimed(work):
        known = _map_previous_memories(work, parsed.fragments)
        old = Fragment.objects.within(file.account_id).filter(file=file)
        old._raw_delete(old.db)
        Fragment.objects.bulk_create(list(_build_fragment_rows(file, parsed.fragments, known)), BATCH)
        update_file(
            file,
            state=FileState.GENERATING,
            pages=parsed.pages,
            fragments_total=len(parsed.fragments),
            fragments_done=0,
        )


def _build_fragment_rows(
    file: KnowledgeFile, fragments: Iterable[intake.Fragment], known: dict[bytes, UUID]
) -> Iterable[Fragment]:
    for ordinal, fragment in enumerate(fragments):
        yield Fragment(
            account_id=file.account_id,
            file=file,
            ordinal=ordinal,
            page=max(0, fragment.page),
            heading=fragment.heading[:300],
            text=fragment.text,
            context=fragment.context,
            memory_id=known.get(hash_wording(format_passage_text(fragment))),
        )


def _map_previous_memories(work: FileWork, fragments: Sequence[intake.Fragment]) -> dict[bytes, UUID]:
    """Memory ids by the hash of their wording of passages that exist already; corrected ones count as their passage.

    Memories of an interrupted earlier run belong to no fragment any more and are found by their texts.
    """
    file = work.file
    earlier = [pk for pk in (file.replaces_id, file.pk) if pk is not None]
    rows = Fragment.objects.within(file.account_id).filter(file__in=earlier).exclude(memory=None)
    known = {
        hash_wording(format_passage_text(row)): row.memory_id for row in rows.order_by("file", "-ordinal")
    }
    loose = list_passages(work.cube, [file.pk]).values_list("content_hash", "pk")
    by_hash = {bytes(held): key for held, key in loose}
    for fragment in fragments:
        text = format_passage_text(fragment)
        held = by_hash.get(hash_passage(file.pk, text))
        if held is not None:
            known.setdefault(hash_wording(text), held)
    return known
