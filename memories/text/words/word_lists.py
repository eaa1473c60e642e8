"""Lists of words in files, joined to alternatives of regular expressions."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def load_lists(path: Path) -> dict[str, Any]:
    """Load what a TOML file holds, read once."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def load_alternatives(path: Path, table: str = "") -> dict[str, str]:
    """Read each list of a TOML file as alternatives, without a group around them; longer words before shorter ones.

    A list is a string of words, or a table with `words`, `phrases` (an array of what has several words) and `patterns`
    (an array of regular expressions). A space in an entry stands for itself, also where the pattern is verbose. Of a
    file for several modules, `table` names the one whose lists are read.
    """
    lists: dict[str, str | dict[str, Any]] = load_lists(path)[table] if table else load_lists(path)
    return {
        name: _join_alternatives(**({"words": listed} if isinstance(listed, str) else listed))
        for name, listed in lists.items()
    }


def _join_alternatives(words: str = "", phrases: tuple[str, ...] = (), patterns: tuple[str, ...] = ()) -> str:
    plain = sorted([*words.split(), *phrases], key=len, reverse=True)
    return "|".join([*(pattern.replace(" ", r"\ ") for pattern in patterns), *map(re.escape, plain)])
