"""The child process that unpacks strangers' packages: `python -I unpack_child.py DESCRIPTOR FORM < file`.

It writes the files one after the other to the descriptor that it inherited, and a line of JSON about them. FORM is
"md" for a single SKILL.md, "zip" for a package, "folder" for one whose single outer folder is cut off.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from memories.files.sandbox.confine import shut_in  # noqa: E402
from skills.packages.limits import MAX_SKILL_MD  # noqa: E402
from skills.packages.skill_md import BadFrontMatter, parse_skill_md  # noqa: E402
from skills.packages.unpack import SKILL_MD, Refused, Unpacked, unpack, unpack_single  # noqa: E402


def main(file: IO[bytes], out: IO[bytes], form: str) -> dict[str, Any]:
    if form == "md":
        files = [unpack_single(file, out)]
    else:
        files = unpack(file, out, in_folder=form == "folder")
    top = next(unpacked for unpacked in files if unpacked.path.lower() == SKILL_MD)
    return {"skill": asdict(_read_skill_md(out, top)), "files": [asdict(unpacked) for unpacked in files]}


def _read_skill_md(out: IO[bytes], top: Unpacked) -> Any:
    out.flush()
    text = os.pread(out.fileno(), MAX_SKILL_MD, top.start)[: top.size]
    try:
        return parse_skill_md(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Refused("SKILL.md is text in UTF-8", top.path) from None
    except BadFrontMatter as error:
        raise Refused(str(error), top.path) from None


def unpack_and_describe(file: IO[bytes], descriptor: int, form: str) -> dict[str, Any]:
    try:
        with os.fdopen(descriptor, "r+b") as out:
            refused = shut_in()
            return main(file, out, form) | {"refused": refused}
    except Refused as refusal:
        return {"rule": refusal.rule, "path": refusal.path, "is_too_large": refusal.is_too_large}
    except (MemoryError, RecursionError):
        return {"rule": "reading the package takes too much memory", "path": "", "is_too_large": True}


if __name__ == "__main__":
    answer = unpack_and_describe(sys.stdin.buffer, int(sys.argv[1]), sys.argv[2])
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    os._exit(0)
