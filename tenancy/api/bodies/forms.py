"""Parse multipart forms with files: each file is written to disk while the body is read, up to its size limit."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any, cast

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent, TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from tenancy.api.bodies.body_limit import MAX_FILE, MAX_FILES_TOTAL
from tenancy.api.bodies.parsing import refuse_unstorable
from tenancy.errors import FilesTooLarge, FileTooLarge, InvalidParameters, TooManyFiles

MAX_FILES = 20
PIECE = 1024 * 1024


class FormFile:
    """A file of a form, on disk while it is referenced. Its representation in logs and digests is size and digest.

    `part` is the name of the part of the form that it came in.
    """

    def __init__(self, name: str, media_type: str, part: str = "") -> None:
        self.name, self.media_type, self.part = name, media_type, part
        self.size = 0
        self._digest = hashlib.sha256()
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115  # closed with this object
        weakref.finalize(self, self._file.close)

    def add(self, part: bytes) -> None:
        self.size += len(part)
        self._digest.update(part)
        self._file.write(part)

    def pieces(self) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(PIECE):
            yield piece

    def opened(self) -> IO[bytes]:
        """The true file, at its beginning, for as long as this object is held."""
        self._file.seek(0)
        return self._file

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def __str__(self) -> str:
        return f"[{self.size} bytes set aside, sha256 {self.sha256}]"


@dataclass(slots=True)
class MultipartForm:
    fields: dict[str, str] = field(default_factory=dict)
    files: list[FormFile] = field(default_factory=list)


def is_form(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "multipart/form-data"


def read_form(meta: Mapping[str, Any], stream: IO[bytes], part: str | None) -> MultipartForm:
    """Read the fields, each once, and the files of the parts with this name, or of all parts. Other files are ignored.

    Raises `TooManyFiles`, `FileTooLarge` and `FilesTooLarge` as soon as they are, and `InvalidParameters` for what is
    no form, or the beginning of one.
    """
    whole = _Body(stream)
    handler, body = _Files(part, whole), cast(Any, whole)
    try:
        fields, _ = _build_form_parser(dict(meta), body, handler).parse()
    except TooManyFilesSent:
        raise TooManyFiles(f"at most {MAX_FILES}") from None
    except TooManyFieldsSent:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        raise InvalidParameters(
            f"the form has more than {most:,} fields; send only those that are read"
        ) from None
    except MultiPartParserError:
        raise InvalidParameters("the body is not a readable form") from None
    if not whole.has_end:
        raise InvalidParameters("the form was cut off before its end; send it again")
    texts = {name: str(value) for name, value in fields.items()}
    refuse_unstorable(texts)
    return MultipartForm(texts, handler.files)


class _Body:
    """A form while it is read: whether the line that ends it was there. Django takes a form that was cut off for whole,
    and the last file for as long as it is by then."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._last = b""
        # The line that ends it, as soon as the boundary is known.
        self.end = b""
        self.has_end = False

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(size)
        if not self.has_end:
            seen = self._last + piece
            self.has_end = self.end in seen
            self._last = seen[-len(self.end) :]
        return piece


def _build_form_parser(meta: dict[str, Any], body: Any, handler: FileUploadHandler) -> MultiPartParser:
    try:
        return MultiPartParser(meta, body, [handler], "utf-8")
    except ValueError:  # a boundary in a character set that nobody knows
        raise InvalidParameters("the Content-Type header cannot be read") from None


class _Files(FileUploadHandler):
    def __init__(self, part: str | None, body: _Body) -> None:
        super().__init__()
        self.files: list[FormFile] = []
        self._part, self._body = part, body
        self._total = 0

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: str | None = None
    ) -> None:
        """Called before anything is read."""
        self._body.end = b"--" + boundary + b"--"

    def new_file(
        self, field_name: str, file_name: str, content_type: str, *args: Any, **options: Any
    ) -> None:
        super().new_file(field_name, file_name, content_type, *args, **options)
        if self._part is not None and field_name != self._part:
            raise SkipFile
        if len(self.files) == MAX_FILES:
            raise TooManyFiles(f"at most {MAX_FILES}")
        self.files.append(FormFile(file_name, content_type or "", field_name))

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        file = self.files[-1]
        self._total += len(raw_data)
        if file.size + len(raw_data) > MAX_FILE:
            number = len(self.files) - 1
            raise FileTooLarge(f"file[{number}]: {file.name}: at most {MAX_FILE // 1024 // 1024} MB")
        if self._total > MAX_FILES_TOTAL:
            raise FilesTooLarge
        file.add(raw_data)

    def file_complete(self, file_size: int) -> None:
        return None
