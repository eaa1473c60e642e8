"""Keys, tokens and passwords that tools are called with do not become part of a memory.

Nor do characters and numbers that JSON text can spell and no database takes.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from memories.text.words.tokenize import HALF_CHARACTER

HIDDEN = "***"
# What is nested deeper than this is hidden whole: nobody reads it, and it could be nested a thousand deep.
_DEEPEST = 12
# So much of a long text is read; the rest is left out, for nobody has looked at it.
MASKED_FIRST = 20_000

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET_NAME = re.compile(
    r"""
    (?:^|_)(?:
        password | passwd | passphrase | passcode | pwd | secret | token | authorization | auth | cookie
        | credentials? | bearer | otp | jwt | cvv | apikey
        | (?:api|access|private|secret|auth|encryption|signing|ssh|master|account|app)_key | secret_value
        | token_value
    )$
    | 密码 | 口令 | 密钥 | 私钥 | 令牌 | 验证码
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""
    (
        (?:
            password | passwd | passphrase | passcode | pwd | secret | token | api[_-]?key
            | access[_-]?key | private[_-]?key | 密码 | 口令 | 密钥 | 私钥 | 令牌 | 验证码
        )[\"']?\s*(?:=>|[=:：])\s*[\"']?
        | --?(?:password|passwd|token|secret|api-key)\s+
    )[^\s\"'&;,，。；)]+
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "The password is hunter2" hides a password; "the password is wrong" does not.
_STATED = re.compile(
    r"""
    ((?:password|passcode|pin|token|api\ key|secret)\s+is\s+|(?:密码|口令|密钥|令牌|验证码)\s*[是为]\s*)
    [\"'“]?(?=\S{0,200}\d)[^\s\"'，。,;；”]+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BEARER = re.compile(r"\b(bearer|basic)\s+(?=\S{0,200}[\d=])[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)
_SHAPES = re.compile(
    r"""
    \b(?:sk|pk|rk|mpg)[-_](?=[\w-]{0,40}\d)[\w-]{12,} | \bgh[pousr]_\w{16,} | \bgithub_pat_\w{16,}
    | \bglpat-[\w-]{16,} | \bxox[abprs]-[\w-]{10,} | \bhf_\w{16,} | \bAIza[\w-]{30,}
    | \b(?:AKIA|ASIA|LTAI)[A-Za-z0-9]{12,} | \beyJ[\w-]{8,500}\.[\w-]{8,}(?:\.[\w-]*)?
    """,
    re.VERBOSE,
)
_KEY_FILE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)", re.DOTALL
)
_IN_ADDRESS = re.compile(r"(://)[^\s/:@]*:[^\s/@]+(?=@)")
# Most texts hold no secret, and they are masked while a client waits: a rule looks at a text in which one of its words
# stands, in small letters.
_WORDS = tuple(
    "password passwd passphrase passcode pwd secret token key pin 密码 口令 密钥 私钥 令牌 验证码".split()
)
_STARTS = tuple(
    "sk- sk_ pk- pk_ rk- rk_ mpg- mpg_ gh github_pat glpat xox hf_ aiza akia asia ltai eyj".split()
)
_RULES = (
    (("-----begin",), _KEY_FILE, HIDDEN),
    (("://",), _IN_ADDRESS, rf"\1{HIDDEN}"),
    (_STARTS, _SHAPES, HIDDEN),
    (("bearer", "basic"), _BEARER, rf"\1 {HIDDEN}"),
    (_WORDS, _NAMED, rf"\g<1>{HIDDEN}"),
    (_WORDS, _STATED, rf"\g<1>{HIDDEN}"),
)
# What in the schema of a secret parameter may be a secret.
_VALUES = frozenset({"default", "example", "examples", "const", "enum", "value"})


def mask_text(text: str) -> str:
    """The text without what has the shape or the name of a secret."""
    text = _make_readable(text)
    small = text.casefold()
    for words, rule, shown in _RULES:
        if any(word in small for word in words):
            text = rule.sub(shown, text)
    return text


def mask_result(text: str) -> str:
    """Return what a tool returned, or its beginning, without secrets: by their names too where it is JSON.

    In JSON that is returned no escape stands for what no database keeps, nor for a part of a secret.
    """
    text = text.strip()
    if text.startswith(("{", "[", '"')) and len(text) <= MASKED_FIRST:
        try:
            return json.dumps(mask_secrets(json.loads(text)), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass  # not JSON after all: masked as the text that it is
    return mask_text(text[:MASKED_FIRST])


def _make_readable(text: str) -> str:
    return HALF_CHARACTER.sub(" ", text.replace("\x00", " "))


def mask_secrets(value: Any, depth: int = 0) -> Any:
    """The JSON value without secrets, by the names of its fields and by their shapes."""
    if not isinstance(value, dict | list):
        return _mask_plain_value(value)
    if depth >= _DEEPEST:
        return HIDDEN
    if isinstance(value, list):
        return [mask_secrets(item, depth + 1) for item in value]
    return {_make_readable(name): _mask_field(name, item, depth) for name, item in value.items()}


def _mask_plain_value(value: Any) -> Any:
    if isinstance(value, str):
        return mask_text(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _mask_field(name: str, value: Any, depth: int) -> Any:
    is_hidden = names_a_secret(name) and value not in (None, "", True, False)
    return HIDDEN if is_hidden else mask_secrets(value, depth + 1)


def names_a_secret(name: str) -> bool:
    return bool(_SECRET_NAME.search(_CAMEL.sub("_", name).lower().replace("-", "_").replace(" ", "_")))


def mask_schema(value: Any, name: str = "", depth: int = 0) -> Any:
    """A schema names its secret parameters, which is its job; only values that it proposes for them are hidden."""
    if not isinstance(value, dict | list):
        return _mask_plain_value(value)
    if depth >= _DEEPEST:
        return HIDDEN
    if isinstance(value, list):
        return [mask_schema(item, name, depth + 1) for item in value]
    return {
        _make_readable(key): HIDDEN
        if key in _VALUES and names_a_secret(name)
        else mask_schema(item, key, depth + 1)
        for key, item in value.items()
    }
