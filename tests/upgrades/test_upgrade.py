"""An installation of an earlier release is upgraded: nothing is lost, keys work, and work in flight ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from console.embedded.preparation.prepare import PROJECT
from console.embedded.stack import OF_ANOTHER_INSTALLATION, Stack
from tests.support.api_client import Api
from tests.support.installations import EAGER, lend_static_files
from tests.support.knowledge.knowledge import fetch_file
from tests.support.waiting import LIMIT, look_until, wait_until
from tests.upgrades.filling import SECRETS, read

BACKUP = Path(__file__).parent / "release_9ac2045"
CLIENTS: dict[str, Any] = json.loads((BACKUP / "clients.json").read_text())
KEY = CLIENTS["api_key"]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    data = tmp_path_factory.mktemp("upgrade") / "data"
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name.removesuffix("_FILE") not in (*OF_ANOTHER_INSTALLATION, "DEMO_PASSWORD", "STORAGE_URL")
    }
    restored = subprocess.run(
        [sys.executable, "manage.py", "restore", str(BACKUP), "--verify"],
        cwd=PROJECT,
        env={**inherited, **SECRETS, "ENGRAM_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert restored.returncode == 0, restored.stderr
    lend_static_files(data)
    with Stack(data, **EAGER, **SECRETS) as stack:
        yield stack


@pytest.fixture
def api(own: Stack) -> Iterator[Api]:
    with Api(own.url, KEY) as client:
        yield client


def test_clients_read_what_they_read_before_the_upgrade(own: Stack) -> None:
    before = CLIENTS["before"]
    # What was in flight is not in what was read before, so only additions are allowed.
    for task in CLIENTS["tasks"]:
        with Api(own.url, KEY) as api:
            assert api.wait_until_done(task) == "completed"

    after = read(own.url, KEY, CLIENTS)

    for user, memories in before["memories"].items():
        missing = [row for row in memories if row not in after["memories"][user]]
        assert not missing
    assert after["messages"] == before["messages"]
    assert all(file in after["files"] for file in before["files"])
    assert after["session"] == before["session"]
    assert after["skills"] == before["skills"]


def test_work_in_flight_ends_after_the_upgrade(own: Stack, api: Api) -> None:
    assert [api.wait_until_done(task) for task in CLIENTS["tasks"]] == ["completed", "completed"]
    ended = look_until(
        lambda: fetch_file(api, CLIENTS["late_file"]), lambda file: file["status"] != "running"
    )
    assert ended["status"] == "completed"
    assert any("Portuguese" in fact for fact in api.facts("nadia@example.org", "Which language do I learn?"))
    assert any("成都" in fact for fact in api.facts("秀英", "我要去哪里出差？"))
    assert any("level two" in fact for fact in base_facts(api, "Where do visitors park?"))


def test_searches_find_memories_files_and_knowledge_of_the_earlier_release(api: Api) -> None:
    assert "penicillin" in str(api.search("nadia@example.org", "What am I allergic to?"))
    assert any("杭州" in fact for fact in api.facts("秀英", "我住在哪里？"))
    assert any("6:40" in fact for fact in api.facts("tom/7", "When does the ferry leave?"))
    assert any("45 days" in fact for fact in base_facts(api, "Until when may goods be returned?"))


def test_what_was_deleted_before_stays_deleted(api: Api) -> None:
    assert api.facts("owen", "What do I keep in the garden?") == []
    assert CLIENTS["before"]["memories"]["owen"] == api.listed("owen")["memory_detail_list"]


def test_the_key_writes_and_the_skill_package_is_downloaded(own: Stack, api: Api) -> None:
    api.add("nadia@example.org", "I sing in a choir on Mondays.", conversation_id="after")
    wait_until(lambda: "choir" in str(api.facts("nadia@example.org", "Do I sing?")))
    skills = api.search(
        "nadia@example.org",
        "How are customer returns processed?",
        include_skill=True,
        knowledgebase_ids=[CLIENTS["base"]],
    )["skill_detail_list"]
    (address,) = {skill["skill_url"] for skill in skills}
    package = httpx.get(f"{own.url}/{address.split('/', 3)[3]}", trust_env=False, timeout=LIMIT)
    assert package.status_code == 200
    assert package.content[:2] == b"PK"


def base_facts(api: Api, query: str) -> list[str]:
    return api.facts("nadia@example.org", query, knowledgebase_ids=[CLIENTS["base"]])
