"""The command on a terminal: questions, hidden keys, tables and progress bars."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engram_client import Engram
from tests.support.api_client import Tenant
from tests.support.terminal import run_on_terminal

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    path = f"{ROOT / 'clients' / 'python'}:{ROOT / 'cli'}"
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": path, "LANG": "C.UTF-8"}


def test_login_asks_and_hides_the_key(environment: dict[str, str], tenant: Tenant, tmp_path: Path) -> None:
    answers = [("Server", tenant.url), ("API key", tenant.key)]

    code, shown = run_on_terminal(["-m", "engram_cli", "login"], environment, answers, ["API key"])

    assert code == 0, shown
    assert tenant.key not in shown
    assert tenant.key in (tmp_path / ".config" / "engram" / "config.toml").read_text()


def test_deleting_a_user_is_asked_for(environment: dict[str, str], tenant: Tenant) -> None:
    environment |= {"ENGRAM_API_KEY": tenant.key, "ENGRAM_BASE_URL": tenant.url}
    with Engram(tenant.key, tenant.url) as client:
        client.wait(client.add("我住在杭州，喜欢靠窗的座位。", user_id="李雷"))

        code, shown = run_on_terminal(["-m", "engram_cli", "get", "李雷"], environment)
        assert code == 0, shown
        assert "杭州" in shown
        assert "memory" in shown
        command = ["-m", "engram_cli", "delete", "--user-id", "李雷"]
        assert run_on_terminal(command, environment, [("for good", "n")])[0] == 1
        assert list(client.get_memories(user_id="李雷"))
        assert run_on_terminal(command, environment, [("for good", "y")])[0] == 0
        assert not list(client.get_memories(user_id="李雷"))


def test_an_upload_shows_how_far_it_is(environment: dict[str, str], tenant: Tenant, tmp_path: Path) -> None:
    environment |= {"ENGRAM_API_KEY": tenant.key, "ENGRAM_BASE_URL": tenant.url}
    path = tmp_path / "notes.txt"
    path.write_text("A night may cost 120 euros.\n" * 2000)
    with Engram(tenant.key, tenant.url) as client:
        base = client.create_knowledge_base("Travel")

    command = ["-m", "engram_cli", "kb", "add-file", str(path), "--kb-id", base]
    code, shown = run_on_terminal(command, environment)

    assert code == 0, shown
    assert "Uploading" in shown
    assert "56.0/56.0 kB" in shown
