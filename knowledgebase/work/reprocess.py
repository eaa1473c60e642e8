"""Process a file again, after a failure or on request."""

from __future__ import annotations

from knowledgebase.models import KnowledgeFile
from knowledgebase.work.file_task import write_file_task
from knowledgebase.work.progress import FINAL
from tenancy.audit.log import record_event
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.metering.refunds import Cost
from tenancy.models import Project, User


def process_again(
    project: Project, file: KnowledgeFile, by: User | None = None, cost: Cost | None = None
) -> KnowledgeFile:
    """The file whose work this is: of one that repeats another, the other. One at work already is left to it.

    What is the same as before keeps its memories and their history; what is in use stays in use until the end. A
    failed file of an address is fetched again; one that was fetched is read as it was stored.
    """
    with tenant_scope(get_active_scope() or Scope(file.account_id, None)):
        mine = KnowledgeFile.objects.within(file.account_id).select_related("base__cube", "base__account")
        locked = mine.select_for_update(of=("self",), no_key=True)
        now: KnowledgeFile = locked.get(pk=file.pk)
        if now.same_as_id is not None:
            now = locked.get(pk=now.same_as_id)
        if now.state in FINAL:
            write_file_task(now, project, cost)
            if by is not None:
                record_event(now.base.account, by, "knowledge_file.processed_again", now, project=project)
    return now
