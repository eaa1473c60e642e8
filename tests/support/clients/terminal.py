"""A program on a terminal of its own, at which somebody types."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence

from tests.support.waiting import LIMIT, wait_until

# A program that shows nothing for so long waits for somebody who never comes.
SILENT_SECONDS = LIMIT

# Takes the terminal as its own, so that passwords are asked for there too, then becomes the program.
LAUNCH = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


def run_on_terminal(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    answers: Sequence[tuple[str, str]] = (),
    hidden: Sequence[str] = (),
) -> tuple[int, str]:
    """Run Python with these arguments. `answers` are pairs of a question's pattern and what is typed at it, in order;
    those whose patterns are in `hidden` are typed when the terminal shows nothing of it.

    Returns the exit code and all that was shown. A question that does not come fails when the program ends.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm", "COLUMNS": "100"},
        start_new_session=True,
    )
    os.close(theirs)
    shown, read_from, waiting = "", 0, list(answers)
    while piece := read_terminal(ours, process):
        shown += piece
        while waiting and (match := re.search(waiting[0][0], shown[read_from:])):
            read_from += match.end()
            question, typed = waiting.pop(0)
            if question in hidden:  # what is typed before is dropped when the echo goes off
                wait_until(lambda: not _echoes(ours))
            os.write(ours, f"{typed}\n".encode())
    os.close(ours)
    assert not waiting, f"no question {waiting[0][0]!r} in {shown!r}"
    return process.wait(timeout=LIMIT), shown


def _echoes(terminal: int) -> bool:
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def read_terminal(terminal: int, process: subprocess.Popen[bytes]) -> str:
    """What is shown next; empty at the end, which Linux reports as an error. A silent program is ended."""
    if not select.select([terminal], [], [], SILENT_SECONDS)[0]:
        process.kill()
        return ""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        return ""
