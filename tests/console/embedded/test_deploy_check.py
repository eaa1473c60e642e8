"""What an operator checks before going live, with the settings of an installation behind https."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from console.configuration import environment
from console.embedded.preparation.prepare import PROJECT
from console.embedded.stack import Stack

LIVE = {"PUBLIC_URL": "https://engram.example.org", "FORWARDED_ALLOW_IPS": "10.0.0.9", "SIGNUP": "invited"}
ASKED_IN_CLEAR = [
    ("GET", "/readyz", 200),
    ("POST", "/api/openmem/v1/search/memory", 401),
    ("POST", "/stripe/events", 404),
]
ASK = """
import json, sys
import django
django.setup()
from django.test import Client
answers = [Client().generic(method, path, headers=headers) for method, path, headers in json.loads(sys.argv[1])]
print(json.dumps([[answer.status_code, dict(answer.headers)] for answer in answers]))
"""


def run(stack: Stack, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {**environment.list_own_variables(), **stack.environment, **LIVE}
    variables.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # of the tests that open a browser
    return subprocess.run(
        [sys.executable, *arguments], cwd=PROJECT, env=variables, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def answers(stack: Stack) -> dict[str, tuple[int, dict[str, str]]]:
    """What one process with these settings answers, by path."""
    with_tls = {"x-forwarded-proto": "https"}
    asked: list[tuple[str, str, dict[str, str]]] = [
        ("GET", "/pricing/?plan=pro", {}),
        ("GET", "/pricing/", with_tls),
        *((method, path, {}) for method, path, _ in ASKED_IN_CLEAR),
    ]
    sent = [(method, path, {"host": "engram.example.org", **headers}) for method, path, headers in asked]
    done = run(stack, "-c", ASK, json.dumps(sent))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return {path: (status, headers) for (_, path, _), (status, headers) in zip(asked, told, strict=True)}


def test_the_check_before_going_live_has_nothing_to_say(stack: Stack) -> None:
    done = run(stack, "manage.py", "check", "--deploy", "--fail-level", "WARNING", "--database", "default")

    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout


def test_a_page_asked_for_in_clear_is_asked_for_again_with_tls(
    answers: dict[str, tuple[int, dict[str, str]]],
) -> None:
    status, told = answers["/pricing/?plan=pro"]
    assert (status, told["Location"]) == (301, "https://engram.example.org/pricing/?plan=pro")

    status, told = answers["/pricing/"]
    assert status == 200
    assert told["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert "connect-src 'self' wss://engram.example.org" in told["Content-Security-Policy"]


def test_probes_and_programs_are_never_sent_elsewhere(
    answers: dict[str, tuple[int, dict[str, str]]],
) -> None:
    for _, path, expected in ASKED_IN_CLEAR:
        status, told = answers[path]
        assert "Location" not in told
        assert status == expected, path
