"""The programs on the pages for those who come from another memory run as they stand there, but for key and address."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.project import PROJECT_ROOT
from tests.support.waiting import look_until

PACKAGES = (PROJECT_ROOT / "clients/python", PROJECT_ROOT / "tests/support/mem0")
CLIENT_ALONE = "import published_client\n\nMemoryClient = published_client.import_client().MemoryClient"
PROGRAM = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def programs(page: str) -> list[str]:
    return PROGRAM.findall((PROJECT_ROOT / f"docs/coming-from/{page}.md").read_text())


def run(program: str, folder: Path, tenant: Tenant, old: Tenant | None = None) -> str:
    """What it prints. A client of mem0's with the key `m0-...` speaks to the old server.

    That client comes without the rest of its package, which needs a vector database's.
    """
    for shown, real in [
        ("from mem0 import MemoryClient", CLIENT_ALONE),
        ('"http://localhost:8000"', f'"{tenant.url}"'),
        ('"mpg-..."', f'"{tenant.key}"'),
        ("page_size=100", "page_size=10"),
        ('"m0-..."', f'"{old.key}", host="{old.url}"' if old else '""'),
    ]:
        program = program.replace(shown, real)
    mem0 = subprocess.run([str(PROJECT_ROOT / ".ci/mem0")], check=True, capture_output=True, text=True)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": ":".join(str(path) for path in (*PACKAGES, mem0.stdout.strip())),
            "MEM0_TELEMETRY": "False",
            "MEM0_DIR": str(folder),
            "NO_PROXY": "*",
        },
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("page", ["mem0", "zep", "letta"])
def test_the_smallest_change_stores_and_finds(page: str, tenant: Tenant, tmp_path: Path) -> None:
    assert "Shanghai" in run(programs(page)[0], tmp_path, tenant)


def test_memories_are_copied_from_a_server_of_mem0s_contract(
    tenant: Tenant, stranger: Tenant, tmp_path: Path
) -> None:
    program = programs("mem0")[1]
    with Mem0(stranger) as old, Mem0(tenant) as new:
        dated = {"metadata": {"a": {"b": [1, None]}}, "timestamp": 1_700_000_000}
        old.store("I live in Porto.", "kim", agent_id="planner", run_id="talk", **dated)
        old.store("Be brief.", agent_id="planner", immutable=True)
        old.store("Opens at nine.", app_id="shop", expiration_date="2999-01-01")
        # More than a page.
        notes = [{"role": "user", "content": f"Note {number}."} for number in range(13)]
        old.ok("POST", "/v3/memories/add/", {"messages": notes, "run_id": "notes", "infer": False})
        old.ok("POST", "/v1/memories/", {"messages": "I keep bees in Ghent.", "user_id": "lee"})
        everybody = {"OR": [{f"{kind}_id": "*"} for kind in ("user", "agent", "app", "run")]}

        def rows(server: Mem0) -> list[str]:
            memories = []
            for page in (1, 2):
                address = f"/v3/memories/?page={page}&page_size=10"
                memories += server.ok("POST", address, {"filters": everybody})["results"]
            compared = ("memory", "user_id", "agent_id", "app_id", "run_id", "metadata", "immutable")
            return sorted(repr([row[name] for name in (*compared, "expiration_date")]) for row in memories)

        before = look_until(
            lambda: rows(old), lambda seen: "Ghent" in repr(seen) and "user: [" not in repr(seen)
        )
        assert run(program, tmp_path, tenant, stranger).startswith(f"copied {len(before)}")
        assert rows(new) == before
        run(program, tmp_path, tenant, stranger)

        assert rows(new) == before
        assert new.search("Where do I live?", {"user_id": "kim"})[0]["created_at"].startswith("2023-11-14")
