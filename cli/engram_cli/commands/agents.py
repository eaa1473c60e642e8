"""init: connect an agent to Engram, by its MCP configuration or by a skill."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from engram_cli import configuration
from engram_cli.commands.memories import confirm
from engram_cli.failures import CommandFailed, UsageFailed
from engram_cli.merge import merge_json, merge_toml
from engram_cli.options import Yes
from engram_cli.targets import NAME, SKILL, TARGETS, Target, expanded


def init(
    target: Annotated[str | None, typer.Argument(help=f"One of {', '.join(TARGETS)}.")] = None,
    user_id: Annotated[
        str | None, typer.Option("--user-id", "-u", help="Whose memories it shall use.")
    ] = None,
    agent_id: Annotated[str | None, typer.Option(help="Under which agent it writes.")] = None,
    project: Annotated[bool, typer.Option(help="Write into this folder, not into your home folder.")] = False,
    skill: Annotated[
        bool, typer.Option(help="Write a skill that calls this command, in place of MCP.")
    ] = False,
    dry_run: Annotated[bool, typer.Option(help="Only show what would change.")] = False,
    yes: Yes = False,
) -> None:
    """Connect an agent (Claude Code, Cursor, Codex, ...): shows what changes, asks, and keeps everything else."""
    if target is None:
        for name, known in TARGETS.items():
            print(f"{name:12} {known.title}")
        return
    if target not in TARGETS:
        raise UsageFailed(f"There is no target {target}: use {', '.join(TARGETS)}.")
    known = TARGETS[target]
    path, before, after = _plan_change(
        target, known, user_id=user_id, agent_id=agent_id, in_project=project, as_skill=skill
    )
    if before == after:
        print(f"{path} has it already.")
        return
    print(_diff(path, before, after), end="")
    if dry_run:
        return
    if not yes:
        confirm(f"Write {path}?")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    configuration.write_privately(path, after, mode)
    print(f"Wrote {path}. Restart {known.title} to use it.")
    if project and not skill:
        print(f"{path.name} holds your API key: keep it out of version control.", file=sys.stderr)


class FileChange(NamedTuple):
    """A file, what it holds ("" where it is not there), and what it shall hold."""

    path: Path
    before: str
    after: str


def _plan_change(
    name: str, known: Target, *, user_id: str | None, agent_id: str | None, in_project: bool, as_skill: bool
) -> FileChange:
    path = None if as_skill else known.file(in_project)
    if path is None and known.skills and not in_project:
        path = expanded(known.skills) / NAME / "SKILL.md"
        return FileChange(path, _read(path), SKILL)
    if path is None:
        wanted = (
            "a skill" if as_skill else "a file in the project" if in_project else "a file in the home folder"
        )
        raise UsageFailed(f"{known.title} has no place for {wanted} that Engram knows of.")
    headers = {"Authorization": f"Bearer {configuration.api_key()}"}
    if user := user_id or ("" if agent_id else configuration.get_value("user_id")):
        headers["X-Engram-User"] = user
    if agent_id:
        headers["X-Engram-Agent"] = agent_id
    if len(headers) == 1:
        raise UsageFailed(f"Whose memories shall {name} use? Give --user-id or --agent-id.")
    if bad := [header for header, value in headers.items() if not value.isascii() or not value.isprintable()]:
        raise UsageFailed(f"{', '.join(bad)} must be plain ASCII, because it is sent as a header.")
    entry = known.entry(f"{configuration.base_url()}/mcp", headers)
    before = _read(path)
    try:
        merge = merge_toml if path.suffix == ".toml" else merge_json
        return FileChange(path, before, merge(before, known.keys, NAME, entry))
    except CommandFailed as error:
        raise CommandFailed(f"{path} was left alone: {error}") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise CommandFailed(f"{path} was left alone: it is not UTF-8.") from error


def _diff(path: Path, before: str, after: str) -> str:
    """A unified diff, with the ends of the key only."""
    key = configuration.get_value("api_key")
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path), n=2
    )
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return text.replace(key, configuration.masked(key)) if key else text
