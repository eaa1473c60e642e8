"""Prompts of the learning models."""

from __future__ import annotations

from functools import cache
from pathlib import Path

# A changed prompt is a new file with the next number: versions of skills refer to it.
_FOLDER = Path(__file__).parent


@cache
def load_prompt(version: str) -> str:
    """The words of a prompt, such as "write-1"."""
    return (_FOLDER / f"{version}.txt").read_text(encoding="utf-8").strip()
