"""Count and delete the rows of a project by kind, batch by batch; what its account shares stays.

A batch is one small transaction of the caller's, inside the account's scope. The large tables come one after the other,
whatever hangs on others first; everything else goes with the project's own row, at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model, QuerySet, Sum

from memories.files import storage
from memories.models import (
    Attachment,
    BulkItem,
    BulkJob,
    Conversation,
    KeptPair,
    MemCube,
    Memory,
    Message,
    RecallMark,
    RecallTest,
    Task,
)
from memories.values import OwnerKind
from skills.models import LearningSpace, Session, SessionMessage, Skill, SkillFile
from skills.sessions.session_message_files import delete_message_files
from tenancy.models import LogShare, Project, RequestLog, StoredAnswer
from tenancy.models.deletion import BYTES
from tenancy.models.usage import SubjectUsage

BATCH = 500
# Of a kind there are so many at most in a question; one more is counted, to know that there are more.
MOST_COUNTED = 10_000
FILES, KEYS, OTHER = "files", "api_keys", "other"

Figures = Counter[str]
Rows = QuerySet[Any]


@dataclass(frozen=True, slots=True)
class ProjectTable:
    """One table of a project: the kind its rows are counted as, and how a batch of them goes."""

    kind: str
    of: Callable[[Project], Rows]
    take: Callable[[ProjectTable, Project], Figures]


def count_holdings(project: Project) -> dict[str, int]:
    """Count how much of each kind there is now, up to one more than `MOST_COUNTED`: who asks waits for the answer."""
    counted = {table.kind: _limit_rows(table.of(project)).count() for table in TABLES if table.kind != OTHER}
    counted["end_users"] = _limit_rows(_select_cubes(project).filter(owner_kind=OwnerKind.END_USER)).count()
    counted[KEYS] = project.api_keys.count()
    stored, packed = (
        _sum_stored_of_some(rows)
        for rows in (_select_attachments(project), _select_skill_files(_select_skills(project)))
    )
    messages = _build_selector(SessionMessage)(project).exclude(storage_key="")
    sent = _sum_stored_with_messages(messages.filter(pk__in=_limit_rows(messages)))
    for kind in (FILES, BYTES):
        counted[kind] = stored[kind] + packed[kind] + sent[kind]
    return counted


def delete_batch(project: Project) -> Figures:
    """Deletes some of what is left of the first table that is not empty; nothing when all of them are."""
    for table in TABLES:
        gone = table.take(table, project)
        if gone:
            return gone
    return Counter()


def delete_remaining_rows(project: Project) -> Figures:
    """The project itself, with its keys and rows added since. A concurrent writer waits for the lock and then
    finds no project."""
    held = Project.objects.select_for_update().filter(pk=project.pk).first()
    if held is None:
        return Counter()
    _, by_table = held.delete()
    named = {"tenancy.ApiKey": KEYS, "memories.Memory": "memories", "memories.Message": "messages"}
    gone: Figures = Counter()
    for label, count in by_table.items():
        if label != "tenancy.Project" and count:
            gone[named.get(label, OTHER)] += count
    return gone


def count_memories(account_id: UUID, project_id: UUID) -> int:
    """Count how many memories are there that say to be the project's, whatever became of their cubes."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM memories_memory WHERE account_id = %s AND project_id = %s",
            [account_id, project_id],
        )
        row = cursor.fetchone()
        return int(row[0]) if row else 0


def _delete_batch(table: ProjectTable, project: Project) -> Figures:
    """Straight to SQL, where the keys cascade: Django would load every row, vector and all."""
    rows = table.of(project)
    keys = list(rows.order_by().values_list("pk", flat=True)[:BATCH])
    doomed = rows.filter(pk__in=keys)
    return Counter({table.kind: doomed._raw_delete(doomed.db)}) if keys else Counter()


def _delete_memories(table: ProjectTable, project: Project) -> Figures:
    rows = table.of(project)
    keys = list(rows.order_by().values_list("pk", flat=True)[:BATCH])
    # Of two that replaced each other the newer may go in an earlier batch.
    rows.filter(superseded_by__in=keys).update(superseded_by=None)
    doomed = rows.filter(pk__in=keys)
    return Counter({table.kind: doomed._raw_delete(doomed.db)}) if keys else Counter()


def _delete_old(table: ProjectTable, project: Project) -> Figures:
    """Delete the oldest rows first, as the daily partitions are sorted: by key each batch would search all of them."""
    rows = table.of(project)
    oldest = list(rows.order_by("created_at").values_list("created_at", flat=True)[:BATCH])
    doomed = rows.order_by().filter(created_at__lte=oldest[-1]) if oldest else rows.none()
    return Counter({table.kind: doomed._raw_delete(doomed.db)}) if oldest else Counter()


def _delete_messages(table: ProjectTable, project: Project) -> Figures:
    keys = list(table.of(project).order_by().values_list("pk", flat=True)[:BATCH])
    doomed = table.of(project).filter(pk__in=keys)
    gone = _sum_stored_with_messages(doomed)
    delete_message_files(doomed)
    return Counter({table.kind: doomed._raw_delete(doomed.db)}) + gone if keys else Counter()


def _delete_files(table: ProjectTable, project: Project) -> Figures:
    keys = list(table.of(project).order_by().values_list("pk", flat=True)[:BATCH])
    return _with_files(table.of(project).filter(pk__in=keys)) if keys else Counter()


def _delete_skills(table: ProjectTable, project: Project) -> Figures:
    rows = table.of(project)
    keys = list(rows.order_by().values_list("pk", flat=True)[:BATCH])
    gone = _with_files(_select_skill_files(rows.filter(pk__in=keys)))
    doomed = rows.filter(pk__in=keys)
    return Counter({table.kind: doomed._raw_delete(doomed.db)}) + gone if keys else Counter()


def _delete_cubes(table: ProjectTable, project: Project) -> Figures:
    batch = dict(table.of(project).order_by().values_list("pk", "owner_kind")[:BATCH])
    doomed = table.of(project).filter(pk__in=batch)
    # Lock memories before their cube, as writers do, to avoid deadlocks.
    list(Memory.objects.within(list(batch)).select_for_update().values_list("pk"))
    if not doomed._raw_delete(doomed.db):
        return Counter()
    people = sum(kind == OwnerKind.END_USER for kind in batch.values())
    return Counter({"end_users": people, OTHER: len(batch) - people})


def _with_files(rows: Rows) -> Figures:
    """Rows that name stored files, and after the commit the files."""
    counted = _sum_stored(rows)
    storage.delete_on_commit(rows.exclude(storage_key="").values_list("storage_key", flat=True).distinct())
    rows._raw_delete(rows.db)
    return counted


def _sum_stored(rows: Rows) -> Figures:
    """Versions of a skill share what did not change between them."""
    files = rows.exclude(storage_key="").order_by().values("storage_key", "size").distinct()
    return Counter({FILES: files.count(), BYTES: files.aggregate(all=Sum("size"))["all"] or 0})


def _sum_stored_with_messages(rows: Rows) -> Figures:
    """A message's files are one stored file."""
    kept = rows.exclude(storage_key="").order_by()
    return Counter({FILES: kept.count(), BYTES: kept.aggregate(all=Sum("stored_bytes"))["all"] or 0})


def _limit_rows(rows: Rows) -> Rows:
    return rows.order_by().values("pk")[: MOST_COUNTED + 1]


def _sum_stored_of_some(rows: Rows) -> Figures:
    kept = rows.exclude(storage_key="")
    return _sum_stored(kept.filter(pk__in=_limit_rows(kept)))


def _select_skill_files(skills: Rows) -> Rows:
    files: Rows = SkillFile.objects.within(skills.values("account"))
    return files.filter(skill__in=skills)


def _select_skills(project: Project) -> Rows:
    skills: Rows = Skill.objects.within(project.account_id)
    return skills.filter(project=project)


def _select_cubes(project: Project) -> Rows:
    cubes: Rows = MemCube.objects.within(project)
    return cubes


def _select_memories(project: Project) -> Rows:
    memories: Rows = Memory.objects.within(_select_cubes(project))
    return memories.filter(project=project)


def _select_usage(project: Project) -> Rows:
    usage: Rows = SubjectUsage.objects.within(project.account_id)
    return usage.filter(project=project)


def _select_bulk_items(project: Project) -> Rows:
    items: Rows = BulkItem.objects.within(BulkJob.objects.within(project))
    return items.filter(project=project)


def _select_attachments(project: Project) -> Rows:
    return _build_selector(Attachment)(project)


def _build_selector(model: type[Model]) -> Callable[[Project], Rows]:
    return lambda project: model.objects.within(project)  # type: ignore[attr-defined]


# Children before what they hang on; work first, so that none of it goes on.
TABLES = (
    ProjectTable("tasks", _build_selector(Task), _delete_batch),
    ProjectTable(OTHER, _select_bulk_items, _delete_batch),
    ProjectTable(OTHER, _build_selector(BulkJob), _delete_batch),
    ProjectTable(OTHER, _build_selector(RecallMark), _delete_batch),
    ProjectTable(OTHER, _build_selector(RecallTest), _delete_batch),
    ProjectTable(OTHER, _build_selector(KeptPair), _delete_batch),
    ProjectTable(FILES, _select_attachments, _delete_files),
    ProjectTable("skills", _select_skills, _delete_skills),
    ProjectTable("memories", _select_memories, _delete_memories),
    ProjectTable("spaces", _build_selector(LearningSpace), _delete_batch),
    ProjectTable("session_messages", _build_selector(SessionMessage), _delete_messages),
    ProjectTable("sessions", _build_selector(Session), _delete_batch),
    ProjectTable("messages", _build_selector(Message), _delete_batch),
    ProjectTable("conversations", _build_selector(Conversation), _delete_batch),
    ProjectTable("end_users", _select_cubes, _delete_cubes),
    ProjectTable("request_logs", _build_selector(RequestLog), _delete_old),
    ProjectTable(OTHER, _build_selector(StoredAnswer), _delete_old),
    ProjectTable(OTHER, _build_selector(LogShare), _delete_batch),
    ProjectTable(OTHER, _select_usage, _delete_batch),
)
