"""One normal form for the paths of a skill's files, however a model or a schema spells them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import PurePosixPath

from skills.packages.unpack import MAX_LEVELS, MAX_PATH
from skills.reading.board import RefusedAction

_REFUSED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\\:*?\"<>|]")


def normal(path: str) -> str:
    """`./people//alice.md` is `people/alice.md`. Raises `RefusedAction` for what leads out of the skill, or nowhere."""
    normal = unicodedata.normalize("NFC", path.strip())
    if normal.startswith("/"):
        raise RefusedAction("paths are relative to the skill: no leading slash")
    if _REFUSED.search(normal):
        raise RefusedAction('paths have no control characters and none of \\ : * ? " < > |')
    parts = [part.strip() for part in normal.split("/")]
    if ".." in parts:
        raise RefusedAction("paths do not climb: no `..`")
    kept = [part for part in parts if part not in {"", "."}]
    if not kept or normal.endswith("/"):
        raise RefusedAction("the path names no file")
    whole = "/".join(kept)
    if len(whole.encode()) > MAX_PATH or len(kept) > MAX_LEVELS:
        raise RefusedAction(f"paths have at most {MAX_PATH} bytes and {MAX_LEVELS} levels")
    return whole


def folded(path: str) -> str:
    """What two paths share that some file system takes for one."""
    return unicodedata.normalize("NFC", path).casefold()


def existing(path: str, paths: Collection[str]) -> str | None:
    """The path of these that means the same file."""
    wanted = folded(path)
    return next((known for known in paths if folded(known) == wanted), None)


def require_free(path: str, paths: Collection[str]) -> None:
    """Raises `RefusedAction` when the path is taken, or is a folder of another, or lies below a file."""
    if existing(path, paths) is not None:
        raise RefusedAction(f"there is a file {path} already")
    mine = PurePosixPath(folded(path))
    for known in map(PurePosixPath, map(folded, paths)):
        if mine in known.parents or known in mine.parents:
            raise RefusedAction(f"{path} would be a file and a folder at once")
