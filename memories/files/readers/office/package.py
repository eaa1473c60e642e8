"""Office's files since 2007: a ZIP of XML, looked through and made light before a library may open it."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import IO, NamedTuple

from memories.files.values import Unreadable

MAX_PARTS = 2_000
MAX_UNPACKED = 300 * 1024**2
# What is opened as a tree, which takes many times its size in memory.
MAX_TREE = 40 * 1024**2
PIECE = 256 * 1024
# In the encodings that XML may have; nothing that Office writes has them.
_DECLARATIONS = [
    text.encode(code) for text in ("<!DOCTYPE", "<!ENTITY") for code in ("utf-8", "utf-16-le", "utf-16-be")
]
_LONGEST = max(map(len, _DECLARATIONS))
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_CONTENTS = "[Content_Types].xml"
_MAIN = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
_TOO_LARGE = (
    "it unpacks to more than 300 MB",
    "Take out its pictures, or split it into several files.",
)
_TOO_MUCH_TEXT = ("it holds too much text", "Split it into several files.")
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


class Limit(NamedTuple):
    """Largest size of an unpacked part, and the error for a larger one."""

    size: int
    reason: str
    cure: str


def open_package(file: IO[bytes], ending: str) -> IO[bytes]:
    """The same archive with nothing in it but markup; pictures and the like are empty.

    Raises `Unreadable` for whatever is hostile, damaged, locked, with macros, or another kind of file.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            _refuse_wrong(archive, ending)
            return _copy_light_package(archive, ending)
    except _FAULTS:
        cure = f"Open it in its program and save it again as .{ending}."
        raise Unreadable(f"it is not a valid {ending.upper()}, or only a part of one", cure) from None


def _refuse_wrong(archive: zipfile.ZipFile, ending: str) -> None:
    names = [part.filename for part in archive.infolist()]
    if len(names) > MAX_PARTS:
        raise Unreadable(f"it has more than {MAX_PARTS} parts", "Split it, or save it as PDF.")
    if len(set(names)) < len(names):
        raise Unreadable("two of its parts have the same name", f"Save it again as .{ending}.")
    if not {_CONTENTS, _MAIN[ending]} <= set(names):
        inside = next((kind for kind, main in _MAIN.items() if main in names and _CONTENTS in names), "")
        if inside:
            raise Unreadable(f"it is a .{inside} inside", f"Give it the ending .{inside}.")
        raise Unreadable(f"it is a ZIP archive, not a {ending.upper()}", "Upload the files in it one by one.")
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise Unreadable("it holds macros", f"Save it without macros, as .{ending}.")
    if any(part.flag_bits & 1 or part.compress_type not in _METHODS for part in archive.infolist()):
        raise Unreadable("it is encrypted or packed in an unusual way", f"Save it again as .{ending}.")


def _copy_light_package(archive: zipfile.ZipFile, ending: str) -> IO[bytes]:
    """Counts what truly comes out of each part, whatever the archive declares."""
    light = io.BytesIO()
    budget, trees = MAX_UNPACKED, MAX_TREE
    with zipfile.ZipFile(light, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
        for part in archive.infolist():
            is_markup = part.filename.endswith((".xml", ".rels"))
            # Sheets, and the words in them, are read in a stream.
            is_tree = is_markup and ending != "xlsx"
            limit = (
                Limit(trees, *_TOO_MUCH_TEXT) if is_tree and trees < budget else Limit(budget, *_TOO_LARGE)
            )
            size = (
                _copy_part(archive, part, copy, limit)
                if is_markup
                else _skip_part(archive, part, copy, limit)
            )
            budget -= size
            trees -= size if is_tree else 0
    light.seek(0)
    return light


def _copy_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo, copy: zipfile.ZipFile, limit: Limit) -> int:
    size, tail = 0, b""
    with archive.open(part) as content, copy.open(part.filename, "w") as target:
        while piece := content.read(PIECE):
            size += _count_piece(piece, size, limit)
            if any(word in tail + piece for word in _DECLARATIONS):
                raise Unreadable("it declares entities", "Save it again with its own program.")
            if b"macroEnabled" in tail + piece and part.filename == _CONTENTS:
                raise Unreadable("it holds macros", "Save it without macros.")
            target.write(piece)
            tail = piece[-_LONGEST:]
    return size


def _skip_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo, copy: zipfile.ZipFile, limit: Limit) -> int:
    size = 0
    with archive.open(part) as content:
        while piece := content.read(PIECE):
            size += _count_piece(piece, size, limit)
    copy.writestr(part.filename, b"")
    return size


def _count_piece(piece: bytes, size: int, limit: Limit) -> int:
    if size + len(piece) > limit.size:
        raise Unreadable(limit.reason, limit.cure)
    return len(piece)
