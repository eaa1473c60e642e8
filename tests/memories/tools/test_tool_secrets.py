"""Secrets and hostile texts in what tools are called with and return."""

from __future__ import annotations

import json
from time import process_time

import pytest

from memories.values import MemoryKind
from tests.support.extraction.tool_talk import (
    WEATHER,
    calls,
    drafts,
    result,
    run,
    runs,
    schemas,
    system,
    user,
)

HOSTILE = [
    "<tools>",
    "sk-",
    "eyJ-",
    "://a:",
    "token is ",
    '{"a": "',
    "[ ",
    "-----BEGIN PRIVATE KEY-----",
    "Error: ",
    "错误：没有",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_keeps_the_rules_busy(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = process_time()

    runs(
        user(text),
        calls(("1", "tool", text), ("2", "tool", {"a": text})),
        result("1", text),
        result("2", {"a": text}),
    )
    schemas(system(text))

    assert process_time() - began < 5


SECRETS = (
    "sk-abcdef1234567890abcdef",
    "hunter2secret",
    "ghp_16charactersAndMore1",
    "eyJhbGciOiJI.eyJzdWIiOiIx.abc",
    "S3cr3tPw",
)


def test_secrets_do_not_become_part_of_a_memory() -> None:
    key, password, token, jwt, named = SECRETS
    arguments = {
        "api_key": key,
        "auth": {"userPassword": password},
        "note": f"use {token} and Bearer {jwt}",
        "city": "Rome",
    }
    returned = {
        "accessToken": named,
        "url": f"https://me:{password}@host/?token={named}&x=1",
        "密码": password,
    }
    made = runs(
        user(f"Log in, the password is {password}"),
        calls(("1", "login", arguments), ("2", "shell", f"deploy --password {password} --to prod")),
        result("1", returned),
        result("2", f"Error: bad password: {named}"),
    )

    kept = repr(made)
    assert [secret for secret in SECRETS if secret in kept] == []
    assert "Rome" in kept
    assert "--to prod" in kept


def test_a_schema_may_name_a_secret_parameter_and_not_hold_one() -> None:
    secret = {"type": "string", "description": "The key", "default": SECRETS[1]}
    parameters = {"type": "object", "properties": {"api_key": secret}, "required": ["api_key"]}

    (draft,) = drafts([system(json.dumps({**WEATHER, "parameters": parameters}))], MemoryKind.TOOL_SCHEMA)

    assert "api_key (string, required" in draft.text
    assert SECRETS[1] not in repr(draft)


@pytest.mark.parametrize(
    "sent", ["", "{broken", "[1, 2]", '"text"', "null", '{"n": NaN, "m": 1e999}', '{"a": "\\u0000\\ud800"}']
)
def test_arguments_may_be_anything(sent: str) -> None:
    made = run(user("Do it"), calls(("1", "tool", sent)), result("1", '{"x": "\\u0000", "n": Infinity}'))

    written = json.dumps(made.details, allow_nan=False) + made.text
    assert "\\u0000" not in written
    assert "\x00" not in written
    made.text.encode()


@pytest.mark.parametrize(
    "sent",
    [
        '"a\\u0000b"',
        '"\\ud800"',
        "[" * 50_000,
        '{"a":' * 3_000,
        "[" * 500 + "]" * 500,
        "NaN",
        "9" * 5_000,
        '["\\ud800"]',
    ],
    ids=["nul", "half", "lists", "objects", "deep", "nan", "digits", "half in a list"],
)
def test_results_may_be_anything(sent: str) -> None:
    made = run(user("Do it"), calls(("1", "tool", "{}")), result("1", sent))

    json.dumps(made.details, allow_nan=False, ensure_ascii=False).encode()
    assert "\x00" not in made.text
    made.text.encode()


def test_a_secret_behind_escapes_is_none_of_a_result() -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in SECRETS[0])

    made = run(user("Do it"), calls(("1", "tool", "{}")), result("1", f'"{escaped}"'))

    assert SECRETS[0] not in made.text + json.dumps(made.details)
