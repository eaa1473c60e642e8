"""Delete stored files without a row: of requests that broke off, and of deletions that the storage missed."""

from __future__ import annotations

import logging
from collections.abc import Callable

from memories.files import storage
from tenancy.errors import OperationFailed

log = logging.getLogger(__name__)


def sweep_folder(name: str, find_named: Callable[[storage.Folder], set[str] | None]) -> int:
    """Delete the files of all holders in this folder that no row names, and return their number.

    `find_named` returns the keys that rows name, or None if the holder is gone. A file without a row is spared while it
    is young. Raises `OperationFailed` while the storage is away.
    """
    gone = 0
    try:
        for folder in storage.list_folders(name):
            gone += storage.delete_files(_list_orphans(folder, find_named(folder)))
    except storage.AWAY as error:
        raise OperationFailed("the file storage is away") from error
    if gone:
        log.info("orphans_deleted", extra={"kind": name, "count": gone})
    return gone


def _list_orphans(folder: storage.Folder, named: set[str] | None) -> list[str]:
    if named is None:
        return folder.keys
    return [key for key in folder.keys if key not in named and not storage.is_newborn(key)]
