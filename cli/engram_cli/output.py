"""Answers as a table, as JSON, as Markdown, or as lines for an agent's context."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engram_cli import configuration
from engram_cli.failures import UsageFailed

Row = Mapping[str, Any]
MOST_COLUMNS = 5
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer: the API's own `data`, and the rows that people read. The first column is the main text."""

    data: Any
    rows: Sequence[Row]
    columns: Sequence[str]
    nothing: str = "Nothing found."
    title: str = ""


def chosen_format(asked: str | None) -> str:
    """The option, else the setting, else a table on a terminal and lines for agents elsewhere."""
    name = asked or configuration.get_value("format") or ("table" if sys.stdout.isatty() else "agent")
    if name not in configuration.FORMATS:
        raise UsageFailed(f"There is no format {name}: use {', '.join(configuration.FORMATS)}.")
    return name


def show(shown: Shown, asked: str | None) -> None:
    name = chosen_format(asked)
    if name == "json":
        print(json.dumps(shown.data, ensure_ascii=False, indent=2))
    elif not shown.rows:
        print(shown.nothing)
    elif name == "table":
        _print_table(shown)
    elif name == "markdown":
        print(_markdown(shown))
    else:
        print("\n".join(_agent_line(shown.columns, row) for row in shown.rows))


def plain(value: Any) -> str:
    """A value as text that is safe to show."""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return ", ".join(map(plain, value))
    if isinstance(value, dict):
        return printable(json.dumps(value, ensure_ascii=False))
    return "" if value is None else printable(str(value))


def printable(text: str) -> str:
    """Without control characters, by which a stored text could command the terminal; line breaks and tabs stay."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _print_table(shown: Shown) -> None:
    """Columns that are empty in all rows are left out; rows of many columns become blocks of lines."""
    # Rich takes longer to import than the other formats take as a whole.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns = [column for column in shown.columns if any(plain(row.get(column)) for row in shown.rows)]
    console = Console()
    if shown.title:
        console.print(Text(shown.title, style="bold"))
    if len(columns) > MOST_COLUMNS:
        for row in shown.rows:
            block = Table.grid(padding=(0, 2))
            for column in columns:
                block.add_row(Text(column.replace("_", " "), style="dim"), Text(plain(row.get(column))))
            console.print(block)
            console.print()
        return
    table = Table(box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in shown.rows:
        table.add_row(*(Text(plain(row.get(column))) for column in columns))
    console.print(table)


def _markdown(shown: Shown) -> str:
    def cells(values: Sequence[str]) -> str:
        escaped = (value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", "<br>") for value in values)
        return f"| {' | '.join(escaped)} |"

    lines = [
        cells([column.replace("_", " ") for column in shown.columns]),
        cells(["---"] * len(shown.columns)),
    ]
    return "\n".join(
        lines + [cells([plain(row.get(column)) for column in shown.columns]) for row in shown.rows]
    )


def _agent_line(columns: Sequence[str], row: Row) -> str:
    """One line of text with what else is known of it in brackets."""
    first, *others = columns
    known = ", ".join(f"{name}={plain(row[name])}" for name in others if row.get(name) not in (None, "", []))
    text = " ".join(plain(row.get(first)).split())
    return f"- {text} ({known})" if known else f"- {text}"
