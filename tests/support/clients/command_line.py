"""The command `engram`, called in this process with a configuration of its own."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import Tenant


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


class Terminal(io.StringIO):
    """A terminal on which somebody types."""

    def isatty(self) -> bool:
        return True


class CommandLine:
    """Calls the command. `home` is the home folder of the one who calls."""

    def __init__(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.home, self._monkeypatch, self._capsys = home, monkeypatch, capsys
        for name in (
            "ENGRAM_API_KEY",
            "ENGRAM_BASE_URL",
            "ENGRAM_USER_ID",
            "ENGRAM_CONFIG",
            "XDG_CONFIG_HOME",
        ):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(home))
        project = home / "project"
        project.mkdir()
        monkeypatch.chdir(project)

    @property
    def config(self) -> Path:
        return self.home / ".config" / "engram" / "config.toml"

    def use(self, tenant: Tenant, user: str = "kim") -> CommandLine:
        self._monkeypatch.setenv("ENGRAM_API_KEY", tenant.key)
        self._monkeypatch.setenv("ENGRAM_BASE_URL", tenant.url)
        self._monkeypatch.setenv("ENGRAM_USER_ID", user)
        return self

    def __call__(self, *arguments: str, typed: str | None = None, piped: str = "") -> Result:
        """`typed` answers questions on a terminal; `piped` comes on standard input where there is none."""
        from engram_cli.main import run

        self._monkeypatch.setattr(sys, "argv", ["engram", *arguments])
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(piped) if typed is None else Terminal(typed))
        self._capsys.readouterr()
        code = self._exit_code(run)
        captured = self._capsys.readouterr()
        return Result(code, captured.out, captured.err)

    def _exit_code(self, run: Callable[[], None]) -> int:
        try:
            run()
        except SystemExit as end:
            return int(end.code or 0)
        return 0
