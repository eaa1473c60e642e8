"""A document that is damaged, locked or hostile fails by itself: with a reason and with what its owner can do."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from tempfile import TemporaryFile

import openpyxl
import pytest

from memories.files.file_types import detect_file_kind
from memories.files.parser import parse_file
from memories.files.values import FileKind, Parsed, Purpose
from tenancy.errors import CatalogueError, FileTooLarge, InvalidFile
from tests.support.documents import real_files, small_files

ENTITIES = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "%s">%s]><a>&b9;</a>' % (
    b"lol" * 10,
    b"".join(b'<!ENTITY b%d "%s">' % (n, b"&b%d;" % (n - 1) * 10 if n else b"&b;" * 10) for n in range(10)),
)
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'


def parsed(kind: FileKind, content: bytes, pages: int = 500) -> Parsed:
    with TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        return parse_file(file, kind, pages, Purpose.KNOWLEDGE)


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.writestr(name, part)
    return out.getvalue()


def many_parts() -> bytes:
    out = io.BytesIO(small_files.docx_file("Words."))
    with zipfile.ZipFile(out, "a") as packed:
        for number in range(2_001):
            packed.writestr(f"word/media/{number}.png", b"")
    return out.getvalue()


def sheet() -> bytes:
    return real_files.workbook(Prices=[["Product", "Price"], ["Desk", 5]])


HOSTILE: dict[str, tuple[FileKind, Callable[[], bytes], str, str]] = {
    "encrypted PDF": (FileKind.PDF, small_files.locked_pdf, "encrypted", "without a password"),
    "scanned PDF": (FileKind.PDF, lambda: small_files.pdf([[]]), "only pictures", "OCR"),
    "half a PDF": (FileKind.PDF, lambda: b"%PDF-1.4\n" + b"x" * 500, "not a valid PDF", "save"),
    "macros": (
        FileKind.DOCX,
        lambda: with_part(real_files.policy(), "word/vbaProject.bin", b"x"),
        "macros",
        "without macros",
    ),
    "bomb": (
        FileKind.DOCX,
        lambda: with_part(real_files.policy(), "word/media/a.bin", b"0" * 310 * 1024**2),
        "more than 300 MB",
        "pictures",
    ),
    "bomb of slides": (
        FileKind.PPTX,
        lambda: with_part(real_files.presentation(), "ppt/a.xml", b"0" * 50 * 1024**2),
        "too much text",
        "[Ss]plit",
    ),
    "parts": (FileKind.DOCX, many_parts, "more than 2000 parts", "PDF"),
    "half a DOCX": (FileKind.DOCX, lambda: real_files.policy()[:-400], "not a valid DOCX", "save it again"),
    "half a XLSX": (FileKind.XLSX, lambda: sheet()[:-300], "not a valid XLSX", "save it again"),
    "half a PPTX": (
        FileKind.PPTX,
        lambda: real_files.presentation()[:5_000],
        "not a valid PPTX",
        "save it again",
    ),
    "sheet as text": (FileKind.DOCX, sheet, "a .xlsx inside", "ending .xlsx"),
    "entities in DOCX": (FileKind.DOCX, lambda: small_files.docx_with(ENTITIES), "entities", "Save it again"),
    "billion laughs": (FileKind.XML, lambda: ENTITIES, "entities", "DOCTYPE"),
    "outside": (FileKind.XML, lambda: OUTSIDE, "outside", "DOCTYPE"),
    "deep XML": (FileKind.XML, lambda: b"<a>" * 5_000 + b"</a>" * 5_000, "levels deep", "flatter"),
    "deep JSON": (FileKind.JSON, lambda: b"[" * 10_000 + b"]" * 10_000, "too deep", "flatter"),
    "half a JSON": (FileKind.JSON, lambda: b'{"a": [1, 2', "not valid JSON", "validator"),
    "wide CSV": (FileKind.CSV, lambda: b"a," * 1_000_000, "more than 200 columns", "columns"),
    "binary text": (FileKind.TXT, lambda: b"words\0" * 50, "not a text", "its own ending"),
    "no DOC": (
        FileKind.DOC,
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 5_000,
        "not a valid DOC",
        ".docx",
    ),
    "sheet as DOC": (
        FileKind.DOC,
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le"),
        "an old .xls",
        ".xlsx",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_document_that_cannot_be_read_says_why_and_what_to_do(name: str) -> None:
    kind, make, reason, cure = HOSTILE[name]

    with pytest.raises(InvalidFile, match=reason) as refusal:
        parsed(kind, make())

    assert re.search(cure, refusal.value.cure)
    assert len(refusal.value.detail) < 120


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        (FileKind.PDF, lambda: small_files.pdf([[(11, "page")]] * 501)),
        (FileKind.TXT, lambda: b"word " * 400_000),
        (FileKind.CSV, lambda: b"a,b\n" * 1_000_000),
        (FileKind.XLSX, lambda: real_files.workbook(a=[["word " * 3_000]] * 120)),
    ],
)
def test_more_than_five_hundred_pages_are_too_many(kind: FileKind, make: Callable[[], bytes]) -> None:
    with pytest.raises(FileTooLarge, match="more than 500 pages") as refusal:
        parsed(kind, make())

    assert "Split" in refusal.value.cure


def test_a_sheet_whose_formats_reach_to_the_last_row_is_read_for_what_it_says() -> None:
    book = openpyxl.Workbook()
    book.active.append(["Product", "Price"])
    book.active.append(["Desk", 5])
    book.active.cell(1_048_576, 16_384).value = "far away"
    out = io.BytesIO()
    book.save(out)

    [fragment] = parsed(FileKind.XLSX, out.getvalue()).fragments

    assert fragment.text == "Product: Desk; Price: 5"


@pytest.mark.parametrize(
    ("head", "name", "cure"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "plan.docx",
            "Save it again as .docx, or give it the ending .doc.",
        ),
        (b"PK\x03\x04 word/document.xml", "plan.doc", "Save it again as .doc, or give it the ending .docx."),
        (b"PK\x03\x04 xl/workbook.xml", "plan.pptx", "Save it again as .pptx, or give it the ending .xlsx."),
        (b"", "plan.txt", "Save the file again and upload it."),
        (b"<!doctype html><p>", "", "Save the page as .html"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_told_both(head: bytes, name: str, cure: str) -> None:
    with pytest.raises(CatalogueError) as refusal:
        detect_file_kind(head, name)

    assert cure in refusal.value.cure


@pytest.mark.parametrize(
    ("make", "name", "kind"),
    [
        (sheet, "prices.xlsx", FileKind.XLSX),
        (real_files.presentation, "talk.pptx", FileKind.PPTX),
        (real_files.policy, "policy.docx", FileKind.DOCX),
        (lambda: b"a,b\n1,2\n", "prices.csv", FileKind.CSV),
        (lambda: b"<!doctype html><p>Words", "page.html", FileKind.HTML),
        (lambda: b"<p>Words", "page.HTM", FileKind.HTML),
    ],
)
def test_a_file_is_known_by_its_content_and_name(
    make: Callable[[], bytes], name: str, kind: FileKind
) -> None:
    assert detect_file_kind(make()[:4096], name)[0] == kind


def test_a_word_document_with_a_password_is_no_mystery() -> None:
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 1_000 + "EncryptedPackage".encode("utf-16-le")

    with pytest.raises(InvalidFile, match="encrypted") as refusal:
        parsed(FileKind.DOC, locked)

    assert "without a password" in refusal.value.cure


def test_json_as_it_is_used_is_read_in_records() -> None:
    document = parsed(
        FileKind.JSON, json.dumps([{"name": "Desk", "price": 5}, {"name": "Lamp", "price": 2}]).encode()
    )

    assert document.fragments[0].text == "1.name: Desk; 1.price: 5\n2.name: Lamp; 2.price: 2"
