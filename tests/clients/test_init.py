"""`engram init` for every agent: on nothing, on what is there, and twice."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engram_cli.targets import TARGETS
from tests.support.clients.command_line import CommandLine

KEY = "mpg-0123456789abcdef"
URL = "http://engram.example:8000"
# Where each agent looks, what leads to the table of servers, and which field holds the address.
PLACES = {
    "claude-code": (".claude.json", ["mcpServers"], "url"),
    "claude": (".claude.json", ["mcpServers"], "url"),
    "cursor": (".cursor/mcp.json", ["mcpServers"], "url"),
    "codex": (".codex/config.toml", ["mcp_servers"], "url"),
    "gemini": (".gemini/settings.json", ["mcpServers"], "httpUrl"),
    "openclaw": (".openclaw/openclaw.json", ["mcp", "servers"], "url"),
    "trae": ("project/.trae/mcp.json", ["mcpServers"], "url"),
    "trae-cn": ("project/.trae/mcp.json", ["mcpServers"], "url"),
    "opencode": (".config/opencode/opencode.json", ["mcp"], "url"),
    "cline": (
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ["mcpServers"],
        "url",
    ),
    "copilot": (".copilot/mcp-config.json", ["mcpServers"], "url"),
    "vscode": (".config/Code/User/mcp.json", ["servers"], "url"),
    "antigravity": (".gemini/antigravity/mcp_config.json", ["mcpServers"], "serverUrl"),
    "windsurf": (".codeium/windsurf/mcp_config.json", ["mcpServers"], "serverUrl"),
}
SKILL_ONLY = {
    "hermes": ".hermes/skills/engram/SKILL.md",
    "codebuddy": ".codebuddy/skills/engram/SKILL.md",
    "workbuddy": ".workbuddy/skills/engram/SKILL.md",
}
# The names that users of the MemOS command line know.
PUBLISHED = {
    *(
        "codex",
        "cursor",
        "claude",
        "openclaw",
        "hermes",
        "trae",
        "trae-cn",
        "opencode",
        "antigravity",
        "workbuddy",
    ),
    *("cline", "copilot"),
}
EXISTING_TOML = """\
# My settings
model = "gpt-5"

[mcp_servers.other]  # keep me
command = "npx"
args = ["-y", "other"]

[mcp_servers.engram]
url = "http://old.example/mcp"

[mcp_servers.engram.http_headers]
Authorization = "Bearer old"

[profiles.work]
model = "o3"
"""


@pytest.fixture
def ready(anonymous: CommandLine) -> CommandLine:
    anonymous("config", "set", "api_key", KEY)
    anonymous("config", "set", "base_url", URL)
    anonymous("config", "set", "user_id", "kim")
    return anonymous


def arguments(target: str, *more: str) -> list[str]:
    return ["init", target, *(["--project"] if target.startswith("trae") else []), *more]


def read(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def read_entry(path: Path, keys: list[str]) -> dict[str, Any]:
    entry = read(path)
    for key in [*keys, "engram"]:
        entry = entry[key]
    return entry


def test_every_target_is_tried() -> None:
    assert set(PLACES) | set(SKILL_ONLY) == set(TARGETS)
    assert set(TARGETS) > PUBLISHED


@pytest.mark.parametrize("target", PLACES)
def test_a_configuration_is_made_where_there_is_none(ready: CommandLine, target: str) -> None:
    place, keys, address = PLACES[target]
    path = ready.home / place

    dry = ready(*arguments(target, "--dry-run"))
    assert dry.code == 0
    assert not path.exists()
    assert f"+{'' if path.suffix == '.toml' else ' '}" in dry.out
    assert KEY not in dry.out

    assert ready(*arguments(target)).code == 2  # nobody can be asked
    assert ready(*arguments(target), typed="n\n").code == 1
    assert not path.exists()
    assert ready(*arguments(target), typed="y\n").code == 0

    entry = read_entry(path, keys)
    headers = entry["http_headers" if target == "codex" else "headers"]
    assert entry[address] == f"{URL}/mcp"
    assert headers == {"Authorization": f"Bearer {KEY}", "X-Engram-User": "kim"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("target", [name for name in PLACES if name != "codex"])
def test_what_is_there_is_kept_and_a_second_run_changes_nothing(ready: CommandLine, target: str) -> None:
    place, keys, address = PLACES[target]
    path = ready.home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    servers: dict[str, Any] = {"other": {"command": "npx"}, "engram": {"url": "http://old.example/mcp"}}
    nested = servers
    for key in reversed(keys):
        nested = {key: nested}
    before = {"主题": "dark", **nested, "last": [1, 2]}
    path.write_text(json.dumps(before, ensure_ascii=False, indent=4) + "\n", encoding="utf-8")
    path.chmod(0o644)

    assert ready(*arguments(target, "--yes")).code == 0

    after = read(path)
    assert list(after) == list(before)
    assert (after["主题"], after["last"]) == ("dark", [1, 2])
    assert read_entry(path, keys)[address] == f"{URL}/mcp"
    assert '\n    "主题"' in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    written = path.read_bytes()
    again = ready(*arguments(target, "--yes"))
    assert again.code == 0
    assert "has it already" in again.out
    assert path.read_bytes() == written


def test_toml_keeps_comments_order_and_other_tables(ready: CommandLine) -> None:
    path = ready.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(EXISTING_TOML)

    assert ready("init", "codex", "--yes").code == 0

    text = path.read_text()
    after = tomllib.loads(text)
    assert text.startswith(EXISTING_TOML[: EXISTING_TOML.index("[mcp_servers.engram]")])
    assert text.endswith('[profiles.work]\nmodel = "o3"\n')
    assert after["mcp_servers"]["engram"]["http_headers"]["Authorization"] == f"Bearer {KEY}"
    assert text.count("engram]") == 1
    assert "has it already" in ready("init", "codex", "--yes").out


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ("cursor", '{\n  // my servers\n  "mcpServers": {}\n}\n'),
        ("cursor", '{"mcpServers": ["a list"]}'),
        ("cursor", '["a list"]'),
        ("codex", "model = \n"),
        ("codex", 'mcp_servers = { other = { command = "npx" } }\n'),
        ("codex", 'text = """\n[mcp_servers.engram]\n"""\n'),
    ],
)
def test_what_cannot_be_changed_safely_is_left_alone(ready: CommandLine, target: str, content: str) -> None:
    path = ready.home / PLACES[target][0]
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)

    result = ready("init", target, "--yes")

    assert result.code == 1
    assert path.read_text() == content
    assert "was left alone" in result.err
    assert "by hand" in result.err


def test_a_symbolic_link_stays_one(ready: CommandLine) -> None:
    real = ready.home / "dotfiles.json"
    real.write_text("{}")
    link = ready.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)

    ready("init", "cursor", "--yes")

    assert link.is_symlink()
    assert "engram" in real.read_text()


@pytest.mark.parametrize("target", [name for name, target in TARGETS.items() if target.skills])
def test_a_skill_is_written_in_place_of_mcp(ready: CommandLine, target: str) -> None:
    option = [] if target in SKILL_ONLY else ["--skill"]

    assert ready("init", target, *option, "--yes").code == 0

    path = Path(TARGETS[target].skills).expanduser() / "engram" / "SKILL.md"
    assert path.read_text().startswith("---\nname: engram\n")
    assert KEY not in path.read_text()
    assert "has it already" in ready("init", target, *option, "--yes").out


@pytest.mark.parametrize("target", [name for name, target in TARGETS.items() if target.project_file])
def test_a_project_has_a_configuration_of_its_own(ready: CommandLine, target: str) -> None:
    result = ready("init", target, "--project", "--yes")

    assert (ready.home / "project" / TARGETS[target].project_file).exists()
    assert "version control" in result.err


def test_what_is_not_possible_is_said(ready: CommandLine) -> None:
    assert "claude-code" in ready("init").out
    assert ready("init", "emacs").code == 2
    assert ready("init", "windsurf", "--project").code == 2
    assert ready("init", "codex", "--project").code == 2
    assert ready("init", "cline", "--skill").code == 2
    assert "ASCII" in ready("init", "cursor", "--user-id", "李雷").err
    ready("config", "unset", "user_id")
    assert "--user-id" in ready("init", "cursor").err
