"""The child process that reads strangers' files: `python -I child.py KIND PAGES < file`.

It lowers its own limits and closes the doors behind it before the first byte is read, then writes a line of JSON
for each fragment and one at the end. It has no environment, no network and no other file open.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from memories.intake.fragments import fragments_of  # noqa: E402
from memories.intake.reading import by_kind  # noqa: E402
from memories.intake.values import FileKind, Unreadable  # noqa: E402

LIMITS = {
    resource.RLIMIT_AS: 1024**3,
    resource.RLIMIT_CPU: 60,
    resource.RLIMIT_FSIZE: 256 * 1024**2,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CORE: 0,
}
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_SHUT = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "shutil.", "ftplib.")


def lower_limits() -> None:
    for what, most in LIMITS.items():
        resource.setrlimit(what, (most, most))
    # A network of its own, with nothing in it. Where the kernel refuses, the hook still stands.
    ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NETWORK)


def _refuse(event: str, arguments: Any) -> None:
    if event.startswith(_SHUT):
        raise PermissionError(event)
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        raise PermissionError(event)


def main(kind: FileKind, pages: int) -> None:
    read = by_kind.reader(kind)
    lower_limits()
    if kind != FileKind.DOC:  # whose reader is another program, under the same limits
        sys.addaudithook(_refuse)
    try:
        document = read(sys.stdin.buffer, pages)
        for fragment in fragments_of(document.blocks):
            say({"text": fragment.text, "heading": fragment.heading, "page": fragment.page})
        say({"pages": document.pages, "facts": document.facts})
    except Unreadable as fault:
        say({"failure": type(fault).__name__, "reason": str(fault)})
    except (MemoryError, RecursionError):
        say({"failure": "Unreadable", "reason": "reading it takes too much memory"})


def say(line: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main(FileKind(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.buffer.flush()
    os._exit(0)  # no destructor of a parser runs on what it has just read
