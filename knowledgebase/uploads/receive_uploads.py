"""Receive uploads: store the content that a client sent, or keep the URL to fetch it later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from knowledgebase.models import KnowledgeBase
from knowledgebase.uploads.accepted_types import FOLDER, RULES, refuse_large_skill
from knowledgebase.uploads.add_files import FileUpload
from knowledgebase.values import FileType
from memories.files.file_types import clean_name
from memories.files.receive import EncodedText, FileSource, receive_file
from memories.files.storage import UncommittedFiles
from tenancy.api.bodies.body_limit import MAX_FILES_TOTAL
from tenancy.errors import CatalogueError, FilesTooLarge
from tenancy.requests.trace import trace_stage


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """A file as a client sends it, by one of `url`, `text` (Base64 or a data URL) and `content` (bytes)."""

    name: str
    type: FileType
    url: str = ""
    text: EncodedText | None = None
    content: Iterable[bytes] | None = None
    media_type: str = ""

    @property
    def label(self) -> str:
        return self.name or self.url[:80]


def receive_uploads(
    base: KnowledgeBase, offered: Sequence[OfferedFile], kept: UncommittedFiles
) -> list[FileUpload]:
    """Stores what came with the request; outside of transactions.

    Raises what `receive_file` raises, with the file named, and `FilesTooLarge` when all of them together are.
    """
    with trace_stage("files") as note:
        uploads = [_receive_upload(base, number, file, kept) for number, file in enumerate(offered)]
        note["files"] = len(kept.files)
    return uploads


def _receive_upload(
    base: KnowledgeBase, number: int, file: OfferedFile, kept: UncommittedFiles
) -> FileUpload:
    name = clean_name(file.name)
    if file.url:
        return FileUpload(name, file.type, None, file.url)
    source = FileSource(text=file.text, content=file.content, name=name, media_type=file.media_type)
    with name_file_in_errors(f"file[{number}]", file.label):
        stored = receive_file(base, source, FOLDER, RULES[file.type])
        kept.append(stored)
        refuse_large_skill(file.type, stored)
    if sum(kept_file.size for kept_file in kept.files) > MAX_FILES_TOTAL:
        raise FilesTooLarge
    return FileUpload(name, file.type, stored, "")


@contextmanager
def name_file_in_errors(place: str, label: str) -> Iterator[None]:
    """Prefix errors that the client can fix with the name of the file."""
    try:
        yield
    except CatalogueError as refusal:
        if refusal.status >= 500:
            raise
        where = ": ".join(part for part in (place, label, refusal.detail) if part)
        raise type(refusal)(where, cure=refusal.cure) from None
