"""Real files, made by code: small ones to be read, and hostile ones."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Sequence

import docx
from pypdf import PdfWriter

Line = tuple[int, str]


def pdf(pages: Sequence[Sequence[Line]]) -> bytes:
    """Each page is lines of a letter size and a text."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>"
        % (len(pages), b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = b" ".join(b"/F1 %d Tf (%s) Tj T*" % (size, text.encode()) for size, text in lines)
        drawn = b"BT 50 750 Td 24 TL " + shown + b" ET"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
    return _with_table(objects)


def _with_table(objects: list[bytes]) -> bytes:
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number + 1, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    end = b"trailer << /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF" % (count, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (count, table, end)


def locked_pdf() -> bytes:
    writer = PdfWriter(clone_from=io.BytesIO(pdf([[(11, "A secret.")]])))
    writer.encrypt("password")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx_file(*paragraphs: str, heading: str = "", rows: Sequence[Sequence[str]] = ()) -> bytes:
    document = docx.Document()
    if heading:
        document.add_heading(heading, 1)
    for text in paragraphs:
        document.add_paragraph(text)
    if rows:
        table = document.add_table(len(rows), len(rows[0]))
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def archive(**parts: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return out.getvalue()


def docx_with(document: bytes) -> bytes:
    return archive(**{"[Content_Types].xml": b"<Types/>", "word/document.xml": document})


def png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """Grey; its pixels are there only while they are few."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x80" * width) * height) if width * height < 10_000 else b""
    parts = [(b"IHDR", head), *chunks, (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in parts
    )


def jpeg(width: int, height: int, taken: str = "", place: bytes = b"") -> bytes:
    """Without a picture in it: a head as cameras write it, with a date and a place."""
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00"
    exif = _exif(taken) + place if taken else b""
    parts = [(0xE1, b"Exif\0\0" + exif)] if exif else []
    parts.append((0xC0, frame))
    written = b"".join(bytes([0xFF, mark]) + struct.pack(">H", len(part) + 2) + part for mark, part in parts)
    return b"\xff\xd8" + written + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x00\xff\xd9"


def _exif(taken: str) -> bytes:
    entry = struct.pack("<HHII", 0x0132, 2, 20, 26)
    return (
        b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", 1) + entry + b"\0\0\0\0" + taken.encode() + b"\0"
    )


def docx_with_ballast(content: bytes, size: int) -> bytes:
    """The same document, with a picture in it that does not pack."""
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as packed:
        packed.writestr("word/media/image1.bin", os.urandom(size))
    return out.getvalue()


def gzip_bomb(megabytes: int) -> bytes:
    packed = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    block = b"0" * 1024 * 1024
    return b"".join(packed.compress(block) for _ in range(megabytes)) + packed.flush()
