"""The attachment task: a file in a message is fetched, parsed, cut, embedded, and written as memories.

The work may run twice or die at any line: a file that was stored is not fetched again, fragments come in the same
order each time, and `done` counts those that were written or must not be, in the transaction that writes them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid5

from django.db.models import F

from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.neighbours import EmbeddedDraft
from memories.consolidation.provenance import DraftOrigin
from memories.consolidation.reconcile import reconcile_drafts
from memories.cubes.access import provide_public_cube
from memories.cubes.announcements import announce_changed_memories
from memories.engine import get_embedder
from memories.engine.metering import metering_usage
from memories.files.describe_images import Description, Picture, get_describer
from memories.files.message_files import FOLDER, note_stored, refuse_no_image
from memories.files.parser import parse_stored
from memories.files.receive import FileSource, receive_file
from memories.files.storage import StoredFile, delete_uncommitted_files, open_stored
from memories.files.values import FileKind, Parsed
from memories.ingest.excerpts import Beside, build_image_draft, choose_words_beside, iterate_document_drafts
from memories.ingest.request_options import apply_options
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.jobs.retry import MAX_ATTEMPTS
from memories.models import Attachment, Intake, MemCube, Message, Task
from memories.settings.extraction import ExtractionPolicies
from memories.values import AttachmentState, Draft
from tenancy.errors import CatalogueError, InvalidParameters, NotFound
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.runtime.address_guard import TryLater, build_fetch_error
from tenancy.storage.allowance import storage_scope

MAX_PAGES = 200
BATCH = 16
# What was fetched, described or written is kept; after so long the rest is left to the next run, for Celery ends runs
# of two minutes. Each run gets on by one such step at least.
RUN_SECONDS = 25.0
# For all addresses of one request together; one may take a minute.
FETCH_SECONDS = 120.0
# Messages around a file's own, in which words about it are looked for.
AROUND = 2
LOCAL = "local"
_BATCHES = UUID("5b9f0c1e-6c55-4d0b-9a57-0b6f4f6f3f10")


@dataclass(frozen=True, slots=True)
class AttachmentWork:
    """Rows and settings that an attachment task works on, read in one go. `until`: a time of `time.monotonic()`, in
    seconds."""

    task: Task
    scope: Scope
    row: Attachment
    intake: Intake
    beside: Beside
    until: float

    def refuse_late(self) -> None:
        """Raise `Unfinished` when the run's time is over. Called after each step whose outcome is stored."""
        if time.monotonic() > self.until:
            raise Unfinished


def process_attachment(task: Task) -> None:
    """Does an attachment's task, or as much of it as one run may.

    Raises `Unfinished`; `TryLater` for a server that may answer later; an error of the catalogue, noted on the
    attachment, when nothing will come of the file; and `outbox.LeaseLost`.
    """
    scope = Scope(task.account_id, task.project_id)
    with tenant_scope(scope):
        work = _load_work(task, scope)
        if work is None:
            outbox.complete(task, {"emptied": True})
            return
    try:
        _process_attachment(work)
    except TryLater as error:
        if task.attempts < MAX_ATTEMPTS:
            raise
        raise _note_refusal(work, build_fetch_error()) from error
    except CatalogueError as refusal:
        raise _note_refusal(work, refusal) from None


def _process_attachment(work: AttachmentWork) -> None:
    if not work.row.storage_key:
        _fetch_file(work)
        work.refuse_late()
    try:
        drafts, by = _build_drafts(work)
    except FileNotFoundError:
        raise NotFound("the stored file is gone") from None
    _write_all(work, drafts, by)


def _load_work(task: Task, scope: Scope) -> AttachmentWork | None:
    """Load what the task works on;

    None when the cube was emptied after the message came, or the file's memories were deleted.
    """
    row = (
        Attachment.objects.within(task.project_id)
        .select_related("cube", "message__conversation", "project")
        .filter(pk=task.payload["attachment"])
        .first()
    )
    if row is None or row.cube.epoch != task.payload["epoch"]:
        return None
    message = row.message
    intakes = Intake.objects.within(task.project_id).filter(conversation=message.conversation)
    intake = intakes.get(first__lte=message.position, last__gte=message.position)
    words = _load_words_around(message)
    beside = Beside(str(row.pk), row.name, row.kind, message.role, words, tuple(intake.tags))
    return AttachmentWork(task, scope, row, intake, beside, time.monotonic() + RUN_SECONDS)


def _load_words_around(message: Message) -> str:
    near = Message.objects.within(message.project_id).filter(
        conversation=message.conversation_id,
        role=message.role,
        position__range=(max(0, message.position - AROUND), message.position + AROUND),
    )
    ordered = sorted(near.exclude(pk=message.pk), key=lambda other: abs(other.position - message.position))
    return choose_words_beside(message.text, [other.text for other in ordered])


def _fetch_file(work: AttachmentWork) -> None:
    """The file of an address, stored and noted; what was stored for nothing goes again."""
    row = work.row
    with delete_uncommitted_files() as kept:
        with _fetch_time(work) as seconds:
            stored = receive_file(
                row.project, FileSource(url=row.url, name=row.name, seconds=seconds), FOLDER
            )
            kept.append(stored)
        refuse_no_image(row.is_image, stored)
        with storage_scope(work.scope):
            outbox.require_fence(work.task)
            note_stored(row, stored)
            row.save(update_fields=["storage_key", "name", "kind", "media_type", "size", "sha256"])
            kept.keep_on_commit()


@contextmanager
def _fetch_time(work: AttachmentWork) -> Iterator[float]:
    """Around a fetch: the seconds that it may take, counted with those of the request's other addresses.

    Raises `InvalidParameters` when they are used up.
    """
    left = FETCH_SECONDS - work.intake.fetch_ms / 1000
    if left <= 0:
        raise InvalidParameters(
            f"the addresses of this request took more than {FETCH_SECONDS:.0f} seconds to fetch",
            cure="Send fewer addresses in one request, or upload the files themselves.",
        )
    began = time.monotonic()
    try:
        yield left
    finally:
        took = round((time.monotonic() - began) * 1000)
        with tenant_scope(work.scope):
            mine = Intake.objects.within(work.row.project_id).filter(pk=work.intake.pk)
            mine.update(fetch_ms=F("fetch_ms") + took)


def _build_drafts(work: AttachmentWork) -> tuple[list[Draft], str]:
    """All that the file gives, in the same order every time, and who found it."""
    row = work.row
    beside = replace(work.beside, name=row.name, kind=row.kind)
    parsed = parse_stored(_build_stored(row), MAX_PAGES)
    if row.kind != FileKind.IMAGE:
        _note_file(work, pages=parsed.pages)
        return list(iterate_document_drafts(parsed, beside)), LOCAL
    description = _load_description(work, parsed)
    return [build_image_draft(parsed.facts, description.text, beside)], _name_extractor(description)


def _build_stored(row: Attachment) -> StoredFile:
    kind = FileKind(row.kind)
    return StoredFile(row.storage_key, row.name, kind, row.media_type, row.size, row.sha256)


def _load_description(work: AttachmentWork, parsed: Parsed) -> Description:
    """Ask for the description of an image once; a repeated run reads the stored answer."""
    known = work.row.facts.get("described")
    if known is not None:
        return Description(**known)
    with metering_usage(work.scope):
        model = get_describer()
        if model is None:
            description = Description("", LOCAL)
        else:
            with open_stored(work.row.storage_key) as file:
                picture = Picture(file.read(), work.row.media_type, parsed.facts.get("private", ()))
            description = model.describe(picture, work.beside.spoken)
    total = {"text": description.text, "by": description.by, "trouble": description.trouble}
    facts = {name: value for name, value in parsed.facts.items() if name != "private"}
    _note_file(work, facts=facts | {"described": total}, pages=1)
    work.refuse_late()
    return description


def _name_extractor(description: Description) -> str:
    """As for every memory: the engine's name, and in brackets why another one could not."""
    return f"{LOCAL} [{description.by}: {description.trouble}]" if description.trouble else description.by


def _note_file(work: AttachmentWork, **values: Any) -> None:
    with tenant_scope(work.scope):
        outbox.require_fence(work.task)
        Attachment.objects.within(work.row.project_id).filter(pk=work.row.pk).update(**values)


def _write_all(work: AttachmentWork, drafts: Sequence[Draft], by: str) -> None:
    """Counted are all drafts, also those that must not be remembered: what must not may change between two runs."""
    policies, done = ExtractionPolicies.of(work.row.project), work.row.done
    while True:
        began, whole = done, drafts[done : done + BATCH]
        batch = [draft for draft in whole if policies.allows(draft)]
        vectors = get_embedder().embed_passages([draft.text for draft in batch]) if batch else []
        done += len(whole)
        is_last = done >= len(drafts)
        total = sum(map(policies.allows, drafts)) if is_last else None
        # Without its distance to the unrelated: an excerpt meets its very equal only.
        embedded = [EmbeddedDraft(draft, vector) for draft, vector in zip(batch, vectors, strict=True)]
        with tenant_scope(work.scope):
            _write_batch(work, embedded, _build_origin(work, began, by), done, total)
        if is_last:
            return
        work.refuse_late()


def _build_origin(work: AttachmentWork, began: int, by: str) -> DraftOrigin:
    """Every batch counts its drafts anew, so each has an id of its own that is the same in every run."""
    return DraftOrigin(
        conversation=work.row.message.conversation,
        messages=[work.row.message],
        task=uuid5(_BATCHES, f"{work.row.pk}:{began}"),
        embedder=get_embedder().name,
        agent_id=work.intake.agent_id,
        app_id=work.intake.app_id,
        info=work.intake.info,
        expires_on=work.intake.expires_on,
        extractor=by[:120],
    )


def _write_batch(
    work: AttachmentWork, batch: Sequence[EmbeddedDraft], origin: DraftOrigin, done: int, total: int | None
) -> None:
    """With `total`, how many drafts became memories, the work is over."""
    row, cube = work.row, work.row.cube
    lock_cube(cube.pk)
    outbox.require_fence(work.task)
    mine = Attachment.objects.within(row.project_id).filter(pk=row.pk)
    current = MemCube.objects.within(row.project_id).filter(pk=cube.pk, epoch=work.task.payload["epoch"])
    if not current.exists() or not mine.exists():
        outbox.complete(work.task, {"emptied": True})
        return
    outcome = reconcile_drafts(cube, batch, origin)
    apply_options(work.intake, outcome.added)
    if work.intake.allow_public:
        reconcile_drafts(provide_public_cube(row.project), batch, origin)
    row.done = done
    if total is not None:
        # An earlier run may have been given up.
        row.state, row.error_code, row.error_text = AttachmentState.COMPLETED, "", ""
    row.save(update_fields=["done", "state", "error_code", "error_text"])
    if total is not None:
        outbox.complete(work.task, {"memories": total})
    announce_changed_memories(row.project_id, "refined", outcome.added + outcome.merged)


def _note_refusal(work: AttachmentWork, refusal: CatalogueError) -> CatalogueError:
    """Written on the attachment, unless it is our own trouble, which passes."""
    if refusal.status < 500:
        _note_file(
            work,
            state=AttachmentState.FAILED,
            error_code=str(refusal.code),
            error_text=refusal.text[:300],
        )
    return refusal
