"""Files of messages: stored before the messages are, and deleted with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

from memories.files import storage
from memories.files.receive import EncodedText, FileSource, receive_file
from memories.files.storage import StoredFile, UncommittedFiles
from memories.files.values import FileKind
from memories.jobs import outbox
from memories.models import Attachment, MemCube, Memory, Message, Task
from memories.models.trash_visibility import seeing_trash
from memories.values import AttachmentState, NewMessage, NewMessages, TaskKind
from tenancy.api.bodies.body_limit import MAX_FILES_TOTAL
from tenancy.errors import FilesTooLarge, InvalidFile, OperationFailed
from tenancy.ids import uuid7
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project
from tenancy.requests.trace import trace_stage

FOLDER = "messages"
# What takes a file's place in the stored message.
REFERENCE = "attachment:"
# Where a part of each type holds its file, and what clients call the file's name.
PLACES = {"image_url": ("image_url", "url"), "file": ("file", "file_data")}
NAMES = ("filename", "file_name", "name")


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file among the parts of a message: a URL, a text to be decoded, or what was stored of it."""

    index: int
    is_image: bool
    name: str
    value: Any


def iterate_file_parts(content: Any) -> Iterator[FilePart]:
    for index, part in enumerate(content if isinstance(content, list) else []):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in PLACES:
            outer, inner = PLACES[kind]
            yield FilePart(index, kind == "image_url", _get_file_name(part, part[outer]), part[outer][inner])


def _get_file_name(part: dict[str, Any], inner: dict[str, Any]) -> str:
    names = (holder.get(name) for holder in (inner, part) for name in NAMES)
    return next((name for name in names if isinstance(name, str) and name), "")


def receive_files(project: Project, new: NewMessages, kept: UncommittedFiles) -> NewMessages:
    """The same messages with every inline file stored. Outside of transactions.

    Raises what `receive_file` raises, and `FilesTooLarge` when all of them together are.
    """
    with trace_stage("files") as note:
        messages = tuple(_receive_message_files(project, message, kept) for message in new.messages)
        note["files"] = len(kept.files)
    return replace(new, messages=messages)


def _receive_message_files(project: Project, message: NewMessage, kept: UncommittedFiles) -> NewMessage:
    content = message.content
    for part in iterate_file_parts(content):
        if isinstance(part.value, str):
            continue
        content = _with(content, part, _store_part(project, part, kept))
    return message if content is message.content else replace(message, content=content)


def _store_part(project: Project, part: FilePart, kept: UncommittedFiles) -> StoredFile:
    text: EncodedText = part.value
    stored = receive_file(project, FileSource(text=text, name=part.name), FOLDER)
    kept.append(stored)
    refuse_no_image(part.is_image, stored)
    if sum(file.size for file in kept.files) > MAX_FILES_TOTAL:
        raise FilesTooLarge
    return stored


def refuse_no_image(is_image: bool, stored: StoredFile) -> None:
    """Raises `InvalidFile` for a part that says image and holds something else."""
    if is_image and stored.kind != FileKind.IMAGE:
        raise InvalidFile(f"the content is {stored.kind.value}, not an image")


def _with(content: list[Any], part: FilePart, value: Any) -> list[Any]:
    outer, inner = PLACES["image_url" if part.is_image else "file"]
    old = content[part.index]
    changed = {**old, outer: {**old[outer], inner: value}}
    return [*content[: part.index], changed, *content[part.index + 1 :]]


class MessagesWithFiles(NamedTuple):
    """Messages as they are stored, with references for files, and the attachments of each, unsaved."""

    messages: list[NewMessage]
    attachments: list[list[Attachment]]


def store_message_files(new: Sequence[NewMessage], cube: MemCube) -> MessagesWithFiles:
    """Take the files out of messages."""
    messages, attachments = [], []
    for message in new:
        content, rows = message.content, []
        for part in iterate_file_parts(message.content):
            row = _build_row(cube, part)
            rows.append(row)
            if isinstance(part.value, StoredFile):
                content = _with(content, part, f"{REFERENCE}{row.pk}")
        messages.append(message if content is message.content else replace(message, content=content))
        attachments.append(rows)
    return MessagesWithFiles(messages, attachments)


def _build_row(cube: MemCube, part: FilePart) -> Attachment:
    row = Attachment(
        id=uuid7(),
        account_id=cube.account_id,
        project_id=cube.project_id,  # type: ignore[misc]  # only cubes of knowledge bases have none
        cube=cube,
        part=part.index,
        is_image=part.is_image,
        name=part.name[:255],
    )
    if isinstance(part.value, StoredFile):
        note_stored(row, part.value)
    else:
        row.url = part.value
    return row


def note_stored(row: Attachment, stored: StoredFile) -> None:
    row.storage_key, row.name = stored.key, stored.name
    row.kind, row.media_type = stored.kind, stored.media_type
    row.size, row.sha256 = stored.size, stored.sha256


def store_attachments(messages: Sequence[Message], attachments: Sequence[list[Attachment]]) -> list[Task]:
    """Write rows and tasks in the caller's transaction.

    Each file is a task of its own, which waits for none of the subject's others and holds none back: a slow
    server of a file must not delay what the next message says.
    """
    rows = []
    for message, of_message in zip(messages, attachments, strict=True):
        for row in of_message:
            row.message = message
            rows.append(row)
    Attachment.objects.bulk_create(rows)
    return [_write_task(row) for row in rows]


def _write_task(row: Attachment) -> Task:
    payload = {"attachment": str(row.pk), "epoch": row.cube.epoch}
    return outbox.write_task(
        row.cube, TaskKind.ATTACHMENT, dedupe_key=str(row.pk), payload=payload, subject=row.pk
    )


def give_up(scope: Scope, attachment: UUID) -> None:
    """Mark the file of a task that failed permanently as failed, unless it has ended already."""
    ended = OperationFailed("the work on the file broke off too often")
    with tenant_scope(scope):
        Attachment.objects.within(scope.project).filter(pk=attachment, state=AttachmentState.WAITING).update(
            state=AttachmentState.FAILED, error_code=str(ended.code), error_text=ended.text
        )


def delete_files_of_cube(project: Project, cube: MemCube) -> None:
    """Delete a cube's files when its messages are deleted: on commit. Inside the project's tenant scope."""
    rows = Attachment.objects.within(project).filter(cube=cube)
    keys = {key for key in rows.values_list("storage_key", flat=True) if key}
    others = Attachment.objects.within(project).filter(storage_key__in=keys).exclude(cube=cube)
    rows._raw_delete(rows.db)
    storage.delete_on_commit(keys - set(others.values_list("storage_key", flat=True)))


def drop_message_files(project: Project, messages: Sequence[UUID]) -> None:
    """The files of messages whose words go, and what a model said of pictures; what was read out is in memories."""
    rows = Attachment.objects.within(project).filter(message__in=messages)
    keys = {key for key in rows.values_list("storage_key", flat=True) if key}
    others = Attachment.objects.within(project).filter(storage_key__in=keys).exclude(message__in=messages)
    gone = keys - set(others.values_list("storage_key", flat=True))
    rows.update(storage_key="", url="")
    described = list(rows.filter(facts__described__has_key="text").only("pk", "facts"))
    for row in described:
        row.facts = {**row.facts, "described": {**row.facts["described"], "text": ""}}
    Attachment.objects.within(project).bulk_update(described, ["facts"])
    storage.delete_on_commit(gone)


def delete_unreferenced_files(project: Project, attachments: Iterable[UUID]) -> None:
    """Delete files of which no memory is left, after memories were deleted, of all owners."""
    for key in set(attachments):
        row = Attachment.objects.within(project).filter(pk=key).first()
        if row is None or _is_remembered(row):
            continue
        shared = Attachment.objects.within(project).filter(storage_key=row.storage_key).exclude(pk=row.pk)
        if row.storage_key and not shared.exists():
            storage.delete_on_commit([row.storage_key])
        Attachment.objects.within(project).filter(pk=row.pk).delete()


def _is_remembered(row: Attachment) -> bool:
    of_message = Memory.objects.within(MemCube.objects.within(row.project_id)).filter(
        sources__message=row.message_id
    )
    with seeing_trash():  # what is restored wants its file back
        return bool(of_message.filter(details__file__attachment=str(row.pk)).exists())
