"""What comes in as text, under a name, or from an address; and how a document is cut up."""

from __future__ import annotations

import base64
import gzip
import ipaddress
import random
import socket
import time
from threading import Event, Thread
from typing import Any

import pytest
from django.test import override_settings

from memories.files import fetch
from memories.files.base64_data import decode_base64
from memories.files.chunking import MOST, compute_text_width, split_into_fragments
from memories.files.fetch import fetch_content
from memories.files.file_types import clean_name, detect_file_kind, name_in
from memories.files.readers.document import Block
from memories.files.values import FileKind
from tenancy.errors import (
    CatalogueError,
    EmptyList,
    FileTooLarge,
    InvalidBase64Content,
    InvalidBase64Format,
    InvalidFile,
    InvalidParameters,
    UnsupportedFileType,
)
from tenancy.runtime import address_guard
from tenancy.runtime.address_guard import TryLater, is_public, parse_target, resolve_checked_address
from tests.support.servers.file_server import FileServer, redirect, send
from tests.support.waiting import LIMIT, let_time_pass

BYTES = bytes(range(256)) * 5


def in_pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 3, 7, 64, 10_000])
def test_base64_is_read_in_pieces_of_any_size(size: int) -> None:
    text = base64.encodebytes(BYTES).decode()

    assert b"".join(decode_base64(in_pieces(text, size))) == BYTES


@pytest.mark.parametrize("write", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("length", [1, 2, 3])
def test_both_alphabets_are_read_with_and_without_padding(write: object, length: int) -> None:
    text = write(BYTES[-length:]).decode()  # type: ignore[operator]

    assert b"".join(decode_base64([text])) == b"".join(decode_base64([text.rstrip("=")])) == BYTES[-length:]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("", EmptyList),
        ("   \n", EmptyList),
        ("data:text/plain;base64,", EmptyList),
        ("QUJ$", InvalidBase64Content),
        ("QUJDé", InvalidBase64Content),
        ("QQ==QQ==", InvalidBase64Content),
        ("QUJDR", InvalidBase64Format),
        ("QQ=", InvalidBase64Format),
        ("data:text/plain,ABC", InvalidBase64Format),
        ("data:", InvalidBase64Format),
    ],
)
def test_what_is_no_base64_says_why(text: str, entry: type[CatalogueError]) -> None:
    with pytest.raises(entry):
        list(decode_base64([text]))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\kim\\plan.docx", "plan.docx"),
        ("a\x00b\u202ecod.txt", "abcod.txt"),
        ("..", ""),
        ("名" * 200 + ".pdf", "名" * 83 + ".pdf"),
    ],
)
def test_a_name_is_only_ever_a_name(given: str, shown: str) -> None:
    assert clean_name(given) == shown
    assert len(clean_name(given).encode()) <= 255


def test_a_url_gives_its_last_part_as_the_name() -> None:
    assert name_in("https://example.org/a%20b/MemOS%202.pdf?x=/y.exe") == "MemOS 2.pdf"


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b"\n\n%PDF-1.7", "", FileKind.PDF),
        (b"\xff\xfeh\x00i\x00", "", FileKind.TXT),
        (b'{"a": 1}', "", FileKind.JSON),
        (b'{"a": 1}', "a.txt", FileKind.TXT),
        (b"<?xml version='1.0'?><a/>", "", FileKind.XML),
        (b"# Title", "a.markdown", FileKind.MD),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "", FileKind.IMAGE),
        (b"GIF89a\x01\x00\x01\x00", "a.gif", FileKind.IMAGE),
    ],
)
def test_a_file_is_what_its_content_is(head: bytes, name: str, kind: FileKind) -> None:
    assert detect_file_kind(head, name)[0] == kind


@pytest.mark.parametrize(
    ("head", "name", "entry"),
    [
        (b"", "a.txt", EmptyList),
        (b"MZ\x90\x00\x03", "", UnsupportedFileType),
        (b"<!DOCTYPE html><p>", "", UnsupportedFileType),
        (b"PK\x03\x04 something", "", UnsupportedFileType),
        (b"PK\x03\x04 something", "a.docx", InvalidFile),
        (b"words", "a.jpg", InvalidFile),
        (b"%PDF-1.4", "a.txt", InvalidFile),
    ],
)
def test_what_is_not_taken_says_why(head: bytes, name: str, entry: type[CatalogueError]) -> None:
    with pytest.raises(entry):
        detect_file_kind(head, name)


@pytest.mark.parametrize(
    "address",
    """168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd20:ce::254 169.254.0.23 161.26.0.10 166.9.14.170
    199.36.153.4 199.36.153.10 35.199.192.1 2600:2d00:2:1000::1 192.88.99.1 5f00::1 4000::1 ::7f00:1 ::a00:1
    64:ff9b::a83f:8110 64:ff9b:1::a9fe:a9fe 2002:a83f:8110::1 2001:0:a83f:8110::1 ::ffff:168.63.129.16
    2a00:1450::5efe:a9fe:a9fe 2a00:1450::200:5efe:a9fe:a9fe fe80::5efe:a00:1
    127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 240.0.0.1 255.255.255.255
    192.0.2.1 198.18.0.1 ::1 :: fe80::1 fc00::1 ff02::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1::
    2001:0:4136::1 2001:db8::1 fe80::1%eth0 fec0::1 feff::1 3fff::1 3fff:fff::1""".split(),
)
def test_no_address_of_a_private_network_is_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111"])
def test_addresses_of_the_world_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(InvalidParameters):
        resolve_checked_address(
            parse_target("https://example.org/"), lambda host, port: ["8.8.8.8", "10.0.0.1"]
        )


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/a.txt",
        "file:///etc/passwd",
        "https://kim:secret@example.org/",
        "https:///a.txt",
        "http://exa mple.org/",
        "http://example.org:99999/",
        f"http://{'a' * 70}.org/",
        "https://example.org/" + "a" * 5_000,
    ],
)
def test_only_plain_addresses_of_the_web_are_taken(url: str) -> None:
    with pytest.raises(InvalidParameters):
        parse_target(url)


def test_ports_of_other_services_are_not_asked() -> None:
    with pytest.raises(InvalidParameters):
        resolve_checked_address(parse_target("http://example.org:6379/"), lambda host, port: ["8.8.8.8"])


def test_a_name_that_changes_its_address_is_connected_where_it_was_checked(files: FileServer) -> None:
    """The name is asked for once: what it would say a moment later leads nowhere."""
    answers = ["127.0.0.1", "10.0.0.1"]
    host, _, port = files.address.partition(":")
    url = files.serves("a.txt", b"as checked")

    def rebinding(name: str, asked: int) -> list[str]:
        return [answers.pop(0)]

    with fetch_content(url, rebinding) as content:
        assert b"".join(content) == b"as checked"
    assert answers == ["10.0.0.1"]
    assert (host, int(port)) == ("127.0.0.1", parse_target(url).port)


def test_every_redirect_is_checked_anew(files: FileServer) -> None:
    url = files.does("a.txt", redirect("http://rebound.example.org/a.txt"))
    names = {"127.0.0.1": ["127.0.0.1"], "rebound.example.org": ["192.168.0.1"]}

    with pytest.raises(InvalidParameters), fetch_content(url, lambda host, port: names[host]) as content:
        list(content)


def test_nothing_of_ours_is_told_to_the_server(files: FileServer) -> None:
    heard: list[dict[str, str]] = []

    def listen(request: object) -> None:
        heard.append({name.lower(): value for name, value in request.headers.items()})  # type: ignore[attr-defined]
        send(request, 200, b"thanks")  # type: ignore[arg-type]

    with fetch_content(files.does("a.txt", listen)) as content:
        list(content)
    assert set(heard[0]) == {"host", "accept-encoding", "user-agent"}


def packed_and_then(more: bytes) -> Any:
    """The answer goes on for as long as somebody reads."""

    def answer(request: Any) -> None:
        request.send_response(200)
        request.send_header("Content-Encoding", "gzip")
        request.end_headers()
        try:
            request.wfile.write(gzip.compress(b"words") if more == b"x" else b"\x1f\x8b\x08" + b"\0" * 7)
            while True:
                request.wfile.write(more * 10_000)
        except OSError:
            request.close_connection = True

    return answer


@pytest.mark.parametrize(
    ("more", "entry"), [(b"x", InvalidParameters), (b"\x00\x00\x00\xff\xff", FileTooLarge)]
)
def test_a_packed_answer_that_goes_on_without_saying_anything_is_not_read_on(
    files: FileServer, monkeypatch: pytest.MonkeyPatch, more: bytes, entry: type[CatalogueError]
) -> None:
    """After its end, or with blocks of nothing."""
    monkeypatch.setattr(fetch, "MAX_RAW", 1024 * 1024)
    monkeypatch.setattr(fetch, "WHOLE_SECONDS", 5.0)

    with pytest.raises(entry), fetch_content(files.does("a.txt", packed_and_then(more))) as content:
        list(content)


def test_a_packed_answer_is_read_to_its_end(files: FileServer) -> None:
    packed = gzip.compress(b"words " * 100_000)

    def answer(request: Any) -> None:
        send(request, 200, packed, {"Content-Encoding": "gzip"})

    with fetch_content(files.does("a.txt", answer)) as content:
        assert b"".join(content) == b"words " * 100_000


def test_a_name_server_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = Event()

    def never_answers(*_asked: Any, **_how: Any) -> list[Any]:
        assert is_over.wait(LIMIT)
        return []

    monkeypatch.setattr(address_guard, "RESOLVE_SECONDS", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", never_answers)
    with pytest.raises(TryLater):
        resolve_checked_address(parse_target("https://example.org/"))
    is_over.set()


def test_a_name_that_does_not_exist_may_exist_later() -> None:
    with pytest.raises(TryLater):
        resolve_checked_address(parse_target("https://nobody.invalid/"))


def test_redirects_do_not_add_up_to_more_than_the_whole_time(
    files: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "WHOLE_SECONDS", 0.5)
    url = files.does("a.txt", redirect(files.does("b.txt", redirect(files.serves("c.txt", b"words")))))
    asked: list[str] = []

    def slowly(host: str, port: int) -> list[str]:
        asked.append(host)
        let_time_pass(0.3, "a slow name server")
        return ["127.0.0.1"]

    with pytest.raises(TryLater), fetch_content(url, slowly) as content:
        list(content)
    assert len(asked) == 2


def endless_greeting(ears: socket.socket) -> None:
    """Begins a record of TLS and sends it letter by letter."""
    talk, _ = ears.accept()
    try:
        talk.sendall(b"\x16\x03\x03\x40\x00")
        for _ in range(1_000):
            talk.sendall(b"\x00")
            let_time_pass(0.1, "a slow server")
    except OSError:
        talk.close()


def test_a_greeting_that_never_ends_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "WHOLE_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as ears:
        address = f"127.0.0.1:{ears.getsockname()[1]}"
        Thread(target=endless_greeting, args=[ears], daemon=True).start()
        began = time.monotonic()

        with (
            override_settings(FETCH_ALLOW=[address]),
            pytest.raises(TryLater),
            fetch_content(f"https://{address}/a.txt") as content,
        ):
            list(content)
        assert time.monotonic() - began < 50


def sentences(count: int) -> str:
    return " ".join(f"Sentence number {number} says something about the matter." for number in range(count))


def test_fragments_have_the_size_of_memories_and_lose_no_word() -> None:
    blocks = [
        Block("Handbook", 1),
        Block(sentences(40)),
        Block("Trips", 2),
        Block(sentences(3)),
        Block("x" * 5_000),
    ]

    fragments = list(split_into_fragments(blocks))

    assert all(compute_text_width(fragment.text) <= MOST for fragment in fragments)
    whole = "".join(" ".join(fragment.text for fragment in fragments).split())
    assert whole == "".join((sentences(40) + sentences(3) + "x" * 5_000).split())
    assert {fragment.heading for fragment in fragments} == {"Handbook", "Handbook > Trips"}


def test_chinese_fragments_are_as_long_as_what_they_say() -> None:
    text = "".join(f"这是第{number}个句子，它说明了一些事情。" for number in range(200))

    fragments = list(split_into_fragments([Block(text)]))

    assert all(len(fragment.text) <= MOST // 2 for fragment in fragments)
    assert "".join(fragment.text.replace(" ", "") for fragment in fragments) == text


def test_headings_without_text_are_not_lost() -> None:
    fragments = list(
        split_into_fragments([Block("Cover", 1), Block("Contents", 1), Block("Text."), Block("The end", 1)])
    )

    assert [fragment.text for fragment in fragments] == ["Cover", "Text.", "The end"]


def test_any_blocks_give_fragments_within_bounds() -> None:
    chance = random.Random(4)
    letters = "ab .。\n中x!"
    for _ in range(60):
        blocks = [
            Block(
                "".join(chance.choices(letters, k=chance.randrange(1, 3_000))), chance.choice([0, 0, 0, 1, 2])
            )
            for _ in range(chance.randrange(1, 6))
        ]
        for fragment in split_into_fragments(blocks):
            assert compute_text_width(fragment.text) <= 3 * MOST
            assert len(fragment.heading) <= 200
