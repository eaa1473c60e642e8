"""Migration task: move files of old messages to the storage and count their bytes.

Until then they are read as they are. A file is stored before its row is changed, and a row is changed whole: a run may
be killed at any line, and the next one goes on with the rows that are left.
"""

from __future__ import annotations

import logging
import time
from uuid import UUID

from memories.files.storage import delete_uncommitted_files
from skills.message_formats.parts import NormalisedMessage
from skills.models import SessionMessage
from skills.sessions.messages import NewMessage, count_bytes_in_row
from skills.sessions.session_message_files import store_files
from tenancy.errors import StorageFull
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

log = logging.getLogger(__name__)

# Of one run: a worker has other things to do.
SECONDS = 20.0
_BATCH = 50


def migrate_message_files(seconds: float = SECONDS) -> int:
    """Counts messages, project by project, until there are none left or the time is over. Returns how many.

    In random order: a run that looks at too many projects for its time must not look at the same ones each time.
    Raises `OperationFailed` while the storage is away.
    """
    until, counted = time.monotonic() + seconds, 0
    for project in Project.objects.here().order_by("?").only("pk", "account_id"):
        if time.monotonic() > until:
            break
        counted += migrate_files_of_project(project, until)
    if counted:
        log.info("session_messages_counted", extra={"count": counted})
    return counted


def migrate_files_of_project(project: Project, until: float) -> int:
    """Counts the project's messages until that moment of `time.monotonic()`. Returns how many.

    Raises `OperationFailed` while the storage is away.
    """
    counted = 0
    while time.monotonic() < until and (keys := _list_uncounted_messages(project)):
        try:
            counted += sum(_recount_message(project, key) for key in keys)
        except StorageFull:  # the account has more than its plan allows: its messages stay as they are
            log.warning("session_messages_not_moved", extra={"account": str(project.account_id)})
            break
    return counted


def _list_uncounted_messages(project: Project) -> list[UUID]:
    with tenant_scope(project):
        rows = SessionMessage.objects.within(project).filter(tokens=None)
        return list(rows.order_by("pk").values_list("pk", flat=True)[:_BATCH])


def _recount_message(project: Project, message_id: UUID) -> bool:
    """Count a message; False when it was deleted, or counted by another run, meanwhile."""
    with tenant_scope(project):
        message = SessionMessage.objects.within(project).filter(pk=message_id, tokens=None).first()
    if message is None:
        return False
    new = NewMessage.of(NormalisedMessage(message.role, message.parts, message.kept))
    with delete_uncommitted_files() as kept:
        storage_key = store_files(project, new.taken, kept)
        with tenant_scope(project):
            rows = SessionMessage.objects.within(project).select_for_update(no_key=True)
            message = rows.filter(pk=message_id, tokens=None).first()
            if message is None:
                return False
            message.parts, message.files = new.taken.parts, new.taken.as_rows()
            message.storage_key, message.stored_bytes = storage_key, new.taken.size
            message.tokens = new.tokens
            message.row_bytes = count_bytes_in_row(message)
            fields = ["parts", "files", "storage_key", "stored_bytes", "tokens", "row_bytes"]
            message.save(update_fields=fields)
            kept.keep_on_commit()
    return True
