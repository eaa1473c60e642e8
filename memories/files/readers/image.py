"""The facts in an image's head: size and the day it was taken. No pixel is ever decoded.

Where it was taken, and by which camera, is read by nobody; the offsets of such data are reported, to be left out.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import IO, Any

from memories.files.readers.document import Document
from memories.files.values import Unreadable

MAX_PIXELS = 50_000_000
# What the parts before the picture may take; the parts of a PNG or WebP may follow it.
MAX_HEAD = 2 * 1024 * 1024
MAX_PARTS = 10_000
_DAMAGED = "Open the image and save it again as PNG or JPEG."
_PNG_PRIVATE = {b"eXIf", b"tEXt", b"zTXt", b"iTXt"}
_WEBP_PRIVATE = {b"EXIF", b"XMP "}
# JFIF and Adobe's colours are needed to show a JPEG.
_JPEG_PRIVATE = (set(range(0xE1, 0xF0)) - {0xEE}) | {0xFE}
_FRAMES = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = {0x01, *range(0xD0, 0xD8)}
_TAKEN, _CHANGED, _EXIF = 0x9003, 0x0132, 0x8769
_DATE = re.compile(rb"(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)")


def read(file: IO[bytes], pages: int) -> Document:
    content = file.read()
    head = content[:MAX_HEAD]
    try:
        width, height = _read_size(head)
        taken = _read_date_taken(head)
        private = list(_iterate_private_parts(content))
    except (struct.error, IndexError):
        raise Unreadable("the image is broken", _DAMAGED) from None
    if width < 1 or height < 1:
        raise Unreadable("the image is broken", _DAMAGED)
    if width * height > MAX_PIXELS:
        raise Unreadable("it has more than 50 megapixels", "Make the image smaller.")
    facts: dict[str, Any] = {"width": width, "height": height, "private": private}
    facts |= {"taken": taken} if taken else {}
    return Document([], 1, facts)


def _read_size(head: bytes) -> tuple[int, int]:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack(">II", head[16:24])
    if head.startswith(b"GIF8"):
        return struct.unpack("<HH", head[6:10])
    if head.startswith(b"BM"):
        width, height = struct.unpack("<ii", head[18:26])
        return abs(width), abs(height)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _read_webp_size(head)
    if head.startswith(b"\xff\xd8"):
        return _read_jpeg_size(head)
    raise Unreadable("the image is of no known kind", _DAMAGED)


def _read_webp_size(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if len(head) < 30:
        raise Unreadable("the image is broken", _DAMAGED)
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if kind == b"VP8L":
        bits = struct.unpack("<I", head[21:25])[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _read_jpeg_size(head: bytes) -> tuple[int, int]:
    for marker, start, _ in _list_segments(head):
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", head[start + 1 : start + 5])
            return width, height
    raise Unreadable("the image is broken", _DAMAGED)


def _list_segments(head: bytes) -> list[tuple[int, int, int]]:
    """Marker, start and end of each segment before the picture itself."""
    segments, place = [], 2
    while place + 4 <= len(head) and head[place] == 0xFF:
        marker = head[place + 1]
        if marker == 0xFF or marker in _BARE:
            place += 1 if marker == 0xFF else 2
            continue
        if marker == 0xDA:
            break
        length = struct.unpack(">H", head[place + 2 : place + 4])[0]
        segments.append((marker, place + 4, place + 2 + length))
        place += 2 + length
    return segments


def _iterate_private_parts(content: bytes) -> Iterator[tuple[int, int]]:
    """Return where the parts lie that hold more than the picture."""
    if content.startswith(b"\xff\xd8"):
        segments = _list_segments(content[:MAX_HEAD])
        yield from ((start - 4, end) for marker, start, end in segments if marker in _JPEG_PRIVATE)
    elif content.startswith(b"\x89PNG"):
        yield from (
            (start - 8, end + 4)
            for name, start, end in _iterate_chunks(content, 8, ">")
            if name in _PNG_PRIVATE
        )
    elif content.startswith(b"RIFF"):
        yield from (
            (start, end) for name, start, end in _iterate_chunks(content, 12, "<") if name in _WEBP_PRIVATE
        )


def _iterate_chunks(content: bytes, place: int, order: str) -> Iterator[tuple[bytes, int, int]]:
    """Name, start and end of each part. A PNG has length, name and a checksum; a WebP name, length and even ends."""
    for _ in range(MAX_PARTS):
        if place + 8 > len(content):
            return
        first, second = content[place : place + 4], content[place + 4 : place + 8]
        name, length = (second, first) if order == ">" else (first, second)
        size = struct.unpack(order + "I", length)[0]
        yield name, place + 8, min(place + 8 + size, len(content))
        place += 8 + size + (4 if order == ">" else size % 2)


def _read_date_taken(head: bytes) -> str:
    """The date in the EXIF part, as ISO 8601 without a zone: cameras know none."""
    exif = _find_exif(head)
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None:
        return ""
    first = _read_entries(exif, order, struct.unpack(order + "I", exif[4:8])[0])
    inner = _read_entries(exif, order, first[_EXIF]) if _EXIF in first else {}
    for entries, tag in ((inner, _TAKEN), (first, _CHANGED)):
        if tag in entries and (match := _DATE.match(exif[entries[tag] : entries[tag] + 19])):
            year, month, day, time = (part.decode() for part in match.groups())
            return f"{year}-{month}-{day}T{time}" if "01" <= month <= "12" and "01" <= day <= "31" else ""
    return ""


def _find_exif(head: bytes) -> bytes:
    if head.startswith(b"\xff\xd8"):
        for marker, start, end in _list_segments(head):
            if marker == 0xE1 and head[start : start + 6] == b"Exif\0\0":
                return head[start + 6 : end]
    if head.startswith(b"\x89PNG") and (place := head.find(b"eXIf")) > 0:
        return head[place + 4 : place + 4 + struct.unpack(">I", head[place - 4 : place])[0]]
    return b""


def _read_entries(exif: bytes, order: str, start: int) -> dict[int, int]:
    """Tag and value of one directory. A cyclic or endless one ends with the part."""
    count = struct.unpack(order + "H", exif[start : start + 2])[0]
    entries = {}
    for number in range(min(count, 200)):
        place = start + 2 + 12 * number
        tag, _, _, value = struct.unpack(order + "HHII", exif[place : place + 12])
        entries[tag] = value
    return entries
