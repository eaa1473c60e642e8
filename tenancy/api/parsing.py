"""One parser for JSON bodies that strangers send.

Refuses what Python's would let through or choke on: other encodings, NaN, deep nesting, numbers with thousands of
digits, keys that come twice, NUL and lone surrogates.
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
from tenancy.trace import stage

MAX_LEVELS = 64
MAX_DIGITS = 400
# Strings are cut out before brackets are counted, so that brackets in texts do not count.
# Possessive, and content with the end of the body: a string that nobody closes is read once, not once a quote.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_LONG_NUMBER = re.compile(rb"(?<![0-9])[0-9]{%d,}" % MAX_DIGITS)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_AS_SQUARE = bytes.maketrans(b"{}", b"[]")
# The only spellings that get through UTF-8 and json: a raw NUL in a string is refused by it.
_MAY_BE_UNSTORABLE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class StrictJSONParser(BaseParser):
    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {}).get("request")
        with stage("parse"):
            refuse_other_media(request.content_type if request is not None else self.media_type)
            body = stream.read()
            with keeping_refused(request, body):
                return parse_object(body)


@contextmanager
def keeping_refused(request: Any, body: bytes) -> Iterator[None]:
    """A body that cannot be read is left on the request, for its log row: whoever sent it wants to see it."""
    try:
        yield
    except InvalidParameters:
        if request is not None:
            request.refused_body = body
        raise


def refuse_other_media(content_type: str) -> None:
    """Clients send JSON without saying so now and then; what says it is something else is refused."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind and kind not in {"application/json", "text/plain", "application/octet-stream"}:
        raise InvalidParameters(f"send the body as application/json, not {kind[:60]}")


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object in the body. Raises `InvalidParameters` that says what is wrong with it."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise InvalidParameters(f"the body is not UTF-8 (byte {fault.start})") from None
    _refuse_hostile_shape(body)
    value = _loads(text)
    if not isinstance(value, dict):
        raise InvalidParameters("the body must be a JSON object")
    if _MAY_BE_UNSTORABLE.search(body):
        refuse_unstorable(value)
    return value


def _refuse_hostile_shape(body: bytes) -> None:
    bare = _STRING.sub(b"", body)
    if _LONG_NUMBER.search(bare):
        raise InvalidParameters(f"a number has more than {MAX_DIGITS} digits")
    if _is_too_deep(bare):
        raise InvalidParameters(f"the body is nested more than {MAX_LEVELS} levels deep")


def _is_too_deep(bare: bytes) -> bool:
    """Takes the innermost pairs away, level by level: what is left then lies deeper."""
    brackets = bare.translate(_AS_SQUARE, _NOT_BRACKETS)
    for _ in range(MAX_LEVELS):
        brackets = brackets.replace(b"[]", b"")
    return b"[]" in brackets or brackets.count(b"[") > MAX_LEVELS


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_twins)
    except json.JSONDecodeError as fault:
        raise InvalidParameters(
            f"the body is not valid JSON: {fault.msg} (line {fault.lineno}, column {fault.colno})"
        ) from None
    except (RecursionError, ValueError):
        raise InvalidParameters("the body is not valid JSON") from None


def _no_constant(name: str) -> Never:
    raise InvalidParameters(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise InvalidParameters(f"the number {digits[:40]} is too large")
    return number


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        twin = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InvalidParameters(f"the key “{twin[:60]}” comes twice")
    return members


def refuse_unstorable(value: Any, where: str = "") -> None:
    """NUL and lone surrogates, anywhere, in names too: Postgres cannot hold them."""
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
