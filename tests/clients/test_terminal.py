"""The command on a terminal: questions, hidden keys, tables and progress bars."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engram_client import Engram
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant
from tests.support.clients.terminal import run_on_terminal

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    path = f"{ROOT / 'clients' / 'python'}:{ROOT / 'cli'}"
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": path, "LANG": "C.UTF-8"}


def test_login_asks_and_hides_the_key(environment: dict[str, str], tenant: Tenant, tmp_path: Path) -> None:
    answers = [("Server", tenant.url), ("API key", tenant.key)]

    code, shown = run_on_terminal(
        ["-m", "engram_cli", "login", "--with-key"], environment, answers, ["API key"]
    )

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


def test_login_by_a_code_that_is_approved_in_the_browser(
    environment: dict[str, str], tenant: Tenant, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "engram_cli", "login", "--url", tenant.url, "--scope", "read"]
    login = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with login:
        assert login.stderr is not None
        line = login.stderr.readline()
        code = re.search(r"enter the code (\S+),", line)
        assert code, line
        form = {"code": code[1], "project": tenant.project_id, "scopes": ["read"], "action": "approve"}
        assert sign_in_owner(tenant).post("/device/", form).status_code == 200
        out, err = login.communicate(timeout=120)

    assert login.returncode == 0, err
    assert "Signed in to" in out
    kept = (tmp_path / ".config" / "engram" / "config.toml").read_text()
    assert tenant.url in kept
    assert "mpg-" in kept
    assert "mpg-" not in out + err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--url", "http://127.0.0.1:1"], 1, "does not answer"),
        (["--url", "ftp://example.org"], 1, "no address"),
        ([], 2, "--url"),
        (["--with-key", "--url", "http://127.0.0.1:1"], 2, "--key"),
    ],
)
def test_a_login_that_cannot_be_is_said(
    environment: dict[str, str], options: list[str], code: int, words: str
) -> None:
    command = [sys.executable, "-m", "engram_cli", "login", *options]

    ended = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )

    assert (ended.returncode, words in ended.stderr) == (code, True), ended.stderr


def test_a_scope_that_there_is_not_is_said(environment: dict[str, str], tenant: Tenant) -> None:
    command = [sys.executable, "-m", "engram_cli", "login", "--url", tenant.url, "--scope", "everything"]

    ended = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )

    assert (ended.returncode, "scope" in ended.stderr) == (1, True), ended.stderr
