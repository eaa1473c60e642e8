"""Read Markdown pages of headings and bullets, and change them line by line, so that the rest stays as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from skills.learning.rules.schema import SchemaHeading
from skills.packages.skill_md import HEADING, clean_heading

_BULLET = re.compile(r"^ {0,3}[-*+][ \t]+(\S(?:.*\S)?)[ \t]*$")
_DAY = re.compile(r"(?<![ \t])[ \t]*[(（](\d{4}-\d\d-\d\d)[)）]$")


@dataclass(frozen=True, slots=True)
class Bullet:
    """One bullet at a line of its page; `text` is without its day."""

    line: int
    heading: str
    text: str


def add_day(text: str, day: date) -> str:
    return f"{text} ({day.isoformat()})"


def remove_day(text: str) -> str:
    """A bullet's words without its day."""
    return _DAY.sub("", text)


def build_page(title: str, headings: Sequence[SchemaHeading]) -> str:
    return "\n\n".join([f"# {title}", *(heading.line for heading in headings)]) + "\n"


def parse_bullets(text: str) -> list[Bullet]:
    bullets, heading = [], ""
    for at, line in enumerate(text.split("\n")):
        title, bullet = HEADING.match(line), _BULLET.match(line)
        if title:
            heading = clean_heading(title) if len(title.group(1)) > 1 else ""
        elif bullet:
            bullets.append(Bullet(at, heading, remove_day(bullet.group(1))))
    return bullets


def parse_page_title(text: str) -> str:
    for line in text.split("\n"):
        match = HEADING.match(line)
        if match:
            return clean_heading(match) if len(match.group(1)) == 1 else ""
    return ""


def with_bullet(text: str, bullet: str, heading: SchemaHeading | None = None) -> str:
    """The page with the bullet below the last one under its heading; the heading is made when it is missing."""
    lines = text.rstrip("\n").split("\n")
    start = _find_start(lines, heading)
    if start is None and heading is not None:
        return "\n".join([*lines, "", heading.line, "", f"- {bullet}"]) + "\n"
    start = start or 0
    end = next(
        (at for at in range(start, len(lines)) if HEADING.match(lines[at]) and _is_deep(lines[at])),
        len(lines),
    )
    last = max((at for at in range(start, end) if lines[at].strip()), default=start - 1)
    before, after = lines[: last + 1], lines[last + 1 :]
    gap = [] if before and (_BULLET.match(before[-1]) or before[-1].startswith("  ")) else [""]
    while after and not after[0].strip():
        after.pop(0)
    return "\n".join([*before, *gap, f"- {bullet}", *([""] if after else []), *after]) + "\n"


def _is_deep(line: str) -> bool:
    match = HEADING.match(line)
    return bool(match) and len(match.group(1)) > 1  # type: ignore[union-attr]


def _find_start(lines: Sequence[str], heading: SchemaHeading | None) -> int | None:
    """The line after the heading, or after the title where no heading is wanted."""
    for at, line in enumerate(lines):
        match = HEADING.match(line)
        if not match:
            continue
        if heading is None and len(match.group(1)) == 1:
            return at + 1
        if heading is not None and len(match.group(1)) > 1 and _same(clean_heading(match), heading.text):
            return at + 1
    return None


def _same(text: str, other: str) -> bool:
    return text.strip("*_` :：").casefold() == other.strip("*_` :：").casefold()


def with_line(text: str, at: int, bullet: str | None) -> str:
    """The page with another bullet at this line, or without it."""
    lines = text.split("\n")
    if bullet is None:
        del lines[at]
    else:
        lines[at] = f"- {bullet}"
    return "\n".join(lines)


def with_entry(text: str, entry: str) -> str:
    """The page with a block at its end."""
    return f"{text.rstrip()}\n\n{entry.strip()}\n"
