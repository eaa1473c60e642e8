"""Delete stored files of messages that no row names."""

from __future__ import annotations

from memories.files.message_files import FOLDER
from memories.files.orphaned_files import sweep_folder
from memories.files.storage import Folder
from memories.models import Attachment
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project


def sweep_files() -> int:
    """Delete the files of messages that have no row, project by project. Returns their number."""
    return sweep_folder(FOLDER, _list_named_files)


def _list_named_files(folder: Folder) -> set[str] | None:
    if not Project.objects.filter(pk=folder.holder, account=folder.account).exists():
        return None
    with tenant_scope(Scope(folder.account, folder.holder)):
        rows = Attachment.objects.within(folder.holder).filter(storage_key__in=folder.keys)
        return set(rows.values_list("storage_key", flat=True))
