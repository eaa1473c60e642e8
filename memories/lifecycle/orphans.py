"""Files that nobody names any more: of requests that broke off, of deletions that the storage did not hear."""

from __future__ import annotations

import logging

from memories.files import storage
from memories.files.message_files import FOLDER
from memories.models import Attachment
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

log = logging.getLogger(__name__)


def sweep_files() -> int:
    """Deletes the files of messages that have no row, project by project. Returns how many went."""
    gone = 0
    try:
        for folder in storage.list_folders(FOLDER):
            gone += storage.delete_files(_orphans(folder))
    except storage.AWAY as fault:
        raise OperationFailed("the file storage is away") from fault
    if gone:
        log.info("orphans_deleted", extra={"count": gone})
    return gone


def _orphans(folder: storage.Folder) -> list[str]:
    if not Project.objects.filter(pk=folder.holder, account=folder.account).exists():
        return folder.keys
    with tenant_scope(Scope(folder.account, folder.holder)):
        rows = Attachment.objects.within(folder.holder).filter(storage_key__in=folder.keys)
        known = set(rows.values_list("storage_key", flat=True))
    return [key for key in folder.keys if key not in known and not storage.is_newborn(key)]
