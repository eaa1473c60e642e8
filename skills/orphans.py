"""Stored files of skills that no version names any more."""

from __future__ import annotations

import logging

from memories.intake import store
from skills.files import ROOM
from skills.models import SkillFile
from tenancy.errors import OperationFailed
from tenancy.models import Account
from tenancy.scoping import Scope, tenant_scope

log = logging.getLogger(__name__)


def sweep_skill_files() -> int:
    """Holder by holder. Returns how many went."""
    gone = 0
    try:
        for folder in store.folders(ROOM):
            gone += store.delete(_orphans(folder))
    except store.AWAY as fault:
        raise OperationFailed("the file storage is away") from fault
    if gone:
        log.info("skill_orphans_deleted", extra={"count": gone})
    return gone


def _orphans(folder: store.Folder) -> list[str]:
    if not Account.objects.filter(pk=folder.account).exists():
        return folder.keys
    with tenant_scope(Scope(folder.account, None)):
        rows = SkillFile.objects.within(folder.account).filter(storage_key__in=folder.keys)
        known = set(rows.values_list("storage_key", flat=True))
    return [key for key in folder.keys if key not in known and not store.is_newborn(key)]
