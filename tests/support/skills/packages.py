"""Skill packages as people and their programs make them, honest and hostile."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile

from skills.packages.package import Package, open_package

SKILL_MD = """---
name: Customer Return Processing
description: Guide customer service through returns
---

## Procedure
1. Check the order number
2. Offer pickup first

## Experience
- Fresh food is not taken back

## User Preferences
- Refund to the card that paid

## Examples
### A pair of headphones
User: I want to return them.
"""


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as into:
        for path, content in files.items():
            into.writestr(path, content)
    return archive.getvalue()


def build_package(extra: Mapping[str, str | bytes]) -> bytes:
    return zipped({"SKILL.md": SKILL_MD, **extra})


@contextmanager
def opening(content: bytes, *, is_zip: bool = True, in_folder: bool = False) -> Iterator[Package]:
    with TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        with open_package(file, is_zip=is_zip, in_folder=in_folder) as package:
            yield package


def link(path: str, target: str) -> bytes:
    """An archive with a symbolic link."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as into:
        into.writestr("SKILL.md", SKILL_MD)
        entry = zipfile.ZipInfo(path)
        entry.create_system, entry.external_attr = 3, 0o120777 << 16
        into.writestr(entry, target)
    return archive.getvalue()


def encrypted() -> bytes:
    """An archive whose files say that they are encrypted."""
    content = bytearray(build_package({"a.txt": "secret"}))
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(magic)
        while at >= 0:
            content[at + place] |= 1
            at = content.find(magic, at + 1)
    return bytes(content)


def overlapping(copies: int, size: int) -> bytes:
    """An archive whose directory names the same bytes again and again: small on disk, large when read."""
    base = zipped({"SKILL.md": SKILL_MD, "bomb0": b"\0" * size})
    end = base.rfind(b"PK\x05\x06")
    start, length = struct.unpack_from("<L", base, end + 16)[0], struct.unpack_from("<L", base, end + 12)[0]
    directory = base[start : start + length]
    entry = directory[directory.index(b"PK\x01\x02", 4) :]
    entries = directory + b"".join(entry.replace(b"bomb0", b"bom%02x" % number) for number in range(copies))
    tail = bytearray(base[end:])
    struct.pack_into("<HHL", tail, 8, 2 + copies, 2 + copies, len(entries))
    return base[:start] + entries + bytes(tail)


def lying(size: int, claimed_size: int) -> bytes:
    """An archive that says a file is smaller than it is."""
    content = bytearray(build_package({"big.txt": b"0" * size}))
    true = struct.pack("<L", size)
    at = content.find(true)
    while at >= 0:
        content[at : at + 4] = struct.pack("<L", claimed_size)
        at = content.find(true, at + 4)
    return bytes(content)


def twice(path: str) -> bytes:
    """An archive with two files of one name; Python's own writer warns of it."""
    content = build_package({path: "a", path[:-1] + "?": "b"})
    return content.replace((path[:-1] + "?").encode(), path.encode())
