"""Which files are taken, and what they truly are: names and declared types are never trusted."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import puremagic

from memories.files.values import FileKind
from tenancy.errors import EmptyList, InvalidFile, UnsupportedFileType

HEAD = 4096
MAX_NAME_BYTES = 255

BY_EXTENSION = {
    ".pdf": FileKind.PDF,
    ".docx": FileKind.DOCX,
    ".doc": FileKind.DOC,
    ".txt": FileKind.TXT,
    ".json": FileKind.JSON,
    ".md": FileKind.MD,
    ".markdown": FileKind.MD,
    ".xml": FileKind.XML,
    ".html": FileKind.HTML,
    ".htm": FileKind.HTML,
    ".csv": FileKind.CSV,
    ".xlsx": FileKind.XLSX,
    ".pptx": FileKind.PPTX,
    ".jpg": FileKind.IMAGE,
    ".jpeg": FileKind.IMAGE,
    ".png": FileKind.IMAGE,
    ".gif": FileKind.IMAGE,
    ".webp": FileKind.IMAGE,
    ".bmp": FileKind.IMAGE,
}
IMAGE_TYPES = {"image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp"}
MEDIA_TYPES = {
    FileKind.PDF: "application/pdf",
    FileKind.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    FileKind.DOC: "application/msword",
    FileKind.TXT: "text/plain",
    FileKind.JSON: "application/json",
    FileKind.MD: "text/markdown",
    FileKind.XML: "application/xml",
    FileKind.HTML: "text/html",
    FileKind.CSV: "text/csv",
    FileKind.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    FileKind.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
TEXTS = {FileKind.TXT, FileKind.JSON, FileKind.MD, FileKind.XML, FileKind.HTML, FileKind.CSV}
# By the folder that their first parts lie in.
PACKED = {b"word/": FileKind.DOCX, b"xl/": FileKind.XLSX, b"ppt/": FileKind.PPTX}
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f/\\\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean_name(name: str) -> str:
    """The last part of a path, without anything that could steer a screen or a file system. For display only."""
    last = _UNSAFE.sub("", name.replace("\\", "/").rstrip("/").rpartition("/")[2]).strip()
    last = last[-MAX_NAME_BYTES:]
    while len(last.encode()) > MAX_NAME_BYTES:
        last = last[1:]  # the end holds the extension
    return "" if last in {".", ".."} else last


def name_in(url: str) -> str:
    """The file that an address ends in; "" for what cannot be an address, which its fetching refuses."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return clean_name(unquote(path, errors="replace"))


def detect_kind_by_name(name: str) -> FileKind | None:
    return BY_EXTENSION.get(PurePosixPath(name.lower()).suffix)


def refuse_name(name: str) -> None:
    """Raises `UnsupportedFileType` for a given name whose extension is not on the list."""
    suffix = PurePosixPath(name.lower()).suffix
    if suffix and suffix not in BY_EXTENSION:
        raise UnsupportedFileType(suffix[:20])


def detect_file_kind(head: bytes, name: str) -> tuple[FileKind, str]:
    """Kind and media type by content; the name decides between kinds of text only.

    Raises `EmptyList` for nothing at all, `UnsupportedFileType` for what is not on the list and `InvalidFile`
    when the content is something else than the name says.
    """
    if not head:
        raise EmptyList("the file is empty", cure="Save the file again and upload it.")
    kind, media_type = _detect_by_content(head, name)
    named = detect_kind_by_name(name)
    if named is not None and named != kind:
        reason = f"the content is {kind.value}, the name says {named.value}"
        raise InvalidFile(reason, cure=_suggest_remedy(named, kind))
    return kind, media_type


def _suggest_remedy(named: FileKind, kind: FileKind) -> str:
    if named == FileKind.IMAGE or kind == FileKind.IMAGE:
        return "Give it the ending of what it is."
    return f"Save it again as .{named.value}, or give it the ending .{kind.value}."


def _detect_by_content(head: bytes, name: str) -> tuple[FileKind, str]:
    if b"%PDF-" in head[:1024]:
        return FileKind.PDF, MEDIA_TYPES[FileKind.PDF]
    if head.startswith(b"PK\x03\x04"):
        return _detect_packed(head, name)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return FileKind.DOC, MEDIA_TYPES[FileKind.DOC]
    if (media_type := _detect_image_type(head)) is not None:
        return FileKind.IMAGE, media_type
    return _detect_text_kind(head, name)


def _detect_packed(head: bytes, name: str) -> tuple[FileKind, str]:
    """Return what a ZIP is, as far as its first parts or its name say so; the child looks inside."""
    named = detect_kind_by_name(name)
    shown = [kind for folder, kind in PACKED.items() if folder in head]
    if shown:
        kind = named if named is not None and named in shown else shown[0]
        return kind, MEDIA_TYPES[kind]
    if b"[Content_Types].xml" in head or b"_rels/" in head:
        kind = named if named is not None and named in PACKED.values() else FileKind.DOCX
        return kind, MEDIA_TYPES[kind]
    if named in PACKED.values():
        cure = "Save it again with its own program, or upload the files in it one by one."
        raise InvalidFile(f"the content is a ZIP archive, the name says {named}", cure=cure)
    raise UnsupportedFileType("ZIP archive", cure="Upload the files in it one by one.")


def _detect_image_type(head: bytes) -> str | None:
    try:
        media_type = str(puremagic.from_string(head, mime=True))
    except (puremagic.PureError, ValueError):
        return None
    media_type = {"image/x-ms-bmp": "image/bmp", "image/x-bmp": "image/bmp"}.get(media_type, media_type)
    return media_type if media_type in IMAGE_TYPES else None


def _detect_text_kind(head: bytes, name: str) -> tuple[FileKind, str]:
    is_wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\x00" in head and not is_wide:
        raise UnsupportedFileType("the content is neither a text nor a supported document or image")
    named = detect_kind_by_name(name)
    kind = named if named in TEXTS else _guess_text(head)
    return kind, MEDIA_TYPES[kind]


def _guess_text(head: bytes) -> FileKind:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        # Under an address without an ending it is mostly a sign-in or error page instead of the file.
        raise UnsupportedFileType(
            "a web page", cure="Save the page as .html and upload it, or name the file .html."
        )
    if start.startswith((b"{", b"[")):
        return FileKind.JSON
    return FileKind.XML if start.startswith(b"<?xml") else FileKind.TXT
