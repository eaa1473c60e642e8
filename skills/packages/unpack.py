"""Unpack a skill package from an untrusted sender under strict rules.

Every size is counted while inflating, never read off a header. Each refusal names its rule and the path at which it
was broken. Imports no Django, for the child process does this work.
"""

from __future__ import annotations

import hashlib
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from skills.packages.limits import (
    MAX_FILE,
    MAX_FILES,
    MAX_LEVELS,
    MAX_PATH,
    MAX_SKILL_MD,
    MAX_TOTAL,
    MAX_ZIP,
    MB,
)

# A directory of so many bytes lists ten times as many files as a package may have.
MAX_DIRECTORY = MB
PIECE = 64 * 1024
SKILL_MD = "skill.md"

_END = struct.Struct("<4s4H2LH")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 65_535
_ENCRYPTED, _DESCRIPTOR = 0x1, 0x8
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_SYSTEM = re.compile(r"(?:^|/)(?:__MACOSX/|\._|\.DS_Store$)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_DRIVE = re.compile(r"^[A-Za-z]:")


class Refused(Exception):
    """A rule that the package breaks, and the path where; `is_too_large` sets limits apart from bad form."""

    def __init__(self, rule: str, path: str = "", *, is_too_large: bool = False) -> None:
        self.rule, self.path, self.is_too_large = rule, path, is_too_large
        super().__init__(rule)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A file of the package and where its bytes lie in what was written."""

    path: str
    start: int
    size: int
    sha256: str


def unpack(file: IO[bytes], out: IO[bytes], *, in_folder: bool) -> list[Unpacked]:
    """Writes the files one after the other. `in_folder`: a single folder around everything is cut off.

    Raises `Refused`; what was written until then is to be deleted.
    """
    _require_plain_zip(file)
    try:
        with zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if not _is_dropped(info)]
            _require_count(infos)
            _require_apart(file, archive, archive.infolist())
            paths = _map_paths(infos, in_folder=in_folder)
            return list(_inflate_files(archive, infos, paths, out))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeError, struct.error):
        raise Refused("the ZIP archive is damaged") from None


def _require_plain_zip(file: IO[bytes]) -> None:
    """One archive from the first byte to the last, before anything lists its contents."""
    size = file.seek(0, 2)
    if size > MAX_ZIP:
        raise Refused(f"a package has at most {MAX_ZIP // MB} MB", is_too_large=True)
    file.seek(0)
    head = file.read(8)
    if head.startswith((b"Rar!", b"7z\xbc\xaf\x27\x1c")):
        raise Refused("a package is a standard ZIP archive, not RAR or 7z")
    if not head.startswith(b"PK\x03\x04"):
        raise Refused("a package is a standard ZIP archive and begins with its first file")
    file.seek(max(0, size - _END.size - _LONGEST_COMMENT))
    tail = file.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) - place < _END.size:
        raise Refused("the ZIP archive is damaged")
    _, disk, first_disk, here, count, length, offset, comment = _END.unpack_from(tail, place)
    end = size - len(tail) + place
    if (
        disk
        or first_disk
        or here != count
        or offset + length != end
        or place + _END.size + comment != len(tail)
    ):
        raise Refused("the ZIP archive has parts that do not fit together")
    if length > MAX_DIRECTORY:
        raise Refused(f"a package has at most {MAX_FILES} files", is_too_large=True)


def _is_dropped(info: zipfile.ZipInfo) -> bool:
    """Folders, and what operating systems put beside the files."""
    return (info.is_dir() and info.file_size == 0) or _SYSTEM.search(info.filename) is not None


def _require_count(infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MAX_FILES:
        raise Refused(f"a package has at most {MAX_FILES} files", is_too_large=True)
    if not infos:
        raise Refused("the package is empty")


def _require_apart(file: IO[bytes], archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> None:
    """Each file has bytes of its own, and says of itself what the directory says: else 25 KB can be 1.6 GB."""
    at = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < at:
            raise Refused("two files of the ZIP archive share their bytes", info.filename)
        file.seek(info.header_offset)
        header = _LOCAL.unpack(file.read(_LOCAL.size))
        magic, _, flags, method, _, _, crc, packed, unpacked, name_length, extra_length = header
        name = file.read(name_length)
        if magic != b"PK\x03\x04" or flags != info.flag_bits or method != info.compress_type:
            raise Refused("a file of the ZIP archive contradicts its directory", info.filename)
        if name.decode("utf-8" if flags & 0x800 else "cp437") != info.orig_filename:
            raise Refused("a file of the ZIP archive contradicts its directory", info.filename)
        header, listed = (crc, packed, unpacked), (info.CRC, info.compress_size, info.file_size)
        if header != listed and not (flags & _DESCRIPTOR and header in {(0, 0, 0), listed}):
            raise Refused("a file of the ZIP archive contradicts its directory", info.filename)
        at = info.header_offset + _LOCAL.size + name_length + extra_length + info.compress_size
    if at > archive.start_dir:
        raise Refused("two files of the ZIP archive share their bytes")


def _map_paths(infos: list[zipfile.ZipInfo], *, in_folder: bool) -> dict[str, str]:
    """The path of each file inside the skill, by its name in the archive. Raises `Refused` for an unsafe one."""
    for info in infos:
        _require_safe(info)
    names = [info.filename for info in infos]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise Refused("two files have the same path", twice)
    folders = {name.partition("/")[0] for name in names}
    cut = in_folder and len(folders) == 1 and all("/" in name for name in names)
    paths = {name: name.partition("/")[2] if cut else name for name in names}
    seen: dict[str, str] = {}
    for name, path in paths.items():
        folded = unicodedata.normalize("NFC", path).casefold()
        if folded in seen:
            raise Refused("two files have the same path", name)
        seen[folded] = name
    for folded, name in seen.items():
        for parent in PurePosixPath(folded).parents:
            if str(parent) in seen:
                raise Refused("a path is a file and a folder at once", name)
    if SKILL_MD not in seen:
        where = "SKILL.md stands at the first level of the archive"
        raise Refused(where, next((name for name in names if name.lower().endswith("/" + SKILL_MD)), ""))
    return paths


def _require_safe(info: zipfile.ZipInfo) -> None:
    name, shown = info.filename, _CONTROL.sub("?", info.filename)[:MAX_PATH]
    # `filename` ends at a NUL and has the machine's own separators replaced; the stored name is the one that counts.
    if name != info.orig_filename or _CONTROL.search(info.orig_filename):
        raise Refused("paths have no control characters", shown)
    if "\\" in name:
        raise Refused("paths have no backslashes", shown)
    if name.startswith("/") or _DRIVE.match(name):
        raise Refused("paths are relative", shown)
    parts = name.split("/")
    if ".." in parts:
        raise Refused("this path may point outside of the package: leave out `..` and zip it again", shown)
    if "" in parts or "." in parts:
        raise Refused("paths have no empty parts and no `.`", shown)
    if len(name.encode()) > MAX_PATH or len(parts) > MAX_LEVELS:
        raise Refused(f"paths have at most {MAX_PATH} bytes and {MAX_LEVELS} levels", shown)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        raise Refused("links and devices are not taken", shown)
    if info.flag_bits & _ENCRYPTED:
        raise Refused("encrypted files are not taken", shown)
    if info.compress_type not in _METHODS:
        raise Refused("files are stored or deflated, not packed otherwise", shown)


def _inflate_files(
    archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], paths: dict[str, str], out: IO[bytes]
) -> Iterator[Unpacked]:
    total = 0
    for info in infos:
        path, size, digest = paths[info.filename], 0, hashlib.sha256()
        most = MAX_SKILL_MD if path.lower() == SKILL_MD else MAX_FILE
        with archive.open(info) as content:
            while piece := content.read(PIECE):
                size += len(piece)
                if size > most:
                    raise Refused(_describe_limit(most, path), path, is_too_large=True)
                if total + size > MAX_TOTAL:
                    raise Refused(
                        f"the files have at most {MAX_TOTAL // MB} MB together", path, is_too_large=True
                    )
                digest.update(piece)
                out.write(piece)
        yield Unpacked(path, total, size, digest.hexdigest())
        total += size


def _describe_limit(most: int, path: str) -> str:
    if path.lower() == SKILL_MD:
        return f"SKILL.md has at most {most // 1024} KB"
    return f"a file has at most {most // MB} MB"


def unpack_single(file: IO[bytes], out: IO[bytes]) -> Unpacked:
    """A package that is its SKILL.md and nothing else."""
    content = file.read(MAX_SKILL_MD + 1)
    if len(content) > MAX_SKILL_MD:
        raise Refused(_describe_limit(MAX_SKILL_MD, SKILL_MD), is_too_large=True)
    if not content.strip():
        raise Refused("SKILL.md is not empty")
    out.write(content)
    return Unpacked("SKILL.md", 0, len(content), hashlib.sha256(content).hexdigest())
