"""Where the project lies, for tests that read its files or run its commands."""

from __future__ import annotations

from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
