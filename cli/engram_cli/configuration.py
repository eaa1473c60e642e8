"""What is set: options of the command, else the environment, else the configuration file."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from pathlib import Path

from engram_cli.failures import CommandFailed, UsageFailed

# Name in the file, with what it is for.
SETTINGS = {
    "api_key": "API key of a project",
    "base_url": "address of the server",
    "user_id": "end user whose memories are meant where a command names none",
    "conversation_id": "conversation that is meant where a command names none",
    "format": "table, json, markdown or agent",
}
FORMATS = ("table", "json", "markdown", "agent")
DEFAULT_URL = "http://localhost:8000"
# Options before the command, which hold for this call.
_given: dict[str, str] = {}


def reset() -> None:
    """Begin a call of the command."""
    _given.clear()


def give(name: str, value: str | None) -> None:
    """Take a value from the command line, above environment and file."""
    if value:
        _given[name] = value


def path() -> Path:
    if named := os.environ.get("ENGRAM_CONFIG"):
        return Path(named)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "engram" / "config.toml"


def read() -> dict[str, str]:
    """The file's settings. Raises `CommandFailed` for a file that is not TOML."""
    try:
        content = tomllib.loads(path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandFailed(f"{path()} cannot be read: {error}") from error
    return {name: str(value) for name, value in content.items() if name in SETTINGS}


def write(settings: dict[str, str]) -> None:
    """Write the file anew; it holds a key, so that only its owner may read it."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in sorted(settings.items())]
    write_privately(path(), "\n".join(lines) + "\n")


def write_privately(target: Path, content: str, mode: int = 0o600) -> None:
    """Replace a file in one step; through a symbolic link, and never half."""
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def get_value(name: str) -> str:
    """A setting, or an empty string. Raises `UsageFailed` for an unknown name."""
    if name not in SETTINGS:
        raise UsageFailed(f"There is no setting {name}: use {', '.join(SETTINGS)}.")
    return _given.get(name) or os.environ.get(f"ENGRAM_{name.upper()}", "") or read().get(name, "")


def base_url() -> str:
    return (get_value("base_url") or DEFAULT_URL).rstrip("/").removesuffix("/api/openmem/v1")


def api_key() -> str:
    """Raises `UsageFailed` without a key."""
    if key := get_value("api_key"):
        return key
    raise UsageFailed("No API key: run `engram login`, or set ENGRAM_API_KEY.")


def masked(key: str) -> str:
    return f"{key[:4]}…{key[-4:]}" if len(key) > 12 else "…"
