"""Delete stored files of skills and session messages that no row refers to."""

from __future__ import annotations

import logging

from memories.files import storage
from skills.models import SessionMessage, SkillFile
from skills.packages import files
from skills.sessions import message_files
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account

log = logging.getLogger(__name__)

# By folder, the rows that name its files.
NAMED_BY: dict[str, type[SkillFile] | type[SessionMessage]] = {
    files.FOLDER: SkillFile,
    message_files.FOLDER: SessionMessage,
}


def sweep_skill_files() -> int:
    """Delete unreferenced files, holder by holder. Returns their number."""
    gone = 0
    try:
        for folder_name, rows in NAMED_BY.items():
            for folder in storage.list_folders(folder_name):
                gone += storage.delete_files(_orphans(folder, rows))
    except storage.AWAY as fault:
        raise OperationFailed("the file storage is away") from fault
    if gone:
        log.info("skill_orphans_deleted", extra={"count": gone})
    return gone


def _orphans(folder: storage.Folder, named_by: type[SkillFile] | type[SessionMessage]) -> list[str]:
    if not Account.objects.filter(pk=folder.account).exists():
        return folder.keys
    with tenant_scope(Scope(folder.account, None)):
        owner = folder.account if named_by.owner == "account" else folder.holder
        rows = named_by.objects.within(owner).filter(storage_key__in=folder.keys).exclude(storage_key="")
        known = set(rows.values_list("storage_key", flat=True))
    return [key for key in folder.keys if key not in known and not storage.is_newborn(key)]
