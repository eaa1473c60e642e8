"""One normal form for the paths of a skill's files, however a model or a schema spells them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import PurePosixPath

from skills.packages.limits import MAX_LEVELS, MAX_PATH
from skills.reading.task_board import RefusedAction

_REFUSED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\\:*?\"<>|]")


def normalise_path(path: str) -> str:
    """`./people//alice.md` is `people/alice.md`. Raises `RefusedAction` for what leads out of the skill, or nowhere."""
    normal = unicodedata.normalize("NFC", path.strip())
    if normal.startswith("/"):
        raise RefusedAction("paths are relative to the skill: no leading slash")
    if _REFUSED.search(normal):
        raise RefusedAction('paths have no control characters and none of \\ : * ? " < > |')
    parts = [part.strip() for part in normal.split("/")]
    if ".." in parts:
        raise RefusedAction("paths stay inside of the skill: no `..`")
    kept = [part for part in parts if part not in {"", "."}]
    if not kept or normal.endswith("/"):
        raise RefusedAction("the path names no file")
    whole = "/".join(kept)
    if len(whole.encode()) > MAX_PATH or len(kept) > MAX_LEVELS:
        raise RefusedAction(f"paths have at most {MAX_PATH} bytes and {MAX_LEVELS} levels")
    return whole


def fold_path(path: str) -> str:
    """Return what two paths share that some file system takes for one."""
    return unicodedata.normalize("NFC", path).casefold()


def find_existing(path: str, paths: Collection[str]) -> str | None:
    """The path of these that means the same file."""
    wanted = fold_path(path)
    return next((known for known in paths if fold_path(known) == wanted), None)


def require_free(path: str, paths: Collection[str]) -> None:
    """Raises `RefusedAction` when the path is taken, or is a folder of another, or lies below a file."""
    if find_existing(path, paths) is not None:
        raise RefusedAction(f"there is a file {path} already")
    mine = PurePosixPath(fold_path(path))
    for known in map(PurePosixPath, map(fold_path, paths)):
        if mine in known.parents or known in mine.parents:
            raise RefusedAction(f"{path} would be a file and a folder at once")
