"""Forms with files in them: limits hold while the body is read, and a file is only where it was asked for."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tenancy.api.bodies import forms
from tenancy.api.bodies.forms import MultipartForm, is_form, read_form
from tenancy.errors import FilesTooLarge, FileTooLarge, InvalidParameters, TooManyFiles

EDGE = "edge"


def part(name: str, content: bytes, filename: str = "", more: str = "") -> bytes:
    called = f'; filename="{filename}"' if filename else ""
    head = f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"{called}\r\n{more}\r\n'
    return head.encode() + content + b"\r\n"


END = f"--{EDGE}--\r\n".encode()


def read(*parts: bytes, stream: Any = None, end: bytes = END) -> MultipartForm:
    body = b"".join(parts) + end
    meta = {"CONTENT_TYPE": f"multipart/form-data; boundary={EDGE}", "CONTENT_LENGTH": str(len(body))}
    return read_form(meta, stream or io.BytesIO(body), "file")


def test_files_and_fields_are_read() -> None:
    form = read(
        part("type", b"document"),
        part("file", b"one", "政策.md", "Content-Type: text/markdown\r\n"),
        part("file", b"", "../etc/empty.txt"),
        part("other", b"not asked for", "other.txt"),
    )

    assert form.fields == {"type": "document"}
    assert [(file.name, file.media_type, b"".join(file.pieces())) for file in form.files] == [
        ("政策.md", "text/markdown", b"one"),
        ("empty.txt", "", b""),
    ]


def test_a_file_of_any_length_is_read_as_it_is() -> None:
    content = bytes(range(256)) * 10_000

    (file,) = read(part("file", content, "a.bin")).files

    assert (file.size, b"".join(file.pieces())) == (len(content), content)
    assert b"".join(file.pieces()) == content  # as often as wanted
    assert "2560000 bytes" in str(file)


def test_equal_files_are_written_equal_and_others_are_not() -> None:
    first, second, other = read(
        part("file", b"x" * 1000, "a"), part("file", b"x" * 1000, "b"), part("file", b"y" * 1000, "a")
    ).files

    assert str(first) == str(second) != str(other)


def test_a_file_is_too_large_before_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MAX_FILE", 500_000)
    body = part("file", b"small", "small.md") + part("file", b"x" * 9_000_000, "large.md")
    stream = io.BytesIO(body)

    with pytest.raises(FileTooLarge, match=r"file\[1\]: large.md"):
        read(body, stream=stream)
    assert stream.tell() < 1_000_000


def test_files_are_too_large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MAX_FILES_TOTAL", 500_000)
    body = b"".join(part("file", b"x" * 400_000, f"{number}.md") for number in range(10))
    stream = io.BytesIO(body)

    with pytest.raises(FilesTooLarge):
        read(body, stream=stream)
    assert stream.tell() < 1_000_000


def test_files_are_too_many_before_the_last_is_read() -> None:
    body = b"".join(part("file", b"x" * 100_000, f"{number}.md") for number in range(50))
    stream = io.BytesIO(body)

    with pytest.raises(TooManyFiles):
        read(body, stream=stream)
    assert stream.tell() < 2_400_000


@pytest.mark.parametrize("end", [b"", b"--", END[:-4], b"--other--\r\n"])
def test_a_form_that_was_cut_off_is_refused(end: bytes) -> None:
    with pytest.raises(InvalidParameters, match="cut off"):
        read(part("type", b"document"), part("file", b"The limit is 120", "a.md"), end=end)


@pytest.mark.parametrize("end", [END, END.strip(), END + b"what comes after it"])
def test_a_form_ends_where_its_last_line_says(end: bytes) -> None:
    (file,) = read(part("file", b"x" * 65_500, "a.md"), end=end).files

    assert file.size == 65_500


def test_a_field_that_cannot_be_stored_is_refused() -> None:
    with pytest.raises(InvalidParameters, match="NUL"):
        read(part("knowledgebase_id", b"a\0b"))


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("multipart/form-data; boundary=x", True),
        ("Multipart/Form-Data", True),
        ("application/json", False),
        ("", False),
        ("multipart/mixed; boundary=x", False),
    ],
)
def test_a_form_says_that_it_is_one(content_type: str, expected: bool) -> None:
    assert is_form(content_type) is expected


def test_a_boundary_in_an_unknown_character_set_is_refused() -> None:
    meta = {"CONTENT_TYPE": "multipart/form-data; boundary*=bogus''x", "CONTENT_LENGTH": "5"}

    with pytest.raises(InvalidParameters, match="Content-Type"):
        read_form(meta, io.BytesIO(b"--x--"), "file")
