"""How long reading and cutting a document takes, and how much memory the child process that does it holds at most.

python -m benchmarks.work.parsing [--pages 100] [--longest 500]
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile

import docx
import openpyxl
from reportlab.pdfgen import canvas

from benchmarks.support.report import Promise, Report, Table, machine

CHILD = Path(__file__).parents[2] / "memories/files/sandbox/child.py"
SECONDS, MEGABYTES = 30.0, 512.0
# The page limit of documents, which those that are read must not be stopped by.
PAGES = 500
WORDS = (
    "policy vendor licence annual cost department approval director security request limit quarter software"
    " hardware contract travel hotel meal expense office remote"
).split()
# Starts the child and says what it took: only a process whose one child it was knows that child's memory.
WATCH = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-I", *sys.argv[1:]], stdin=sys.stdin, stdout=subprocess.PIPE, env={})
used = resource.getrusage(resource.RUSAGE_CHILDREN)
lines = done.stdout.splitlines()
print(json.dumps([len(lines) - 1, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, json.loads(lines[-1])]))
"""


def run_measurement(pages: int, longest: int) -> Report:
    report = Report("parsing", circumstances=machine() | {"pages": pages, "longest": longest})
    chance = random.Random(1)
    documents: dict[str, tuple[str, Callable[[], bytes]]] = {
        f"PDF of {pages} pages": ("pdf", lambda: _pdf(pages, chance)),
        f"PDF of {longest} pages": ("pdf", lambda: _pdf(longest, chance)),
        "DOCX, as long as may be": ("docx", lambda: _docx(longest * 18, chance)),
        "DOCX with 90 MB of pictures": ("docx", lambda: _with_picture(_docx(100, chance), 90, chance)),
        "XLSX, as long as may be": ("xlsx", lambda: _xlsx(longest * 24, chance)),
        "TXT, as long as may be": ("txt", lambda: (_sentence(chance, 40) + "\n\n").encode() * longest * 9),
    }
    rows = [[name, *_read(kind, make())] for name, (kind, make) in documents.items()]
    columns = ["", "seconds", "CPU s", "MB at most", "fragments"]
    report.tables = [Table("reading and cutting, in a child process", columns, [list(row) for row in rows])]
    report.promises = [
        Promise(
            f"seconds for {pages} pages, of the {SECONDS:.0f} until they can be found", rows[0][1], SECONDS
        ),
        Promise("MB of the child at most", max(row[3] for row in rows), MEGABYTES),
    ]
    return report


def _read(kind: str, content: bytes) -> tuple[float, float, float, int]:
    with TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        began = time.perf_counter()
        command = [sys.executable, "-c", WATCH, str(CHILD), kind, str(PAGES), "knowledge"]
        output = subprocess.run(command, stdin=file, capture_output=True, check=True, text=True).stdout
        seconds = time.perf_counter() - began
    fragments, megabytes, busy, end = json.loads(output)
    if "failure" in end:
        raise RuntimeError(f"a {kind} was not read: {end['reason']}")
    return round(seconds, 2), round(busy, 2), round(megabytes, 1), fragments


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def _pdf(pages: int, chance: random.Random) -> bytes:
    out = io.BytesIO()
    drawn = canvas.Canvas(out)
    for _ in range(pages):
        text = drawn.beginText(50, 790)
        text.setFont("Helvetica", 10)
        for _ in range(45):
            text.textLine(_sentence(chance, 9)[:70])
        drawn.drawText(text)
        drawn.showPage()
    drawn.save()
    return out.getvalue()


def _docx(paragraphs: int, chance: random.Random) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    for _ in range(paragraphs):
        document.add_paragraph(_sentence(chance, 20)[:160])
    document.save(out)
    return out.getvalue()


def _with_picture(content: bytes, megabytes: int, chance: random.Random) -> bytes:
    out = io.BytesIO(content)
    with zipfile.ZipFile(out, "a") as packed:
        packed.writestr("word/media/picture.bin", chance.randbytes(1024**2) * megabytes)
    return out.getvalue()


def _xlsx(rows: int, chance: random.Random) -> bytes:
    book, out = openpyxl.Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet("Rows")
    sheet.append([f"column {number}" for number in range(8)])
    for number in range(rows):
        sheet.append([number, *chance.choices(WORDS, k=7)])
    book.save(out)
    return out.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--longest", type=int, default=480)
    asked = parser.parse_args()
    run_measurement(asked.pages, asked.longest).publish()


if __name__ == "__main__":
    main()
