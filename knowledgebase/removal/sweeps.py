"""Periodic clean-up: stored files without a row."""

from __future__ import annotations

from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.uploads.accepted_types import FOLDER
from memories.files.orphaned_files import sweep_folder
from memories.files.storage import Folder
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account


def sweep_stored_files() -> int:
    """Delete stored files that no row refers to, base by base. Returns their number."""
    return sweep_folder(FOLDER, _list_named_files)


def _list_named_files(folder: Folder) -> set[str] | None:
    if not Account.objects.filter(pk=folder.account).exists():
        return None
    with tenant_scope(Scope(folder.account, None)):
        if not KnowledgeBase.objects.within(folder.account).filter(pk=folder.holder).exists():
            return None
        rows = KnowledgeFile.objects.within(folder.account).filter(storage_key__in=folder.keys)
        return set(rows.values_list("storage_key", flat=True))
