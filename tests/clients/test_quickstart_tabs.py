"""What the quickstart's tabs say, copied and run as it stands there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from console.ui.texts.snippets import KEY_SLOT, LANGUAGES, render_snippet
from tests.support.api_client import Tenant
from tests.support.clients.command_line import CommandLine
from tests.support.clients.typescript import install_package, run_node

ROOT = Path(__file__).resolve().parents[2]


def snippet(name: str, tenant: Tenant) -> str:
    text = render_snippet(name, url=tenant.url, base_url=f"{tenant.url}/api/openmem/v1")
    return text.replace(KEY_SLOT, tenant.key)


@pytest.mark.parametrize("call", ["add", "search"])
def test_every_tab_has_its_text(call: str) -> None:
    assert all(render_snippet(f"{call}/{name}") for name, _, _ in LANGUAGES)


def run_python(source: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
    return subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True)


def test_python_and_the_prompt_made_of_it(tenant: Tenant) -> None:
    added = run_python(snippet("add/python", tenant))
    assert added.stdout == "completed\n", added.stderr

    prompt = f"{snippet('search/python', tenant)}\n{snippet('prompt_python', tenant)}\nprint(system_prompt)"
    output = run_python(prompt).stdout

    assert "Shanghai" in output.partition("come first.")[2]
    assert "window seats" in output


def test_curl(tenant: Tenant) -> None:
    for call in ("add", "search"):
        ran = subprocess.run(["bash", "-c", snippet(f"{call}/curl", tenant)], capture_output=True, text=True)
        assert '"code":0' in ran.stdout.replace(" ", ""), ran.stderr


def test_typescript(tenant: Tenant, tmp_path: Path) -> None:
    install_package(tmp_path)
    for call, expected in (("add", "completed"), ("search", "Shanghai")):
        script = tmp_path / f"{call}.mjs"
        script.write_text(snippet(f"{call}/typescript", tenant))
        assert expected in run_node(tmp_path, script.name).stdout


def test_command_line(anonymous: CommandLine, tenant: Tenant) -> None:
    shown = ""
    for line in (
        "\n".join(snippet(f"{call}/cli", tenant) for call in ("add", "search"))
        .replace("\\\n", "")
        .splitlines()
    ):
        words = shlex.split(line, comments=True)
        if words:
            result = anonymous(*words[1:])
            assert result.code == 0, result.err
            shown += result.out

    assert "completed" in shown
    assert "Shanghai" in shown


def test_plain_requests(tenant: Tenant) -> None:
    for call in ("add", "search"):
        ran = run_python(snippet(f"{call}/requests", tenant))
        assert ran.returncode == 0, ran.stderr
