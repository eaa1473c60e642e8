"""Delete stored files of skills and session messages that no row refers to."""

from __future__ import annotations

from functools import partial

from memories.files.orphaned_files import sweep_folder
from memories.files.storage import Folder
from skills.models import SessionMessage, SkillFile
from skills.packages import files
from skills.sessions import session_message_files
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account

# By folder, the rows that name its files.
NAMED_BY: dict[str, type[SkillFile] | type[SessionMessage]] = {
    files.FOLDER: SkillFile,
    session_message_files.FOLDER: SessionMessage,
}


def sweep_skill_files() -> int:
    """Delete unreferenced files, holder by holder. Returns their number."""
    return sum(
        sweep_folder(name, partial(_list_named_files, named_by)) for name, named_by in NAMED_BY.items()
    )


def _list_named_files(named_by: type[SkillFile] | type[SessionMessage], folder: Folder) -> set[str] | None:
    if not Account.objects.filter(pk=folder.account).exists():
        return None
    with tenant_scope(Scope(folder.account, None)):
        owner = folder.account if named_by.owner == "account" else folder.holder
        rows = named_by.objects.within(owner).filter(storage_key__in=folder.keys).exclude(storage_key="")
        return set(rows.values_list("storage_key", flat=True))
