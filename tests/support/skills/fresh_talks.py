"""Labelled conversations of many trades, from `tests/skills/talks/*.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memories.values import ToolCall, Turn

FOLDER = Path(__file__).parents[2] / "skills" / "talks"
BEGINNING = datetime(2026, 3, 2, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FreshTalk:
    """A conversation with what the skills from it must and must not say; of a row of `must` one alternative will do."""

    name: str
    turns: list[Turn]
    skills: int
    must: list[list[str]]
    never: list[str]


def fresh_talks() -> Iterator[FreshTalk]:
    for path in sorted(FOLDER.glob("*.toml")):
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["talk"]:
            must = [row.split("|") for row in table["must"]]
            yield FreshTalk(table["name"], _turns(table["play"]), table["skills"], must, table["never"])


def _turns(play: str) -> list[Turn]:
    lines = play.strip().splitlines()
    return [_turn(line, BEGINNING + timedelta(minutes=at)) for at, line in enumerate(lines)]


def _turn(line: str, at: datetime) -> Turn:
    who, text = line.split(": ", 1)
    text = text.replace("\\n", "\n")
    name, _, rest = text.partition(" ")
    if who == "C":
        return Turn("assistant", "", at, calls=(ToolCall(name, name, rest or "{}"),))
    if who == "R":
        return Turn("tool", rest, at, answers=name)
    return Turn("user" if who == "U" else "assistant", text, at)
