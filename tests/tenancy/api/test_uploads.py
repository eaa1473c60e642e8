"""Bodies with files in them: whatever their form and however they arrive, they are read as the JSON they are."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest

from tenancy.api.bodies import files_in_json
from tenancy.api.bodies.body_limit import MAX_BODY
from tenancy.api.bodies.files_in_json import FilesJSONParser, LongText
from tenancy.errors import FilesTooLarge, FileTooLarge, InvalidParameters, TooManyFiles, TooManyTokens


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
        monkeypatch.setattr(files_in_json, "BLOCK", chance.randrange(1, 60))
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
    monkeypatch.setattr(files_in_json, "MAX_FILE", 1_000_000)
    stream = io.BytesIO(b'{"file": {"content": "' + b"x" * 9_000_000)

    with pytest.raises(FileTooLarge):
        Parser().parse(stream)
    assert stream.tell() < 3_000_000


def test_a_file_that_is_too_large_is_told_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_in_json, "MAX_FILE", 200_000)
    files = [{"name": "a", "content": "eA=="}, {"name": "b", "content": "x" * 200_000}]
    body = {"files": [*files, {"name": '"content": ', "content": "x" * 400_000}]}

    with pytest.raises(FileTooLarge, match="file 3 of the request"):
        read(json.dumps(body).encode())


def test_files_are_too_large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_in_json, "MAX_FILES_TOTAL", 1_000_000)
    files = [{"content": "x" * 400_000}] * 5

    with pytest.raises(FilesTooLarge):
        read(json.dumps({"files": files}).encode())


def test_a_body_of_one_endless_number_is_refused_after_ten_megabytes() -> None:
    stream = io.BytesIO(b'{"user": ' + b"1" * 3 * MAX_BODY)

    with pytest.raises(TooManyTokens):
        Parser().parse(stream)
    assert stream.tell() <= MAX_BODY + 2 * files_in_json.BLOCK


@pytest.mark.parametrize("length", [10, 300_000])
@pytest.mark.parametrize("name", ["content", "elsewhere"])
def test_files_are_too_many_before_each_has_taken_room(name: str, length: int) -> None:
    """Under the right key in the wrong place, too."""
    files = [{"content": "x" * length}] * (100 if length > 10 else 10_000)
    body = {"files": files} if name == "content" else {"info": {"content": "x" * 300_000, "list": files}}
    stream = io.BytesIO(json.dumps(body).encode())

    with pytest.raises(TooManyFiles if length > 10 or name == "content" else TooManyTokens):
        Parser().parse(stream)
    if length > 10:
        assert stream.tell() < 25 * length


def test_as_many_files_as_allowed_are_taken() -> None:
    files = read(json.dumps({"files": [{"content": "x" * 140_000}] * Parser.most_files}).encode())["files"]

    assert {file["content"].length for file in files} == {140_000}


def seen(value: Any) -> Any:
    """What a body was read as: with the files marked, for a text is none."""
    if isinstance(value, LongText):
        return ("file", "".join(value.pieces()))
    if isinstance(value, dict):
        return {name: seen(member) for name, member in value.items()}
    return [seen(member) for member in value] if isinstance(value, list) else value


def shifted(body: dict[str, Any], by: int) -> bytes:
    return json.dumps({"shift": "s" * by} | body, ensure_ascii=False).encode()


def test_nothing_depends_on_where_a_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_in_json, "BLOCK", 64)
    body = {
        "file": {"content": "https://example.org/a.pdf", "name": "a.pdf"},
        "files": [{"content": "c21hbGw="}, {"content": "eA==" * 16}, {"content": "eA==" * 17}],
        "info": {"content": "a note é\n\\", "list": [{"content": "x" * 64}], "long": "y" * 200},
    }
    expected = seen(read(shifted(body, 0)))

    assert expected["file"]["content"] == "https://example.org/a.pdf"
    assert expected["info"] == body["info"]
    for by in range(200):
        assert seen(read(shifted(body, by))) == expected | {"shift": "s" * by}


def test_what_is_too_long_for_its_place_is_so_wherever_a_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_in_json, "BLOCK", 64)

    for by in range(200):
        with pytest.raises(TooManyTokens):
            read(shifted({"info": {"content": "x" * 65}, "more": ["y" * 20] * 20}, by))


def test_an_address_across_the_end_of_the_first_block_stays_an_address() -> None:
    body = {"file": {"content": "https://example.org/a.pdf"}, "info": {"content": "https://example.org/b"}}

    for by in range(files_in_json.BLOCK - 130, files_in_json.BLOCK + 5):
        assert read(shifted(body, by)) == {"shift": "s" * by} | body
