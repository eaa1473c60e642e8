"""Whatever is wrong with a request: the documented code, a sentence that names it, and nothing half-written."""

from __future__ import annotations

import json
import socket
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from console.embedded.stack import Stack
from memories.models import Conversation, Feedback, Intake, MemCube, Message, Task
from tenancy.api.bodies.body_limit import MAX_BODY
from tenancy.api.bodies.parsing import SLICE, parse_object
from tenancy.errors import InvalidParameters
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.documents.bad_bodies import CASES, GOOD, SAID, spoiled
from tests.support.expect import accepted, refused
from tests.support.tenants import make_tenant
from tests.support.waiting import LIMIT

MEGABYTE = 1024 * 1024
ASK = json.dumps(GOOD["search/memory"])


@pytest.fixture(scope="module")
def unheard(stack: Stack) -> Tenant:
    """Whose every request is refused."""
    return make_tenant(stack)


@pytest.mark.parametrize("path", GOOD)
def test_a_spoiled_field_is_refused_by_its_name_and_leaves_nothing_behind(unheard: Tenant, path: str) -> None:
    cases = [case for case in CASES if case[0] == path]
    assert cases
    with unheard.api() as api:
        for _, body, code, word in cases:
            content = api.call(path, body).json()

            assert (content["code"], content["data"]) == (code, None), (body, content)
            assert word in content["message"], (body, content)
            assert "ErrorDetail" not in content["message"], (body, content)

    with tenant_scope(unheard.project):
        for model in (MemCube, Conversation, Message, Intake, Feedback, Task):
            assert not model.objects.within(unheard.project).exists(), model.__name__


@pytest.mark.parametrize("letter", ["x", "é", "字", "😀"])
def test_ids_of_a_hundred_characters_are_accepted(api: Api, letter: str) -> None:
    longest = letter * 100
    names = {"user_id": longest, "conversation_id": longest}

    accepted(api.call("add/message", {**names, "messages": SAID, "agent_id": longest, "app_id": longest}))
    assert accepted(api.call("get/message", names))["message_detail_list"]
    accepted(api.call("delete/memory", {"user_id": longest}))


def bodies() -> Iterator[tuple[str, bytes, str]]:
    def with_value(raw: str) -> bytes:
        return f'{{"user_id": "kim", "query": "tea", "x": {raw}}}'.encode()

    yield "only blanks", b"  \n", "JSON"
    for raw in ("[]", "null", "5", '"text"', "true"):
        yield f"top level {raw}", raw.encode(), "object"
    for raw in ('{"user_id":', "{user_id: 1}", "{'a': 1}", '{"a": 1,}', "{} {}", "\x00", '{"a": 01}', '{"a"'):
        yield f"broken {raw}", raw.encode(), "JSON"
    for raw in ("NaN", "Infinity", "-Infinity"):
        yield raw, with_value(raw), raw
    for raw in ("1e999", "-1e999", "[1e400]"):
        yield f"number {raw}", with_value(raw), "too large"
    yield "number of 5000 digits", with_value("9" * 5000), "digits"
    yield "65 levels", with_value("[" * 64 + "]" * 64), "64 levels"
    yield "brackets without end", b"[" * 100_000, "64 levels"
    yield "objects without end", b'{"a":' * 100_000, "64 levels"
    for element in ("{}", "1", '""', "[]", "null", '{"a":1}', '"a,b"'):
        yield f"100,001 times {element}", with_value(f"[{','.join([element] * 100_001)}]"), "100,000 values"
    yield "100,001 keys", with_value("{" + ",".join(f'"{n}":0' for n in range(100_001)) + "}"), "100,000"
    yield "a key twice", b'{"user_id": "kim", "user_id": "lee", "query": "tea"}', "user_id"
    yield "a key twice below", with_value('{"a": 1, "a": 2}'), "“a”"
    yield "half a character twice as a key", with_value('{"\\ud800": 1, "\\ud800": 2}'), "\ufffd"
    yield "NUL", with_value('"a\\u0000b"'), "NUL"
    yield "NUL in a key", with_value('{"a\\u0000": 1}'), "NUL"
    yield "raw NUL", with_value('"a\x00b"'), "control character"
    yield "lone surrogate", with_value('"\\ud800"'), "surrogate"
    yield "turned surrogates", with_value('["\\udc00\\ud800"]'), "surrogate"
    yield "raw surrogate", b'{"x": "\xed\xa0\x80"}', "UTF-8"
    yield "UTF-16", ASK.encode("utf-16"), "UTF-8"
    yield "UTF-32", ASK.encode("utf-32"), "UTF-8"
    yield "Latin-1", with_value('"é"').decode().encode("latin-1"), "UTF-8"
    yield "GBK", with_value('"张三"').decode().encode("gbk"), "UTF-8"
    yield "gzip", b"\x1f\x8b\x08\x00" + b"\x00" * 20, "UTF-8"


@pytest.mark.parametrize(
    ("name", "body", "word"), list(bodies()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_body_that_is_no_json_object_is_refused_in_words(
    api: Api, name: str, body: bytes, word: str
) -> None:
    answer = api.post("search/memory", content=body, headers={"Content-Type": "application/json"})

    refused(answer, 40000, word)


@pytest.mark.parametrize("path", GOOD)
def test_an_empty_body_lacks_the_required_field(api: Api, path: str) -> None:
    for body in (b"", b"{}"):
        refused(api.post(path, content=body), 40002)


@pytest.mark.parametrize("path", GOOD)
def test_every_endpoint_reads_by_the_same_parser(api: Api, path: str) -> None:
    for body in (b"{", b"[1]", b'{"info": {"x": 1e999}}', b'{"x": "\\u0000"}'):
        refused(api.post(path, content=body, headers={"Content-Type": "application/json"}), 40000)


@pytest.mark.parametrize("letters", ["[" * 70, '{"' * 70, '\\"[{' * 70, "\\\\"])
def test_brackets_inside_texts_are_no_depth(api: Api, letters: str) -> None:
    accepted(api.call("search/memory", {"user_id": "kim", "query": f"tea {letters}"}))


@pytest.mark.parametrize("cut", ["\\", '\\"', '"', '\\\\"', "\\" * 5])
def test_a_text_may_be_cut_anywhere_while_its_body_is_checked(cut: str) -> None:
    for shift in range(-10, 4):
        value = {"a": "x" * (SLICE - len('{"a":"') + shift) + cut + "[{" * 70, "b": [1, {"c": "]"}]}

        assert parse_object(json.dumps(value, separators=(",", ":")).encode()) == value


@pytest.mark.parametrize("spaces", [0, SLICE - 200, SLICE - 6])
def test_a_number_of_too_many_digits_is_found_wherever_it_lies(spaces: int) -> None:
    with pytest.raises(InvalidParameters, match="400 digits"):
        parse_object(b'{"a":' + b" " * spaces + b"7" * 401 + b"}")


def test_sixty_four_levels_are_read(api: Api) -> None:
    deep: Any = {}
    for _ in range(62):
        deep = [deep]

    accepted(api.call("search/memory", spoiled("search/memory", x=deep)))


def test_a_text_that_nobody_closes_costs_no_time(api: Api) -> None:
    began = time.monotonic()

    answer = api.post("search/memory", content=b'{"' + b'\\"' * 500_000)

    refused(answer, 40000)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("element", ["{},", "1,", '"",', "[[],"])
def test_millions_of_values_are_refused_before_any_is_made(element: str) -> None:
    body = b'{"user_id": "kim", "x": [' + element.encode() * (MAX_BODY // len(element))

    tracemalloc.start()
    with pytest.raises(InvalidParameters, match="more than 100,000 values"):
        parse_object(body)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 3 * MAX_BODY


def test_commas_and_quotes_in_texts_are_no_values(api: Api) -> None:
    texts = ['a, "b", [c]{' * 30_000, "\\" * 100_000, '\\"' * 50_000]

    for text in texts:
        value = {"a": 1, '",': [text, text], "\\": {"[": text}}
        accepted(api.call("search/memory", spoiled("search/memory", x=value)))


@pytest.mark.parametrize("path", GOOD)
def test_another_content_type_is_refused_in_the_envelope(api: Api, path: str) -> None:
    forms = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
    for kind in (*forms, "application/xml", "text/html", "x"):
        answer = api.post(path, content=json.dumps(GOOD[path]), headers={"Content-Type": kind})

        refused(answer, 40000, "application/json")


@pytest.mark.parametrize("kind", [None, "application/json; charset=UTF-8", "APPLICATION/JSON", "text/plain"])
def test_json_that_does_not_say_so_is_read(api: Api, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}

    accepted(api.post("search/memory", content=ASK, headers=headers))


@pytest.mark.parametrize(
    ("path", "field"),
    [("add/feedback", "feedback_content"), ("search/memory", "query")],
)
def test_a_text_of_too_many_tokens_is_refused(api: Api, path: str, field: str) -> None:
    refused(api.call(path, spoiled(path, **{field: "tea " * 40_100})), 40305, "at most 40000")


def test_messages_of_too_many_tokens_are_refused_and_not_stored(api: Api, user: str) -> None:
    talk = {"user_id": user, "conversation_id": "talk"}
    long = [{"role": "user", "content": "tea " * 20_050}] * 2

    refused(api.call("add/message", {**talk, "messages": long}), 40305)

    assert accepted(api.call("get/message", talk))["message_detail_list"] == []


@pytest.mark.parametrize(
    ("path", "megabytes", "code"), [("search/memory", 11, b"40305"), ("add/message", 500, b"50105")]
)
def test_a_body_said_to_be_too_large_is_refused_before_it_is_sent(
    developer: Tenant, path: str, megabytes: int, code: bytes
) -> None:
    head = f"Authorization: Token {developer.key}\r\nContent-Length: {megabytes * MEGABYTE}\r\n"

    answer = spoken(developer, head, path)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert code in answer
    assert b"\r\nx-request-id: " in answer.lower()


def test_a_stranger_may_not_begin_to_send_files(developer: Tenant) -> None:
    answer = spoken(developer, f"Content-Length: {50 * MEGABYTE}\r\n", "add/message")

    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"40100" in answer


def test_a_body_of_unknown_size_is_refused_when_it_has_become_too_large(developer: Tenant) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(14):
            yield b" " * MEGABYTE

    try:
        answer = httpx.post(
            f"{developer.url}/api/openmem/v1/add/message",
            content=pieces(),
            headers={"Authorization": f"Token {developer.key}"},
            trust_env=False,
            timeout=LIMIT,
        )
    except httpx.WriteError:
        return  # the server hung up on the rest, which is as good
    refused(answer, 40305)


def spoken(developer: Tenant, head: str, path: str) -> bytes:
    """The answer to the head of a request whose body never comes."""
    address = urlsplit(developer.url)
    with socket.create_connection((address.hostname, address.port), timeout=LIMIT) as line:
        line.sendall(f"POST /api/openmem/v1/{path} HTTP/1.1\r\nHost: {address.netloc}\r\n{head}\r\n".encode())
        answer = b""
        while b"}" not in answer:
            answer += line.recv(65536)
    return answer


def test_a_large_body_within_the_limit_is_read(api: Api) -> None:
    accepted(api.call("search/memory", spoiled("search/memory", ignored="x" * 9 * MEGABYTE)))
