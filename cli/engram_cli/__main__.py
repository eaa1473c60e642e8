"""`python -m engram_cli` is the command `engram`."""

from __future__ import annotations

from engram_cli.main import run

run()
