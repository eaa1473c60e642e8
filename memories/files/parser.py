"""Parse files in a child process, which is killed when it takes too much of anything."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from memories.files.sandbox.limits import (
    MAX_CONTEXT,
    MAX_FRAGMENT,
    MAX_HEADING,
    MAX_OUTPUT,
    WALL_CLOCK_SECONDS,
)
from memories.files.sandbox.missing_restrictions import note_refused
from memories.files.storage import StoredFile, open_stored
from memories.files.values import FileKind, Fragment, Parsed, Purpose
from tenancy.errors import CatalogueError, FileTooLarge, InvalidFile

CHILD = Path(__file__).parent / "sandbox" / "child.py"
PIECE = 64 * 1024
# What the child says, by the class of its failure.
FAILURES: dict[str, type[CatalogueError]] = {"TooLong": FileTooLarge, "Unreadable": InvalidFile}
SPLIT = "Split it into smaller files."
SAVE_AGAIN = "Open it in its program, save it again, and upload it."


def parse_stored(
    stored: StoredFile, pages: int, purpose: Purpose = Purpose.MESSAGE, seconds: float | None = None
) -> Parsed:
    """All of the file or nothing. Raises `InvalidFile`, `FileTooLarge`, `FileNotFoundError`, `OperationFailed`.

    The `detail` of the first two says why, their `cure` what the file's owner can do; neither holds a word of the file.
    """
    with open_stored(stored.key) as file:
        return parse_file(file, stored.kind, pages, purpose, seconds)


def parse_file(
    file: IO[bytes],
    kind: FileKind,
    pages: int,
    purpose: Purpose = Purpose.MESSAGE,
    seconds: float | None = None,
) -> Parsed:
    with TemporaryDirectory(prefix="engram-parse-") as folder:
        child = subprocess.Popen(
            [sys.executable, "-I", str(CHILD), kind.value, str(pages), purpose.value],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={},
            start_new_session=True,
        )
        until = time.monotonic() + (seconds or WALL_CLOCK_SECONDS[purpose])
        try:
            output = _read_output(child, until)
            code = child.wait(max(0.5, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise _build_timeout_error() from None
        finally:
            _end_child(child)
    return _parse_child_output(output, code)


def _build_timeout_error() -> InvalidFile:
    return InvalidFile("reading it takes too long", cure=SPLIT)


def _read_output(child: subprocess.Popen[bytes], until: float) -> bytes:
    """All that the child writes. `until`: a time of `time.monotonic()`, in seconds."""
    output = bytearray()
    assert child.stdout is not None  # noqa: S101  # asked for above
    descriptor = child.stdout.fileno()
    with selectors.DefaultSelector() as waiting:
        waiting.register(descriptor, selectors.EVENT_READ)
        while True:
            if not waiting.select(max(0.0, until - time.monotonic())):
                raise _build_timeout_error()
            piece = os.read(descriptor, PIECE)
            if not piece:
                return bytes(output)
            output += piece
            if len(output) > MAX_OUTPUT:
                raise FileTooLarge("it holds too much text", cure=SPLIT)


def _end_child(child: subprocess.Popen[bytes]) -> None:
    """The child and whatever it started."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdout is not None:
        child.stdout.close()


def _parse_child_output(output: bytes, code: int) -> Parsed:
    """Parse the output of the child, which is as untrusted as the file that it read: known shapes only."""
    try:
        lines = [json.loads(line) for line in output.splitlines()]
        end = lines.pop() if lines else {}
        note_refused(end.get("refused"))
        if "failure" in end:
            raise _build_failure(end)
        if code == -signal.SIGXCPU:
            raise _build_timeout_error()
        if code != 0 or "pages" not in end:
            raise InvalidFile("it cannot be read", cure=SAVE_AGAIN)
        return Parsed(
            tuple(_parse_fragment(line) for line in lines), int(end["pages"]), _parse_facts(end.get("facts"))
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InvalidFile("it cannot be read", cure=SAVE_AGAIN) from None


def _build_failure(report: dict[str, Any]) -> CatalogueError:
    reason, cure = (_remove_unstorable(str(report.get(name, "")))[:200] for name in ("reason", "cure"))
    return FAILURES.get(report["failure"], InvalidFile)(reason, cure=cure)


def _parse_fragment(line: dict[str, Any]) -> Fragment:
    text, heading = (
        _remove_unstorable(line["text"])[:MAX_FRAGMENT],
        _remove_unstorable(line["heading"])[:MAX_HEADING],
    )
    return Fragment(
        text, heading, int(line["page"]), _remove_unstorable(line.get("context", ""))[:MAX_CONTEXT]
    )


def _parse_facts(report: Any) -> dict[str, Any]:
    known = {"width": int, "height": int, "taken": str, "silent_pages": int}
    facts = report if isinstance(report, dict) else {}
    reported_facts: dict[str, Any] = {
        name: as_type(facts[name]) for name, as_type in known.items() if name in facts
    }
    private = [(int(start), int(end)) for start, end in facts.get("private", [])]
    return reported_facts | ({"private": private} if private else {})


def _remove_unstorable(text: str) -> str:
    """Postgres holds neither NUL nor lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
