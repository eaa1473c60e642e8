"""The child process that reads strangers' files: `python -I child.py KIND PAGES PURPOSE < file`.

It shuts itself in (`confine`) before the first byte is read, then writes a line of JSON for each fragment and one at
the end, which names the restrictions that this machine lacks. It has no environment, no network and no other file open.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

# By hand, and values as tuples: to load what makes paths and dataclasses took a third of a small file's reading.
sys.path.insert(0, os.path.realpath(__file__).removesuffix("/memories/files/sandbox/child.py"))

from memories.files.chunking import split_into_fragments  # noqa: E402
from memories.files.readers import reader_choice  # noqa: E402
from memories.files.sandbox.confine import shut_in  # noqa: E402
from memories.files.sandbox.limits import PARSER_MEMORY  # noqa: E402
from memories.files.values import FileKind, Purpose, Unreadable  # noqa: E402

SPLIT = "Split it into smaller files."


def main(kind: FileKind, pages: int, purpose: Purpose) -> None:
    read = reader_choice.load_reader(kind)
    refused = shut_in(PARSER_MEMORY, reader_choice.PROGRAMS.get(kind, ()))
    try:
        document = read(sys.stdin.buffer, pages)
        for fragment in split_into_fragments(document.blocks, purpose):
            write_line(fragment._asdict())
        write_line({"pages": document.pages, "facts": dict(document.facts), "refused": refused})
    except Unreadable as error:
        write_line(
            {"failure": type(error).__name__, "reason": str(error), "cure": error.cure, "refused": refused}
        )
    except (MemoryError, RecursionError):
        write_line({"failure": "Unreadable", "reason": "reading it takes too much memory", "cure": SPLIT})


def write_line(line: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main(FileKind(sys.argv[1]), int(sys.argv[2]), Purpose(sys.argv[3]))
    sys.stdout.buffer.flush()
    os._exit(0)  # no destructor of a parser runs on what it has just read
