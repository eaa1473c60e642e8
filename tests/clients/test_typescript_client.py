"""The project's own TypeScript client, built and run by the Node of the development packages."""

from __future__ import annotations

import base64
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.support.api_client import Tenant
from tests.support.clients.typescript import CLIENT, install_package, run_node
from tests.support.servers.unreliable import Answer, UnreliableServer

SKILL_MD = "---\nname: brew-tea\ndescription: How to brew tea.\n---\n\n# Tea\n\nBoil water first.\n"
BUSY = {"code": 50004, "data": None, "message": "Try again"}
STREAM = b'event: message\ndata: {"type":"text","data":"You live "}\n\n'
# What the server answers, which call is made, what is thrown, and how many requests that makes.
REPEATS: list[tuple[str, list[Answer], str, str, int]] = [
    ("a fault is repeated", [Answer(500, BUSY)], "add", "", 2),
    ("a lost answer is repeated", [Answer(0)], "add", "", 2),
    ("a proxy's page is repeated", [Answer(502, b"<html>")], "add", "", 2),
    ("a rate is waited for", [Answer(429, BUSY, {"Retry-After": "0"})], "add", "", 2),
    ("work in progress is waited for", [Answer(0), Answer(409, BUSY)], "add", "", 3),
    ("a month is not", [Answer(429, BUSY, {"Retry-After": "864000"})], "add", "RateLimited", 1),
    ("a mistake is not repeated", [Answer(400, BUSY)], "add", "InvalidRequest", 1),
    ("what has no key is not", [Answer(500, {"code": 500, "msg": "broken"})], "session", "ServerError", 1),
    ("a redirect is not followed", [Answer(301, b"", {"Location": "/"})], "add", "InvalidRequest", 1),
    ("a stream that ends early", [Answer(200, STREAM)], "stream", "ConnectionFailed", 1),
    (
        "a stream that breaks",
        [Answer(200, STREAM, {"Content-Length": "999"})],
        "stream",
        "ConnectionFailed",
        1,
    ),
    (
        "a stream with an error",
        [Answer(200, b'data: {"type":"error","data":"x"}\n\n')],
        "stream",
        "StreamFailed",
        1,
    ),
    (
        "a task that failed",
        [Answer(200, {"code": 0, "data": {"task_id": "t1", "status": "failed"}, "message": "ok"})],
        "wait",
        "TaskFailed",
        1,
    ),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the built package is installed."""
    folder = tmp_path_factory.mktemp("typescript")
    install_package(folder)
    for test in (CLIENT / "tests").iterdir():
        shutil.copy(test, folder)
    return folder


def skill_archive() -> str:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("SKILL.md", SKILL_MD)
    return base64.b64encode(packed.getvalue()).decode()


def test_every_call_works_against_the_running_server(package: Path, tenant: Tenant) -> None:
    ran = run_node(
        package,
        "--test",
        "client.test.mjs",
        ENGRAM_API_KEY=tenant.key,
        ENGRAM_BASE_URL=tenant.url,
        SKILL_ZIP=skill_archive(),
    )

    assert ran.returncode == 0, ran.stdout


def test_failures_are_repeated_once_for_the_server(package: Path, unreliable: UnreliableServer) -> None:
    unreliable.answers = [
        answer for _, answers, *_ in REPEATS for answer in answers + [Answer()] * needs_success(answers)
    ]
    cases = [{"name": name, "call": call, "error": error} for name, _, call, error, _ in REPEATS]

    ran = run_node(
        package, "--test", "repeats.test.mjs", ENGRAM_BASE_URL=unreliable.url, REPEATS=json.dumps(cases)
    )

    assert ran.returncode == 0, ran.stdout
    received = iter(unreliable.received)
    for name, _, call, _, requests in REPEATS:
        keys = {next(received).headers.get("idempotency-key") for _ in range(requests)}
        assert len(keys) == 1, name
        assert (None in keys) == (call in ("session", "stream", "wait")), name
    assert next(received, None) is None


def needs_success(answers: list[Answer]) -> int:
    """Cases that fail at last are not followed by a success."""
    return next(0 if error else 1 for _, known, _, error, _ in REPEATS if known is answers)


def test_declarations_hold_types_only(package: Path) -> None:
    """What is left of them when types are removed is nothing."""
    code = (
        "import { readFileSync } from 'node:fs'; import { stripTypeScriptTypes } from 'node:module';"
        "for (const name of ['index', 'types', 'ai-sdk']) {"
        "  const text = readFileSync(`node_modules/engram-console-client/dist/${name}.d.ts`, 'utf8');"
        "  const rest = stripTypeScriptTypes(text).replace(/\\/\\*[^]*?\\*\\//g, '')"
        "    .replace(/export \\{\\};?|[;\\s]/g, '');"
        "  if (rest) throw new Error(rest); }"
    )

    ran = run_node(package, "--input-type=module", "-e", code)

    assert ran.returncode == 0, ran.stderr


def test_every_public_method_is_declared(package: Path) -> None:
    code = (
        "import { Engram } from 'engram-console-client';"
        "console.log(JSON.stringify(Object.getOwnPropertyNames(Engram.prototype)));"
    )
    methods = json.loads(run_node(package, "--input-type=module", "-e", code).stdout)

    declared = (package / "node_modules/engram-console-client/dist/index.d.ts").read_text()

    assert len(methods) > 40
    assert [name for name in methods if f"\n  {name}(" not in declared] == []
    assert "= {}" not in declared
