"""Prompts of the engines, and the JSON schemas of their answers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

# A changed prompt is a new file with the next number: memories name the one they came from.
_FOLDER = Path(__file__).parent


@cache
def read_prompt(version: str) -> str:
    """The words of a prompt, such as "extract-2"."""
    return (_FOLDER / f"{version}.txt").read_text(encoding="utf-8").strip()


@cache
def read_schema(version: str) -> dict[str, Any]:
    """The JSON Schema of the answers to a prompt. In the subset that servers with strict output understand."""
    body: dict[str, Any] = json.loads((_FOLDER / f"{version}.json").read_text(encoding="utf-8"))
    return body
