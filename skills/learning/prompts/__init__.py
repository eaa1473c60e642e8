"""Prompts of the learning models. Changed prompts are new files with the next number, which versions refer to."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def load_prompt(version: str) -> str:
    """The words of a prompt, such as "write-1"."""
    return (_FOLDER / f"{version}.txt").read_text(encoding="utf-8").strip()
