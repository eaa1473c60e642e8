"""Parsing of files in a process of its own."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from textwrap import indent

import pytest

from memories.files import parser as parsing
from memories.files.parser import parse_file
from memories.files.values import FileKind, Parsed


def parsed(kind: FileKind, content: bytes, pages: int = 200, seconds: float = 30.0) -> Parsed:
    with TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        return parse_file(file, kind, pages, seconds=seconds)


def child_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    """The real child, with a reader that does this instead of reading."""
    source = (Path(parsing.__file__).parent / "sandbox" / "child.py").read_text()
    house = str(Path(parsing.__file__).resolve().parents[2])
    source = source.replace("os.path.realpath(__file__)", repr(f"{house}/memories/files/sandbox/child.py"))
    source = source.replace(
        "read = reader_choice.load_reader(kind)", f"def read(file, pages):\n        {does}\n"
    )
    script = tmp_path / "child.py"
    script.write_text(source)
    monkeypatch.setattr(parsing, "CHILD", script)


def child_that_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, acts: dict[str, str], refusal: str, first: str = ""
) -> None:
    """Instead of reading, it does one after the other what must end with that exception, and says what did not."""
    attempts = "".join(
        f"try:\n    {act}\n    allowed.append({name!r})\nexcept {refusal}:\n    pass\n"
        for name, act in acts.items()
    )
    report = (
        "from memories.files.values import Unreadable\n"
        "raise Unreadable('not refused: ' + (', '.join(allowed) or 'nothing'))"
    )
    child_that(tmp_path, monkeypatch, "\n" + indent(f"{first}allowed = []\n{attempts}{report}", " " * 8))
