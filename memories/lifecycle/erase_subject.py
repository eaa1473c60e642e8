"""Erase an end user or agent: memories, messages, files, and the id by which programs name them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models.fields.json import KT
from django.utils import timezone

from memories.consolidation.cube_locks import lock_cube
from memories.files.message_files import delete_files_of_cube
from memories.lifecycle.erase import erase_memories
from memories.models import (
    BulkJob,
    Conversation,
    Feedback,
    MemCube,
    Memory,
    MemorySource,
    Message,
    Profile,
    SavedView,
    Task,
)
from memories.models.task import OPEN_STATES
from memories.models.trash_visibility import seeing_trash
from memories.retrieval.cache.snapshots import drop_cached_in_processes
from memories.signals import subject_erased
from memories.values import MemoryKind, OwnerKind, Subject, TaskState
from tenancy.errors import EndUserUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.requests.log_erasure import erase_from_logs
from tenancy.runtime.batching import iterate_in_batches


def find_subject_cube(project: Project, subject: Subject) -> MemCube:
    cube: MemCube | None = (
        MemCube.objects.within(project).filter(owner_kind=subject.kind, owner_id=subject.id).first()
    )
    if cube is None:
        raise EndUserUnknown(subject.id)
    return cube


def erase_subject(project: Project, subject: Subject) -> None:
    """Deletes all that the project holds of an end user or agent. Raises `EndUserUnknown` when there is nothing.

    The cube goes too, and with it the subject's id: work that began before finds its cube gone and writes nothing. Who
    comes back under the same id gets a new one.
    """
    with tenant_scope(project):
        erase_from_logs(project, erase_subject_rows(project, subject))


def erase_subject_rows(project: Project, subject: Subject) -> list[str]:
    """As `erase_subject`, but for the request log: returns whom the caller takes out of it, when it locks nothing more.

    Inside the project's scope. Raises `EndUserUnknown` when there is nothing.
    """
    with seeing_trash():
        cube = find_subject_cube(project, subject)
        shared = lock_subject_cubes(project, subject)
        # Somebody else may have deleted it meanwhile.
        if not MemCube.objects.within(project).filter(pk=cube.pk).exists():
            raise EndUserUnknown(subject.id)
        _delete_contents(project, cube, subject)
        _delete_cube(project, cube.pk)
        _clear_filters(project, subject)
        drop_cached_in_processes([cube.pk, *shared])
    return [f"{subject.kind}:{subject.id}"]


def lock_subject_cubes(project: Project, subject: Subject) -> list[UUID]:
    """Lock the subject's cube, if there is one, and what others share with it; the keys of what is shared.

    In the order in which everybody takes these locks, and before any row of a session, space or skill. Inside the
    project's scope; waits for writers of the cube.
    """
    cubes = MemCube.objects.within(project)
    mine = cubes.filter(owner_kind=subject.kind, owner_id=subject.id)
    shared = list(cubes.filter(owner_kind=OwnerKind.PUBLIC).order_by("pk").values_list("pk", flat=True))
    for key in [*mine.values_list("pk", flat=True), *shared]:
        lock_cube(key)
    list(mine.select_for_update())
    return shared


def _clear_filters(project: Project, subject: Subject) -> None:
    """Delete saved views, and clear filters of bulk jobs, that name the subject."""
    BulkJob.objects.within(project).filter(filter__subject=subject.id).update(filter={})
    SavedView.objects.within(project).filter(filter__subject=subject.id).delete()


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """Counts of what is stored about an end user: `memories` with those in the trash, and without those of skills."""

    memories: int
    messages: int


def count_remembered(project: Project, user: str) -> StoredCounts | None:
    """Count what is stored about a user; None for an unknown id. Inside the project's tenant scope."""
    with seeing_trash():
        cube = MemCube.objects.within(project).filter(owner_kind=OwnerKind.END_USER, owner_id=user).first()
        if cube is None:
            return None
        memories = Memory.objects.within(cube).exclude(kind=MemoryKind.SKILL).count()
        messages = Message.objects.within(project).filter(conversation__cube=cube).count()
        return StoredCounts(memories, messages)


def drop_empty_cube(project: Project, subject: Subject) -> None:
    """Deletes the subject's cube, and so its id, if there is nothing in it. Inside the project's scope."""
    cubes = MemCube.objects.within(project).filter(owner_kind=subject.kind, owner_id=subject.id)
    for key in cubes.values_list("pk", flat=True):
        drop_if_empty(project, key)


def drop_if_empty(project: Project, key: UUID) -> bool:
    """Delete the cube if nothing is in it; return whether it was deleted. Inside the project's scope."""
    with seeing_trash():
        lock_cube(key)
        cube = MemCube.objects.within(project).select_for_update().filter(pk=key).first()
        if cube is None or _holds_anything(project, cube):
            return False
        _delete_cube(project, key)
    return True


def _holds_anything(project: Project, cube: MemCube) -> bool:
    profiles = Profile.objects.within(project).filter(cube=cube)
    return any(held.exists() for held in (cube.conversations, cube.memories, cube.feedback, profiles))


def _delete_cube(project: Project, cube: UUID) -> None:
    """Straight to SQL, where the keys cascade."""
    rows = MemCube.objects.within(project).filter(pk=cube)
    rows._raw_delete(rows.db)


def _remove_feedback_sources(project: Project, cube: MemCube) -> set[UUID]:
    """Public memories lose this subject's feedback as their source; whose they were, to be looked at further."""
    keys_of_feedback = {
        str(key) for key in cube.feedback.filter(allow_public=True).values_list("pk", flat=True)
    }
    public = MemCube.objects.within(project).filter(owner_kind=OwnerKind.PUBLIC)
    touched: set[UUID] = set()
    for key in keys_of_feedback:
        for memory in Memory.objects.within(public).filter(details__feedback__contains=[key]):
            others = [
                feedback_key
                for feedback_key in memory.details["feedback"]
                if feedback_key not in keys_of_feedback
            ]
            kept = {name: value for name, value in memory.details.items() if name != "feedback"}
            memory.details = kept | ({"feedback": others} if others else {})
            memory.save(update_fields=["details"])
            touched.add(memory.pk)
    return touched


def _delete_contents(project: Project, cube: MemCube, subject: Subject) -> None:
    conversations = Conversation.objects.within(project).filter(cube=cube)
    # Public memories lose this user's messages as sources; those that came from nobody else go too.
    shared = Memory.objects.within(MemCube.objects.within(project)).exclude(cube=cube)
    theirs = shared.filter(sources__message__conversation__in=conversations)
    keys = set(theirs.values_list("pk", flat=True))
    MemorySource.objects.within(keys).filter(message__conversation__in=conversations).delete()
    keys |= _remove_feedback_sources(project, cube)
    nobodys = Memory.objects.within(MemCube.objects.within(project)).filter(pk__in=keys, sources=None)
    nobodys.exclude(details__has_key="feedback").delete()
    # Those that others said too stay, without anything that this person's request brought along.
    shared.filter(pk__in=keys).update(info={}, conversation_key="", agent_id="", app_id="")
    shared.filter(pk__in=keys, details__has_key="file").update(details={})
    subject_erased.send(None, project_id=project.pk, cube_id=cube.pk, subject=subject)
    delete_files_of_cube(project, cube)
    erase_memories(project, Memory.objects.within(cube))
    Feedback.objects.within(project).filter(cube=cube).delete()
    Profile.objects.within(project).filter(cube=cube).delete()
    conversations._raw_delete(conversations.db)
    Task.objects.within(project).filter(subject=cube.pk, state__in=OPEN_STATES).exclude(
        state=TaskState.RUNNING
    ).update(state=TaskState.COMPLETED, result={"emptied": True}, finished_at=timezone.now())
    if subject.kind == OwnerKind.END_USER:
        _leave_talks_of_others(project, subject.id)


def _leave_talks_of_others(project: Project, user: str) -> None:
    """Keep messages of group conversations for the others, without saying who said them."""
    of_group = Message.objects.within(project).filter(extra__has_key="role_id")
    messages = of_group.annotate(said_by=KT("extra__role_id")).filter(said_by=user)
    for message in iterate_in_batches(messages.only("pk", "extra")):
        kept = {name: value for name, value in message.extra.items() if name not in {"role_id", "role_name"}}
        Message.objects.within(project).filter(pk=message.pk).update(extra=kept)
