"""What an operator checks before going live, with the settings of an installation behind https."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

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
# The check, as `manage.py check --deploy` makes it, then the answers.
ASK = """
import json, sys
import django
django.setup()
from django.core.management import call_command
from django.test import Client
call_command("check", deploy=True, fail_level="WARNING", databases=["default"])
answers = [Client().generic(method, path, headers=headers) for method, path, headers in json.loads(sys.argv[1])]
print(json.dumps([[answer.status_code, dict(answer.headers)] for answer in answers]))
"""


@dataclass
class Live:
    """What one process with these settings says of itself, and what it answers, by path."""

    checked: str
    answers: dict[str, tuple[int, dict[str, str]]]


@pytest.fixture(scope="module")
def live(stack: Stack) -> Live:
    variables = {**environment.list_own_variables(), **stack.environment, **LIVE}
    variables.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # of the tests that open a browser
    with_tls = {"x-forwarded-proto": "https"}
    asked: list[tuple[str, str, dict[str, str]]] = [
        ("GET", "/pricing/?plan=pro", {}),
        ("GET", "/pricing/", with_tls),
        *((method, path, {}) for method, path, _ in ASKED_IN_CLEAR),
    ]
    sent = [(method, path, {"host": "engram.example.org", **headers}) for method, path, headers in asked]
    done = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps(sent)],
        cwd=PROJECT,
        env=variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *checked, answered = done.stdout.splitlines()
    pairs = zip(asked, json.loads(answered), strict=True)
    answers = {path: (status, headers) for (_, path, _), (status, headers) in pairs}
    return Live("\n".join(checked), answers)


def test_the_check_before_going_live_has_nothing_to_say(live: Live) -> None:
    assert "no issues (0 silenced)" in live.checked


def test_a_page_asked_for_in_clear_is_asked_for_again_with_tls(live: Live) -> None:
    status, headers = live.answers["/pricing/?plan=pro"]
    assert (status, headers["Location"]) == (301, "https://engram.example.org/pricing/?plan=pro")

    status, headers = live.answers["/pricing/"]
    assert status == 200
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert "connect-src 'self' wss://engram.example.org" in headers["Content-Security-Policy"]


def test_probes_and_programs_are_never_sent_elsewhere(live: Live) -> None:
    for _, path, expected in ASKED_IN_CLEAR:
        status, headers = live.answers[path]
        assert "Location" not in headers
        assert status == expected, path
