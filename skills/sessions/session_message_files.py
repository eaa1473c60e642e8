"""Files in session messages (images, audio, documents), kept in the file storage instead of rows.

All files of a message are one stored file, one after the other, so that storing a message costs one write however many
it has. In the row an empty string takes the place of each; `SessionMessage.files` says what belongs where.
"""

from __future__ import annotations

import base64
import copy
import logging
import mimetypes
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import IO, Any
from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from memories.files import storage
from memories.files.storage import Holder, Rules, StoredFile, UncommittedFiles
from memories.files.values import FileKind
from skills.message_formats.parts import Part, PartType, get_part_meta
from skills.models import SessionMessage
from skills.paging import count_json_octets
from tenancy.api.bodies.body_limit import MAX_BODY
from tenancy.api.bodies.forms import FormFile
from tenancy.errors import NotFound

log = logging.getLogger(__name__)

FOLDER = "sessions"
# Characters; what is shorter takes less space in its row than a file of its own would.
LEAST = 1024
# A file counts as one token for each KB, begun or whole: as texts are charged, a picture would be refused for its size.
BYTES_PER_FILE_TOKEN = 1024
# What a message takes in its row (bytes), and in an answer, where its files in Base64 are a third larger than stored.
ROW_BYTES = Coalesce(F("row_bytes"), count_json_octets("parts", "meta", "kept"))
ANSWER_BYTES = Coalesce(
    F("row_bytes") + F("stored_bytes") * 4 / 3, count_json_octets("parts", "meta", "kept")
)
_LONGEST_PREFIX = 200
# Base64 that is not written as this library writes it: without padding, in lines, in the alphabet for addresses.
_LOOSE_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\r\n]+={0,2}[\r\n]*")
_WITH_FILES = {
    PartType.IMAGE,
    PartType.AUDIO,
    PartType.VIDEO,
    PartType.FILE,
    PartType.DATA,
    PartType.TOOL_RESULT,
}
_ANYTHING = Rules(MAX_BODY, lambda head, name: (FileKind.TXT, "application/octet-stream"))
# What OpenAI calls the formats of sound, where it is not the second half of the media type.
_SOUNDS = {"audio/mpeg": "mp3", "audio/x-wav": "wav", "audio/wave": "wav"}

NONE: Mapping[int, FormFile] = MappingProxyType({})

Step = int | str


class Encoding(StrEnum):
    """Encodings of a file in the message that was sent."""

    BASE64 = "base64"  # `prefix`, then the Base64 of the stored bytes
    TEXT = "text"  # the stored bytes themselves, as UTF-8
    UPLOAD = "upload"  # not at all: it came beside the message, as a file of the form


@dataclass(frozen=True, slots=True)
class StoredPart:
    """One file of a message: where it belongs in `parts`, and where in the message's stored file it lies (bytes)."""

    place: list[Step]
    encoding: str
    prefix: str
    at: int
    size: int


@dataclass(slots=True)
class ExtractedFiles:
    """The parts of a message without their files, and these; `contents` are in the order of `files`."""

    parts: list[Part]
    files: list[StoredPart] = field(default_factory=list)
    contents: list[bytes | FormFile] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    @property
    def tokens(self) -> int:
        return sum(-(-file.size // BYTES_PER_FILE_TOKEN) for file in self.files)

    def as_rows(self) -> list[dict[str, Any]] | None:
        return [asdict(file) for file in self.files] or None

    def add(self, place: list[Step], encoding: Encoding, content: bytes | FormFile, prefix: str = "") -> None:
        size = len(content) if isinstance(content, bytes) else content.size
        self.files.append(StoredPart(place, encoding.value, prefix, self.size, size))
        self.contents.append(content)


def extract_files(parts: Sequence[Part], uploads: Mapping[int, FormFile] = NONE) -> ExtractedFiles:
    """Extract what of the message goes to the storage; `uploads` are by the index of their part."""
    taken = ExtractedFiles([])
    for index, part in enumerate(parts):
        meta = get_part_meta(part)
        if meta and part["type"] in _WITH_FILES:
            part = {**part, "meta": _take_files_out(meta, [index, "meta"], taken)}
        taken.parts.append(part)
    for index, upload in uploads.items():
        taken.add([index], Encoding.UPLOAD, upload)
    return taken


def _take_files_out(value: Any, place: list[Step], taken: ExtractedFiles) -> Any:
    if isinstance(value, dict):
        return {name: _take_files_out(member, [*place, name], taken) for name, member in value.items()}
    if isinstance(value, list):
        return [_take_files_out(member, [*place, at], taken) for at, member in enumerate(value)]
    if isinstance(value, str) and len(value) >= LEAST and _take_file(value, place, taken):
        return ""
    return value


def _take_file(text: str, place: list[Step], taken: ExtractedFiles) -> bool:
    """Take the file out of a text and return whether it is one. It is given back letter for letter, whatever its
    spelling of Base64."""
    head, mark, _ = text[:_LONGEST_PREFIX].partition(";base64,")
    prefix = head + mark if mark and head.startswith("data:") else ""
    content = _decode_base64(text[len(prefix) :])
    if content is not None:
        taken.add(place, Encoding.BASE64, content, prefix)
    elif prefix or text.startswith("data:") or _LOOSE_BASE64.fullmatch(text):
        taken.add(place, Encoding.TEXT, text.encode())
    else:
        return False
    return True


def _decode_base64(text: str) -> bytes | None:
    """Decode base64; None for text that encoding would not restore exactly."""
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return content if base64.b64encode(content) == text.encode() else None


def store_files(holder: Holder, taken: ExtractedFiles, kept: UncommittedFiles) -> str:
    """The key of the stored file, or "" where the message has none. Outside of transactions.

    Raises `OperationFailed` while the storage is away.
    """
    if not taken.files:
        return ""
    stored: StoredFile = storage.store_file(holder, FOLDER, _iterate_pieces(taken.contents), "", _ANYTHING)
    kept.append(stored)
    return stored.key


def _iterate_pieces(contents: Iterable[bytes | FormFile]) -> Iterator[bytes]:
    for content in contents:
        if isinstance(content, bytes):
            yield content
        else:
            yield from content.pieces()


def build_asset(message_id: UUID, index: int, upload: FormFile) -> dict[str, Any]:
    """Build what a part says of the file that was uploaded for it."""
    return {
        "bucket": FOLDER,
        "s3_key": f"{message_id}/{index}",
        "etag": upload.sha256,
        "sha256": upload.sha256,
        "mime": _get_upload_mime(upload),
        "size_b": upload.size,
    }


def _get_upload_mime(upload: FormFile) -> str:
    media_type = upload.media_type.partition(";")[0].strip().lower()
    if re.fullmatch(r"[\w.+-]{1,60}/[\w.+-]{1,60}", media_type) and media_type != "application/octet-stream":
        return media_type
    return mimetypes.guess_type(upload.name)[0] or "application/octet-stream"


def with_files(message: SessionMessage, *, with_uploads: bool) -> SessionMessage:
    """The same message with its files in their places, as they were sent.

    `with_uploads`: those that came beside the message too, as Base64, for formats that know no other way.
    Raises `NotFound` when the message was deleted meanwhile, `OperationFailed` while the storage is away.
    """
    if not message.files:
        return message
    whole = copy.copy(message)
    whole.parts = copy.deepcopy(message.parts)
    with _opened(message) as content:
        for file in _get_stored_parts(message):
            if file.encoding != Encoding.UPLOAD or with_uploads:
                _put_back(whole.parts, file, _read_content(content, file))
    return whole


def _get_stored_parts(message: SessionMessage) -> list[StoredPart]:
    return [StoredPart(**fields) for fields in message.files or []]


@contextmanager
def _opened(message: SessionMessage) -> Iterator[IO[bytes]]:
    try:
        with storage.open_stored(message.storage_key) as content:
            yield content
    except FileNotFoundError:
        log.error("message_file_missing", extra={"row": str(message.pk)})
        raise NotFound(f"the files of message {message.pk} are gone") from None


def _read_content(content: IO[bytes], file: StoredPart) -> bytes:
    content.seek(file.at)
    return content.read(file.size)


def _put_back(parts: list[Part], file: StoredPart, content: bytes) -> None:
    if file.encoding == Encoding.UPLOAD:
        part = parts[int(file.place[0])]
        part["meta"] = get_part_meta(part) | _as_meta(part, base64.b64encode(content).decode())
        return
    text = content.decode() if file.encoding == Encoding.TEXT else base64.b64encode(content).decode()
    *steps, last = file.place
    holder: Any = parts
    for step in steps:
        holder = holder[step]
    holder[last] = file.prefix + text


def _as_meta(part: Part, encoded: str) -> dict[str, Any]:
    """As the other formats write a file of this type."""
    mime = part["asset"]["mime"]
    if part["type"] == PartType.AUDIO:
        return {"data": encoded, "format": _SOUNDS.get(mime, mime.partition("/")[2])}
    url = f"data:{mime};base64,{encoded}"
    if part["type"] == PartType.IMAGE:
        return {"url": url}
    return {"file_data": url, "filename": part.get("filename") or ""}


def get_uploads(messages: Iterable[SessionMessage]) -> Iterator[tuple[SessionMessage, int]]:
    """Each file that came beside one of the messages, by the index of its part."""
    for message in messages:
        for file in _get_stored_parts(message):
            if file.encoding == Encoding.UPLOAD:
                yield message, int(file.place[0])


def read_upload(message: SessionMessage, index: int) -> tuple[str, str, Iterator[bytes]]:
    """Name as it was sent, media type and bytes of a file that came beside the message.

    Raises `NotFound`, `OperationFailed`.
    """
    files = (
        file
        for file in _get_stored_parts(message)
        if file.encoding == Encoding.UPLOAD and file.place == [index]
    )
    file = next(files, None)
    if file is None:
        raise NotFound("this file is gone")
    part = message.parts[index]
    with _opened(message) as content:
        return str(part.get("filename") or ""), part["asset"]["mime"], iter([_read_content(content, file)])


def delete_message_files(messages: QuerySet[SessionMessage]) -> None:
    """Delete the files of these messages once the transaction that deletes their rows commits."""
    named = messages.exclude(storage_key="").order_by().values_list("storage_key", flat=True)
    storage.delete_on_commit(list(named))
