"""Files are read by a process of their own, which may take only so much of anything and reach nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from memories.files.values import FileKind
from tenancy.errors import FileTooLarge, InvalidFile
from tests.support.documents import small_files
from tests.support.documents.parsing import child_that, child_that_tries, parsed


def test_a_reader_that_takes_too_long_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child_that(tmp_path, monkeypatch, "import time; time.sleep(60)")
    began = time.monotonic()

    with pytest.raises(InvalidFile, match="takes too long"):
        parsed(FileKind.TXT, b"x", seconds=0.5)

    assert time.monotonic() - began < 30
    assert not [
        process for process in psutil.Process().children() if str(tmp_path) in " ".join(process.cmdline())
    ]


@pytest.mark.parametrize(
    "does",
    [
        "bytearray(3 * 1024 ** 3)",
        "import os; os.kill(os.getpid(), 9)",
        "raise ValueError('user words')",
        "import os; os._exit(0)",
        "sys.stdout.write('no json'); sys.stdout.flush(); os._exit(0)",
        'sys.stdout.write(\'{"pages": "x"}\'); sys.stdout.flush(); os._exit(0)',
        "sys.stdout.write('[1]'); sys.stdout.flush(); os._exit(0)",
    ],
)
def test_a_reader_that_ends_badly_is_a_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str
) -> None:
    child_that(tmp_path, monkeypatch, does)

    with pytest.raises(InvalidFile) as refusal:
        parsed(FileKind.TXT, b"x")
    assert "user words" not in str(refusal.value)


def test_a_reader_that_says_too_much_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child_that(tmp_path, monkeypatch, "\n        while True: sys.stdout.buffer.write(b'x' * 100_000)")

    with pytest.raises(FileTooLarge):
        parsed(FileKind.TXT, b"x")


FORBIDDEN = {
    "a connection": "import socket; socket.create_connection(('127.0.0.1', 1))",
    "a look-up": "import socket; socket.getaddrinfo('example.org', 80)",
    "a program": "import subprocess; subprocess.run(['/bin/true'])",
    "a command": "os.system('true')",
    "a process": "os.fork()",
    "a file": "open('/tmp/engram-was-here', 'w')",
}


def test_a_reader_reaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child_that_tries(tmp_path, monkeypatch, FORBIDDEN, refusal="PermissionError")

    with pytest.raises(InvalidFile) as refusal:
        parsed(FileKind.TXT, b"x")
    assert refusal.value.detail == "not refused: nothing"
    assert not Path("/tmp/engram-was-here").exists()


def test_a_reader_knows_nothing_of_the_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the worker, and so no credential."""
    code = "from memories.files.values import Unreadable; raise Unreadable(','.join(sorted(os.environ)) or 'nothing')"
    child_that(tmp_path, monkeypatch, code)

    with pytest.raises(InvalidFile) as refusal:
        parsed(FileKind.TXT, b"x")
    assert not {"SECRET_KEY", "DATABASE_URL", "PATH"} & set(refusal.value.detail.split(","))


@pytest.fixture(scope="module")
def loaded_by_child() -> set[str]:
    script = (
        "import sys; sys.path.insert(0, '.');"
        "import memories.files.chunking, memories.files.readers.reader_choice, memories.files.values;"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_child_loads_no_database_and_no_web(loaded_by_child: set[str]) -> None:
    assert not {"django", "psycopg", "redis", "celery"} & loaded_by_child


def test_an_image_tells_when_it_was_taken_and_where_its_private_parts_lie() -> None:
    content = small_files.jpeg(640, 480, "2024:05:17 10:00:00", b"GPSLatitude 48.8584")

    facts = parsed(FileKind.IMAGE, content).facts

    assert (facts["width"], facts["height"], facts["taken"]) == (640, 480, "2024-05-17T10:00:00")
    [(start, end)] = facts["private"]
    assert b"GPSLatitude" in content[start:end]


def test_texts_in_a_png_are_private() -> None:
    content = small_files.png(20, 10, (b"tEXt", b"Author\0Kim"))

    facts = parsed(FileKind.IMAGE, content).facts

    assert (facts["width"], facts["height"]) == (20, 10)
    [(start, end)] = facts["private"]
    assert content[:start] + content[end:] == small_files.png(20, 10)


@pytest.mark.parametrize(
    "head", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe1\x00", b"GIF89a", b"BM", b"RIFF1234WEBPVP8X"]
)
def test_the_head_of_an_image_alone_is_no_image(head: bytes) -> None:
    with pytest.raises(InvalidFile):
        parsed(FileKind.IMAGE, head)


BEGINNINGS = {
    FileKind.PDF: b"%PDF-1.7\n",
    FileKind.DOCX: b"PK\x03\x04",
    FileKind.XLSX: b"PK\x03\x04",
    FileKind.PPTX: b"PK\x03\x04",
    FileKind.DOC: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    FileKind.IMAGE: b"\xff\xd8\xff\xe0",
    FileKind.XML: b'<?xml version="1.0"?><a>',
    FileKind.JSON: b'{"a": [',
}


@pytest.mark.parametrize("kind", list(FileKind))
def test_noise_is_never_more_than_a_refusal(kind: FileKind) -> None:
    for beginning in {b"", BEGINNINGS.get(kind, b"")}:
        try:
            parsed(kind, beginning + os.urandom(2_000))
        except (InvalidFile, FileTooLarge):
            continue


def test_pages_of_a_text_are_counted_by_its_letters() -> None:
    assert parsed(FileKind.TXT, b"word " * 1_000, pages=2).pages == 2
    with pytest.raises(FileTooLarge, match="more than 1 pages"):
        parsed(FileKind.TXT, b"word " * 1_000, pages=1)


def test_a_long_pdf_is_counted_before_it_is_read() -> None:
    with pytest.raises(FileTooLarge, match="more than 3 pages"):
        parsed(FileKind.PDF, small_files.pdf([[(11, "page")]] * 4), pages=3)
