"""Real documents, written by the programs and libraries that people write them with."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import docx
import openpyxl
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

Rows = Sequence[Sequence[str]]
STYLES = getSampleStyleSheet()
CHINESE_FONT = "STSong-Light"


def pdf(*parts: str | Rows, header: str = "") -> bytes:
    """Parts are paragraphs, "# titles", or tables; with a header each page has it, and its number below."""
    out = io.BytesIO()
    pdfmetrics.registerFont(UnicodeCIDFont(CHINESE_FONT))
    flow = [Table(part) if not isinstance(part, str) else _flowing(part) for part in parts]

    def decorate(canvas: Any, document: Any) -> None:
        if header:
            canvas.drawString(72, 810, header)
            canvas.drawRightString(520, 40, f"Page {document.page} of 12")

    SimpleDocTemplate(out, pagesize=A4).build(flow, onFirstPage=decorate, onLaterPages=decorate)
    return out.getvalue()


def _flowing(text: str) -> Paragraph:
    hashes = len(text) - len(text.lstrip("#"))
    words = text.lstrip("# ")
    if hashes:
        return Paragraph(words, STYLES[f"Heading{hashes}"])
    if words.isascii():
        return Paragraph(words, STYLES["BodyText"])
    style = ParagraphStyle("chinese", fontName=CHINESE_FONT, fontSize=10, leading=15, wordWrap="CJK")
    return Paragraph(words, style)


def policy() -> bytes:
    """A DOCX with headings, a list and a table."""
    document = docx.Document()
    document.add_heading("Travel policy", 1)
    document.add_paragraph("Hotels are booked by the office. The limits are:")
    for item in ("Germany 120 euros a night", "France 150 euros a night"):
        document.add_paragraph(item, style="List Bullet")
    document.add_heading("Meals", 2)
    rows = [("Country", "Lunch", "Dinner"), ("Germany", "20", "35"), ("France", "25", "45")]
    table = document.add_table(3, 3)
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.add_paragraph("Receipts are kept for three years.")
    return _saved(document)


def workbook(**sheets: Sequence[Sequence[Any]]) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return _saved(book)


def presentation() -> bytes:
    """A slide with a list and notes, and one with a table."""
    shown = Presentation()
    first = shown.slides.add_slide(shown.slide_layouts[1])
    first.shapes.title.text = "Results of the year"
    first.placeholders[1].text = "Revenue grew by nine per cent\nCosts fell"
    first.notes_slide.notes_text_frame.text = "Mention the new office in Porto."
    second = shown.slides.add_slide(shown.slide_layouts[5])
    second.shapes.title.text = "Team"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, texts in enumerate((("Name", "Task"), ("Kim", "Budget"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    return _saved(shown)


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@cache
def converted(content: bytes, ending: str, source: str = "docx") -> bytes:
    """The same document as a word processor saves it in another format."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"document.{source}"
        path.write_bytes(content)
        home = f"-env:UserInstallation=file://{folder}/profile"
        subprocess.run(
            ["soffice", home, "--headless", "--convert-to", ending, "--outdir", folder, str(path)],
            check=True,
            capture_output=True,
            timeout=180,
        )
        return path.with_suffix(f".{ending}").read_bytes()
