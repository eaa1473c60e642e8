"""Skill packages: a SKILL.md, or a ZIP archive with one on top, read in a child process.

Both APIs call it. How large a package may be is in `limits.py`, what else it must be in `unpack.py`.
"""

from __future__ import annotations

import json
import mimetypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any, NamedTuple

from memories.files.sandbox.missing_restrictions import note_refused
from skills.packages.limits import MAX_FILE, MAX_FILES, MAX_PATH, MAX_TOTAL
from skills.packages.skill_md import SkillText
from skills.packages.unpack import SKILL_MD
from tenancy.errors import InvalidFile

CHILD = Path(__file__).with_name("unpack_child.py")
SECONDS = 20.0
MAX_ANSWER = 1024 * 1024
# What is longer is kept in the storage, text or not: rows are read whole.
MAX_TEXT = 100 * 1024
PLAIN = "text/plain"
TEXTS = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".log": "text/plain",
    ".py": "text/x-python",
    ".js": "text/javascript",
    ".ts": "text/x-typescript",
    ".go": "text/x-go",
    ".rs": "text/x-rust",
    ".java": "text/x-java",
    ".rb": "text/x-ruby",
    ".sh": "text/x-shellscript",
    ".sql": "text/x-sql",
    ".json": "application/json",
    ".yaml": "text/yaml",
    ".yml": "text/yaml",
    ".toml": "text/x-toml",
    ".csv": "text/csv",
    ".html": "text/html",
    ".css": "text/css",
    ".xml": "text/xml",
}
_TEXT_TYPES = {PLAIN, *TEXTS.values()}


class PackageRefused(InvalidFile):
    """[50107] with the rule that the package breaks and the path at which it does."""

    def __init__(self, rule: str, path: str = "", *, is_too_large: bool = False) -> None:
        self.rule, self.path, self.is_too_large = rule, path, is_too_large
        super().__init__(f"{rule} ({path})" if path else rule)


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file of a package, read when it is asked for: all of them together may be larger than memory."""

    path: str
    mime: str
    size: int
    sha256: str
    is_text: bool
    content: IO[bytes]
    start: int

    def read(self) -> bytes:
        return os.pread(self.content.fileno(), self.size, self.start)

    def text(self) -> str | None:
        """The file as text; None for what is none, or too long to be stored as text."""
        return decode_text(self.read()) if self.is_text else None


@dataclass(frozen=True, slots=True)
class Package:
    """A package that keeps all rules: what its SKILL.md says, and its files, that one first."""

    skill: SkillText
    files: tuple[PackagedFile, ...]


@contextmanager
def open_package(file: IO[bytes], *, is_zip: bool, in_folder: bool = False) -> Iterator[Package]:
    """The package while its files can be read. `file` is a true file of this machine, at its beginning.

    `in_folder` allows a single folder around everything. Raises `PackageRefused`.
    """
    form = ("folder" if in_folder else "zip") if is_zip else "md"
    with TemporaryFile() as content:
        result = _unpack_in_child(file, content, form)
        yield _build_package(result, content)


def _unpack_in_child(file: IO[bytes], content: IO[bytes], form: str) -> dict[str, Any]:
    with TemporaryDirectory(prefix="engram-unpack-") as folder:
        child = subprocess.Popen(
            [sys.executable, "-I", str(CHILD), str(content.fileno()), form],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(content.fileno(),),
            cwd=folder,
            env={},
            start_new_session=True,
        )
        try:
            output, _ = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise PackageRefused("unpacking it takes too long", is_too_large=True) from None
        finally:
            _end_child(child)
    return _parse_child_output(output)


def _end_child(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _parse_child_output(output: bytes) -> dict[str, Any]:
    """Parse what the child wrote: what a child that read a hostile file says is hostile too."""
    try:
        result = json.loads(output[:MAX_ANSWER])
        rule = result.get("rule")
        note_refused(result.get("refused"))
    except (ValueError, AttributeError):
        raise PackageRefused("the package cannot be read") from None
    if rule is not None:
        raise PackageRefused(
            str(rule)[:200],
            str(result.get("path", ""))[:MAX_PATH],
            is_too_large=bool(result.get("is_too_large")),
        )
    return dict(result)


def _build_package(result: dict[str, Any], content: IO[bytes]) -> Package:
    try:
        skill = SkillText(**result["skill"])
        unpacked = [_read_unpacked_file(entry) for entry in result["files"]][:MAX_FILES]
    except (KeyError, TypeError, ValueError):
        raise PackageRefused("the package cannot be read") from None
    files = [_build_packaged_file(file, content) for file in unpacked]
    return Package(skill, tuple(sorted(files, key=lambda file: (file.path.lower() != SKILL_MD, file.path))))


class _UnpackedFile(NamedTuple):
    """Place of a file's content in what the child wrote: `size` bytes from `start`."""

    path: str
    start: int
    size: int
    sha256: str


def _read_unpacked_file(entry: dict[str, Any]) -> _UnpackedFile:
    start, size = int(entry["start"]), int(entry["size"])
    if not (0 <= start <= MAX_TOTAL and 0 <= size <= MAX_FILE):
        raise ValueError
    return _UnpackedFile(str(entry["path"])[:MAX_PATH], start, size, str(entry["sha256"])[:64])


def _build_packaged_file(unpacked: _UnpackedFile, content: IO[bytes]) -> PackagedFile:
    path, start, size, sha256 = unpacked
    is_text = size <= MAX_TEXT and decode_text(os.pread(content.fileno(), size, start)) is not None
    return PackagedFile(path, guess_mime(path, is_text=is_text), size, sha256, is_text, content, start)


def decode_text(content: bytes) -> str | None:
    """Text is what UTF-8 can read and a database can hold; the rest is kept as it is."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def may_be_text(mime: str) -> bool:
    """Return whether `guess_mime` gives this media type to texts."""
    return mime in _TEXT_TYPES


def guess_mime(path: str, *, is_text: bool) -> str:
    """Guess the MIME type by the extension, if the content fits it; it is not trusted when a file is served."""
    suffix = PurePosixPath(path.lower()).suffix
    if is_text:
        return TEXTS.get(suffix, PLAIN)
    guessed, _ = mimetypes.guess_type(path)
    return guessed if guessed and not guessed.startswith("text/") else "application/octet-stream"


__all__ = [
    "MAX_TEXT",
    "Package",
    "PackageRefused",
    "PackagedFile",
    "decode_text",
    "guess_mime",
    "may_be_text",
    "open_package",
]
