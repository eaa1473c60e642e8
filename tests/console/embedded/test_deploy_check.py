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
ASK = """
import json, sys
import django
django.setup()
from django.test import Client
answer = Client().generic(*sys.argv[1:3], headers=json.loads(sys.argv[3]))
print(json.dumps([answer.status_code, dict(answer.headers)]))
"""


def run(stack: Stack, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {**environment.list_own_variables(), **stack.environment, **LIVE}
    variables.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # of the tests that open a browser
    return subprocess.run(
        [sys.executable, *arguments], cwd=PROJECT, env=variables, capture_output=True, text=True
    )


def asked(stack: Stack, method: str, path: str, **headers: str) -> tuple[int, dict[str, str]]:
    sent = {"host": "engram.example.org", **headers}
    done = run(stack, "-c", ASK, method, path, json.dumps(sent))
    assert done.returncode == 0, done.stderr
    status, told = json.loads(done.stdout)
    return status, told


def test_the_check_before_going_live_has_nothing_to_say(stack: Stack) -> None:
    done = run(stack, "manage.py", "check", "--deploy", "--fail-level", "WARNING", "--database", "default")

    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout


def test_a_page_asked_for_in_clear_is_asked_for_again_with_tls(stack: Stack) -> None:
    status, told = asked(stack, "GET", "/pricing/?plan=pro")
    assert (status, told["Location"]) == (301, "https://engram.example.org/pricing/?plan=pro")

    status, told = asked(stack, "GET", "/pricing/", **{"x-forwarded-proto": "https"})
    assert status == 200
    assert told["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert "connect-src 'self' wss://engram.example.org" in told["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/readyz", 200),
        ("POST", "/api/openmem/v1/search/memory", 401),
        ("POST", "/stripe/events", 404),
    ],
)
def test_probes_and_programs_are_never_sent_elsewhere(
    stack: Stack, method: str, path: str, expected: int
) -> None:
    status, told = asked(stack, method, path)

    assert "Location" not in told
    assert status == expected
