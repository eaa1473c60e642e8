"""The skills that every learning space begins with."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = ("daily-logs", "user-general-facts")


@lru_cache(maxsize=1)
def load_default_skills() -> tuple[str, ...]:
    """The SKILL.md of each, in the order in which spaces list them."""
    return tuple((FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in NAMES)
