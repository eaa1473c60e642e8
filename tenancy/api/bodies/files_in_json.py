"""JSON bodies that carry files: long strings are written to disk while the body is read, the rest is parsed as JSON.

What a client put into one of the named places is a `LongText` afterwards, whatever its length; under the same
key in any other place, a string longer than a block is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any, ClassVar

from rest_framework.parsers import BaseParser

from tenancy.api.bodies.body_limit import GROWTH, MAX_BODY, MAX_FILE, MAX_FILES_TOTAL
from tenancy.api.bodies.parsing import keep_refused_body, parse_object, refuse_other_media
from tenancy.errors import FilesTooLarge, FileTooLarge, InvalidParameters, TooManyFiles, TooManyTokens
from tenancy.requests.trace import trace_stage

BLOCK = 128 * 1024
IN_MEMORY = 64 * 1024
# All finished strings of a block, with what stands between them; then the inside of one string. The first is atomic
# instead of possessive, because Python up to 3.11.4 (Debian 12 has such a one) goes on from where a possessive group
# failed, not from where that try began (CPython's issues 100061 and 106052): it took open strings for finished ones.
_FINISHED = re.compile(rb'(?>(?:[^"]*+"(?:[^"\\]++|\\.)*+")*)', re.DOTALL)
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_KEY = re.compile(rb'"([^"\\]{1,40})"\s*:\s*\Z')
_BROKEN_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_ESCAPE_LENGTH = 6

Place = tuple[str, ...]


class LongText:
    """A string of a body that was written to disk. Its representation in logs and digests is size and digest."""

    def __init__(self, *, is_escaped: bool) -> None:
        self.length = 0
        self._digest = hashlib.sha256()
        self._is_escaped = is_escaped
        self._file: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # closed with this object
        weakref.finalize(self, self._file.close)

    @classmethod
    def of(cls, text: str) -> LongText:
        whole = cls(is_escaped=False)
        whole.add(text.encode())
        return whole

    def add(self, part: bytes) -> None:
        self.length += len(part)
        self._digest.update(part)
        self._file.write(part)

    def __str__(self) -> str:
        return f"[{self.length} bytes set aside, sha256 {self._digest.hexdigest()}]"

    def raw(self) -> bytes:
        """As it was written, for a text that is short after all."""
        self._file.seek(0)
        return self._file.read()

    def pieces(self, size: int = 1024 * 1024) -> Iterator[str]:
        """The text, piece by piece. Raises `InvalidParameters` where it is not JSON's or not UTF-8.

        A character that JSON wrote as two escapes may come as its two halves; no file's text has such characters.
        """
        self._file.seek(0)
        held = b""
        while block := self._file.read(size):
            block = held + block
            cut = _find_safe_cut(block)
            block, held = block[:cut], block[cut:]
            yield self._plain(block)
        if held:
            yield self._plain(held)

    def _plain(self, block: bytes) -> str:
        try:
            text = block.decode("utf-8")
            return json.loads(f'"{text}"') if self._is_escaped and "\\" in text else text
        except ValueError:
            raise InvalidParameters("a string of the body is not valid JSON") from None


def _find_safe_cut(block: bytes) -> int:
    """Find where the block may end without breaking an escape sequence or a UTF-8 character."""
    if broken := _BROKEN_ESCAPE.search(block[-_ESCAPE_LENGTH:]):
        end = len(block) - min(_ESCAPE_LENGTH, len(block)) + broken.start()
        # An even number of backslashes before the end are finished escapes of themselves.
        run = len(block) - len(block.rstrip(b"\\"))
        return len(block) if broken.group() == b"\\" and run % 2 == 0 else end
    end = len(block)
    while end > len(block) - 4 and end > 0 and block[end - 1] & 0xC0 == 0x80:
        end -= 1
    return end - 1 if end > 0 and block[end - 1] >= 0xC0 else len(block)


class FilesJSONParser(BaseParser):
    """Parser for bodies with files. `places` are the paths of strings that may be files; `*` stands for a list index.

    No more than `most_files` are taken: each holds an open file.
    """

    media_type = "application/json"
    places: ClassVar[frozenset[Place]] = frozenset()
    most_files: ClassVar[int] = 20

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {}).get("request")
        with trace_stage("parse"):
            refuse_other_media(request.content_type if request is not None else self.media_type)
            reader = _Reader({place[-1].encode() for place in self.places}, self.most_files)
            text = reader.read(stream)
            with keep_refused_body(request, text):
                body = parse_object(text)
            _Places(self.places, reader.aside, self.most_files).fill(body, ())
        if reader.aside:
            raise TooManyTokens(f"a text of more than {BLOCK // 1024} KB where no file is expected")
        return body


class _Reader:
    """Copy a body into memory, with a marker in place of strings that are longer than a block under the given keys.

    What is read at once is never longer than a block, so that no string's fate depends on where a block ends.
    """

    def __init__(self, keys: set[bytes], most_files: int) -> None:
        self.aside: dict[str, LongText] = {}
        self._keys = keys
        self._most_files = most_files
        self._kept = bytearray()
        self._total = 0

    def read(self, stream: IO[bytes]) -> bytes:
        rest = b""
        while data := rest or stream.read(BLOCK):
            end = _find_match_end(_FINISHED, data)
            outside, quote, inside = data[end:].partition(b'"')
            self._keep_part(data[:end] + outside + quote)
            rest = self._skip_quote(self._read_long_string(inside, stream)) if quote else b""
        return bytes(self._kept)

    def _skip_quote(self, rest: bytes) -> bytes:
        """The quote that ends a string must not be taken for the beginning of the next."""
        self._keep_part(rest[:1])
        return rest[1:]

    def _read_long_string(self, start: bytes, stream: IO[bytes]) -> bytes:
        """Reads on to the end of a string that its block did not end; returns its quote and what follows."""
        key = _KEY.search(bytes(self._kept[-80:-1]))
        if key is None or key.group(1) not in self._keys:
            return self._read_through(start, stream, self._keep_part)
        text = LongText(is_escaped=True)
        rest = self._read_through(start, stream, partial(self._add_part, text))
        if text.length > BLOCK:
            self._set_aside(text)
        else:
            self._total -= text.length
            self._keep_part(text.raw())
        return rest

    def _set_aside(self, text: LongText) -> None:
        mark = f"{secrets.token_hex(16)}:{len(self.aside)}"
        self.aside[mark] = text
        self._keep_part(mark.encode())

    @staticmethod
    def _read_through(data: bytes, stream: IO[bytes], sink: Callable[[bytes], None]) -> bytes:
        while True:
            end = _find_match_end(_INSIDE, data)
            sink(data[:end])
            if end < len(data) and data[end : end + 1] == b'"':
                return data[end:]
            block = stream.read(BLOCK)
            if not block:
                return data[end:]
            data = data[end:] + block

    def _keep_part(self, part: bytes) -> None:
        self._kept += part
        if len(self._kept) > MAX_BODY:
            raise TooManyTokens("the body without its files is larger than 10 MB")

    def _add_part(self, text: LongText, part: bytes) -> None:
        self._total += len(part)
        if self._total > MAX_FILES_TOTAL * GROWTH:
            raise FilesTooLarge
        text.add(part)
        if text.length > MAX_FILE * GROWTH:
            raise FileTooLarge(
                f"file {self._count_file()} of the request, at most {MAX_FILE // 1024 // 1024} MB"
            )
        if text.length > BLOCK and len(self.aside) >= self._most_files:
            raise TooManyFiles(f"at most {self._most_files}")

    def _count_file(self) -> int:
        """Count which file of the body is being read, counted from 1 by the keys of files so far."""
        keys = b"|".join(re.escape(key) for key in sorted(self._keys))
        return len(re.findall(rb'"(?:%s)"\s*:' % keys, bytes(self._kept)))


def _find_match_end(pattern: re.Pattern[bytes], data: bytes) -> int:
    match = pattern.match(data)
    return match.end() if match else 0


class _Places:
    """Put the files of a body back at the given paths."""

    def __init__(self, places: frozenset[Place], aside: dict[str, LongText], most_files: int) -> None:
        self._places = places
        self._aside = aside
        self._left = most_files

    def fill(self, value: Any, path: Place) -> None:
        names = {place[len(path)] for place in self._places if place[: len(path)] == path != place}
        members: list[tuple[Any, str]] = []
        if isinstance(value, dict):
            members = [(name, name) for name in names if name in value]
        elif isinstance(value, list) and "*" in names:
            members = [(number, "*") for number in range(len(value))]
        for key, step in members:
            member, here = value[key], (*path, step)
            if here in self._places and isinstance(member, str):
                value[key] = self._as_file(member)
            else:
                self.fill(member, here)

    def _as_file(self, member: str) -> LongText | str:
        is_address = member[:8].lower().startswith(("http://", "https://"))
        if is_address or not member.strip():
            return member
        if self._left == 0:
            raise TooManyFiles
        self._left -= 1
        return self._aside.pop(member, None) or LongText.of(member)
