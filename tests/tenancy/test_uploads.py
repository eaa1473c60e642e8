"""Bodies with files in them: whatever their form and however they arrive, they are read as the JSON they are."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest

from tenancy.api import uploads
from tenancy.api.body import MAX_BODY
from tenancy.api.uploads import FilesJSONParser, LongText
from tenancy.errors import FilesTooLarge, FileTooLarge, InvalidParameters, TooManyTokens


class Parser(FilesJSONParser):
    places = frozenset({("files", "*", "content"), ("file", "content")})


def read(body: bytes) -> dict[str, Any]:
    return Parser().parse(io.BytesIO(body))


def whole(value: Any) -> Any:
    """With every file written out again."""
    if isinstance(value, LongText):
        halves = "".join(value.pieces(5)).encode("utf-16", "surrogatepass")
        return halves.decode("utf-16")
    if isinstance(value, dict):
        return {name: whole(member) for name, member in value.items()}
    return [whole(member) for member in value] if isinstance(value, list) else value


def some_text(chance: random.Random, longest: int) -> str:
    return "".join(chance.choices('ab/+\\"\n{}[]:, content é中😀', k=chance.randrange(1, longest)))


def test_any_body_is_read_as_json_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(11)
    for _ in range(300):
        monkeypatch.setattr(uploads, "BLOCK", chance.randrange(1, 60))
        body = {
            "user": some_text(chance, 50),
            "files": [
                {"content": some_text(chance, 200), "name": some_text(chance, 20)}
                for _ in range(chance.randrange(3))
            ],
            "info": {"number": 4.5, "list": [1, None, some_text(chance, 80)]},
        }
        written = json.dumps(body, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 2]))
        written = written.replace("/", "\\/") if chance.random() < 0.3 else written

        assert whole(read(written.encode())) == body


def test_a_file_is_set_aside_and_an_address_is_not() -> None:
    body = {
        "files": [
            {"content": "x" * 300_000},
            {"content": "https://example.org/a.pdf"},
            {"content": "c21hbGw="},
        ]
    }

    large, address, small = (member["content"] for member in read(json.dumps(body).encode())["files"])

    assert isinstance(large, LongText)
    assert large.length == 300_000
    assert address == "https://example.org/a.pdf"
    assert isinstance(small, LongText)
    assert "xxx" not in str(large)


def test_equal_files_have_equal_digests_and_others_do_not() -> None:
    def digest(content: str) -> str:
        return str(read(json.dumps({"file": {"content": content}}).encode())["file"]["content"])

    assert digest("a" * 400_000) == digest("a" * 400_000)
    assert digest("a" * 400_000) != digest("a" * 399_999 + "b")


@pytest.mark.parametrize(
    "body",
    [
        b'{"file": {"content": "' + b"x" * 300_000,
        b'{"file": {"content": "' + b"x" * 300_000 + b'"',
        b'{"file": {"content": "' + b"x" * 300_000 + b'"} trailing',
        b'{"file": {"content": "' + b"x" * 300_000 + b"\\",
        b"[" * 300_000,
        b'{"a": "\xff"}',
    ],
)
def test_a_body_that_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidParameters):
        read(body)


def test_a_broken_escape_in_a_file_is_refused_when_it_is_read() -> None:
    body = b'{"file": {"content": "' + b"x" * 300_000 + b"\\q" + b'"}}'

    with pytest.raises(InvalidParameters):
        list(read(body)["file"]["content"].pieces())


def test_a_file_in_any_other_place_is_too_much() -> None:
    with pytest.raises(TooManyTokens):
        read(json.dumps({"info": {"content": "x" * 300_000}}).encode())


def test_a_body_without_files_is_as_limited_as_ever() -> None:
    with pytest.raises(TooManyTokens):
        read(json.dumps({"info": "x" * (MAX_BODY + 1)}).encode())


def test_a_file_is_too_large_before_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_FILE", 1_000_000)
    stream = io.BytesIO(b'{"file": {"content": "' + b"x" * 9_000_000)

    with pytest.raises(FileTooLarge):
        Parser().parse(stream)
    assert stream.tell() < 3_000_000


def test_files_are_too_large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_FILES_TOTAL", 1_000_000)
    files = [{"content": "x" * 400_000}] * 5

    with pytest.raises(FilesTooLarge):
        read(json.dumps({"files": files}).encode())
