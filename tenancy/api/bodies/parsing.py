"""Strict JSON parser for request bodies from untrusted clients.

Refuses what Python's would let through or choke on: other encodings, NaN, deep nesting, more than 100,000 values,
numbers with thousands of digits, keys that come twice, NUL and lone surrogates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import isinf
from typing import IO, Any, Never

from rest_framework.parsers import BaseParser

from tenancy.errors import InvalidParameters
from tenancy.requests.trace import trace_stage

MAX_LEVELS = 64
MAX_DIGITS = 400
# Values and members of objects in one body. Each costs some 250 bytes of memory and a microsecond, whatever its length.
MAX_ELEMENTS = 100_000
# Of a long body, what is searched at once: other threads, `/healthz` among them, wait until such a search is over. With
# the whole of 10 MB each took 20 to 40 ms (`benchmarks.work.noisy_neighbour large_bodies`).
SLICE = 256 * 1024
_LONG_NUMBER = b"0" * MAX_DIGITS
_DIGITS_ALIKE = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else ord(" ") for byte in range(256))
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_AS_SQUARE = bytes.maketrans(b"{}", b"[]")
# The only spellings that get through UTF-8 and json: a raw NUL in a string is refused by it.
_MAY_BE_UNSTORABLE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class StrictJSONParser(BaseParser):
    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {}).get("request")
        with trace_stage("parse"):
            refuse_other_media(request.content_type if request is not None else self.media_type)
            body = stream.read()
            with keep_refused_body(request, body):
                return parse_object(body)


@contextmanager
def keep_refused_body(request: Any, body: bytes) -> Iterator[None]:
    """Keep an unreadable body on the request for its log row: the developer who sent it wants to see it."""
    try:
        yield
    except InvalidParameters:
        if request is not None:
            request.refused_body = body
        raise


def refuse_other_media(content_type: str) -> None:
    """Refuse content types other than JSON; none at all is accepted, because some clients send none."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind and kind not in {"application/json", "text/plain", "application/octet-stream"}:
        raise InvalidParameters(f"send the body as application/json, not {kind[:60]}")


def parse_object(body: bytes) -> dict[str, Any]:
    """Parse the JSON object in a body. Raises `InvalidParameters`, which says what is wrong with it."""
    _refuse_hostile_shape(body)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidParameters(f"the body is not UTF-8 (byte {error.start})") from None
    value = _loads(text)
    if not isinstance(value, dict):
        raise InvalidParameters("the body must be a JSON object")
    if _MAY_BE_UNSTORABLE.search(body):
        refuse_unstorable(value)
    return value


def _refuse_hostile_shape(body: bytes) -> None:
    """Check the structure by searches of one slice after the other: less than 0.1 s and little memory for 10 MB."""
    elements, brackets, before = 0, [], b""
    for bare in _remove_string_literals(body):
        elements += bare.count(b",") + bare.count(b"[") + bare.count(b"{")
        if elements > MAX_ELEMENTS:
            raise _build_too_many_elements_error()
        joined = before + bare
        if _LONG_NUMBER in joined.translate(_DIGITS_ALIKE):
            raise InvalidParameters(f"a number has more than {MAX_DIGITS} digits")
        before = joined[-MAX_DIGITS:]
        brackets.append(bare.translate(_AS_SQUARE, _NOT_BRACKETS))
    if _is_too_deep(b"".join(brackets)):
        raise InvalidParameters(f"the body is nested more than {MAX_LEVELS} levels deep")


def _remove_string_literals(body: bytes) -> Iterator[bytes]:
    """The text without string literals, so that brackets and commas in them do not count, slice by slice.

    Once escaped backslashes are gone, then escaped quotes, every quote that is left begins or ends a string. Behind the
    first byte that is no JSON this may be wrong, which hides nothing: `json` reads no further.
    """
    quotes, odd_backslash = 0, b""
    for start in range(0, len(body), SLICE):
        piece = odd_backslash + body[start : start + SLICE]
        whole = piece.rstrip(b"\\")
        # What it escapes is in the next slice.
        odd_backslash = b"\\" * ((len(piece) - len(whole)) % 2)
        if b"\\" in whole:
            whole = whole.replace(b"\\\\", b"").replace(b'\\"', b"")
        is_in_string = quotes % 2
        quotes += whole.count(b'"')
        # A member of an object has two strings, its name and its value.
        if quotes > 4 * MAX_ELEMENTS:
            raise _build_too_many_elements_error()
        yield b"".join(whole.split(b'"')[is_in_string::2])


def _build_too_many_elements_error() -> InvalidParameters:
    return InvalidParameters(f"the body has more than {MAX_ELEMENTS:,} values")


def _is_too_deep(bare: bytes) -> bool:
    """Remove innermost pairs of brackets level by level: what remains is nested deeper."""
    brackets = bare.translate(_AS_SQUARE, _NOT_BRACKETS)
    for _ in range(MAX_LEVELS):
        brackets = brackets.replace(b"[]", b"")
    return b"[]" in brackets or brackets.count(b"[") > MAX_LEVELS


def _loads(text: str) -> Any:
    try:
        return json.loads(
            text,
            parse_constant=_refuse_json_constant,
            parse_float=_parse_finite_number,
            object_pairs_hook=_refuse_repeated_members,
        )
    except json.JSONDecodeError as error:
        raise InvalidParameters(
            f"the body is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from None
    except (RecursionError, ValueError):
        raise InvalidParameters("the body is not valid JSON") from None


def _refuse_json_constant(name: str) -> Never:
    raise InvalidParameters(f"{name} is not a JSON number")


def _parse_finite_number(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise InvalidParameters(f"the number {digits[:40]} is too large")
    return number


def _refuse_repeated_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        twin = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        shown = _UNSTORABLE.sub("\ufffd", twin[:60])
        raise InvalidParameters(f"the key “{shown}” comes twice")
    return members


def refuse_unstorable(value: Any, where: str = "") -> None:
    """Refuse NUL and lone surrogates in values and names: Postgres cannot store them."""
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            raise InvalidParameters(f"{where or 'the body'} holds a NUL or a lone surrogate")
    elif isinstance(value, dict):
        for name, member in value.items():
            refuse_unstorable(name, where or "a key")
            refuse_unstorable(member, f"{where}.{name}".lstrip(".")[:120])
    elif isinstance(value, list):
        for number, member in enumerate(value):
            refuse_unstorable(member, f"{where}[{number}]")
