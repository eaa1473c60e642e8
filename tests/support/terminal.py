"""A program on a terminal of its own, at which somebody types."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence

# Takes the terminal as its own, so that passwords are asked for there too, then becomes the program.
LAUNCH = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


def run_on_terminal(
    arguments: Sequence[str], environment: Mapping[str, str], answers: Sequence[tuple[str, str]] = ()
) -> tuple[int, str]:
    """Run Python with these arguments. `answers` are pairs of a question's pattern and what is typed at it, in order.

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
    while piece := _read(ours):
        shown += piece
        while waiting and (found := re.search(waiting[0][0], shown[read_from:])):
            read_from += found.end()
            os.write(ours, f"{waiting.pop(0)[1]}\n".encode())
    os.close(ours)
    assert not waiting, f"no question {waiting[0][0]!r} in {shown!r}"
    return process.wait(timeout=60), shown


def _read(terminal: int) -> str:
    """What is shown next; empty at the end, which Linux tells as an error."""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        return ""
