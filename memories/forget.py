"""Deletion that is real: rows, vectors, words, versions; what remains is a line without content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from memories.attach import forget_of_cube, forget_unremembered
from memories.models import Conversation, Feedback, MemCube, Memory, MemorySource, Profile, Task
from memories.models.memory import MemoryQuerySet
from memories.models.task import OPEN_STATES
from memories.reconcile import lock_cube
from memories.signals import memories_changed, memories_doomed, subject_forgotten
from memories.snapshots import snapshots
from memories.trash_wall import seeing_trash
from memories.values import OwnerKind, Status, Subject, TaskState
from tenancy.erasure import erase_from_logs
from tenancy.errors import EndUserUnknown
from tenancy.models import Project
from tenancy.scoping import tenant_scope

BATCH = 5_000
SUBJECTS = (OwnerKind.END_USER, OwnerKind.AGENT)


def forget(project: Project, memories: MemoryQuerySet) -> int:
    """Deletes what the query holds, inside the project's scope; versions and sources go with the rows."""
    mine = Memory.objects.within(MemCube.objects.within(project))
    keys = lock_doomed(mine, memories)
    files = _files_of(mine, keys)
    memories_doomed.send(None, project_id=project.pk, memory_ids=keys)
    bring_back(mine, keys)
    for start in range(0, len(keys), BATCH):
        batch = mine.filter(pk__in=keys[start : start + BATCH])
        # Straight to SQL, where the keys cascade: Django would load every row, vector and all.
        batch._raw_delete(batch.db)
    forget_unremembered(project, files)
    tell(project, keys, "deleted")
    return len(keys)


def lock_doomed(mine: MemoryQuerySet, memories: MemoryQuerySet) -> list[UUID]:
    """What the query holds and what was merged into it, locked until the transaction ends.

    Asked again once the locks are there: what somebody deleted or restored while they were waited for is left out.
    They come before anybody else's rows: a refinement holds memories when it asks for more work on them.
    """
    asked = with_merged(mine, memories.values_list("pk", flat=True))
    rows = mine.filter(pk__in=asked).select_for_update(of=("self",)).order_by("pk")
    locked = set(rows.values_list("pk", flat=True))
    still = memories.filter(pk__in=locked).values_list("pk", flat=True)
    return [key for key in with_merged(mine, still) if key in locked]


def with_merged(mine: MemoryQuerySet, chosen: Iterable[UUID]) -> list[UUID]:
    """What was merged into a memory says the same: it goes with it, into the trash and out of it."""
    keys = list(dict.fromkeys(chosen))
    gone_with = Q(status=Status.MERGED) | Q(status=Status.DELETED, valid_until=None)
    merged = mine.filter(gone_with, superseded_by__in=keys).exclude(pk__in=keys)
    return [*keys, *merged.values_list("pk", flat=True)]


def tell(project: Project, keys: Sequence[UUID], operation: str) -> None:
    """After the commit; open pages ask again."""
    changed = [str(key) for key in keys[:100]]
    transaction.on_commit(
        lambda: memories_changed.send_robust(
            None, project_id=str(project.pk), operation=operation, memory_ids=changed
        )
    )


def _files_of(mine: MemoryQuerySet, doomed: list[UUID]) -> set[UUID]:
    """The attachments that some of the doomed memories came from."""
    of_files = mine.filter(pk__in=doomed, details__has_key="file")
    return {UUID(key) for key in of_files.values_list("details__file__attachment", flat=True).distinct()}


# Of each successor what it had replaced, and until when that held as it is written down; "" where it had no end.
Replaced = dict[UUID, dict[str, str]]


def bring_back(mine: MemoryQuerySet, doomed: list[UUID]) -> Replaced:
    """What a doomed memory had replaced holds again, unless something else holds in its place."""
    was: Replaced = defaultdict(dict)
    replaced = mine.filter(superseded_by__in=doomed).exclude(pk__in=doomed).order_by("-valid_from")
    for memory in replaced.defer("embedding", "words", "words_vector"):
        until = memory.valid_until
        was[memory.superseded_by_id][str(memory.pk)] = until.isoformat() if until else ""
        memory.superseded_by = None
        memory.valid_until = until if _is_taken(mine, memory, doomed) else None
        memory.save(update_fields=["superseded_by", "valid_until"])
    return was


def _is_taken(mine: MemoryQuerySet, memory: Memory, doomed: list[UUID]) -> bool:
    same = Q(content_hash=memory.content_hash)
    if memory.slot:
        same |= Q(slot=memory.slot)
    rivals = mine.filter(cube=memory.cube_id).current().exclude(pk__in=doomed)
    return bool(rivals.filter(same).exists())


def cube_of(project: Project, subject: Subject) -> MemCube:
    cube: MemCube | None = (
        MemCube.objects.within(project).filter(owner_kind=subject.kind, owner_id=subject.id).first()
    )
    profiles = Profile.objects.within(project).filter(cube=cube)
    if cube is None or not any(
        held.exists() for held in (cube.conversations, cube.memories, cube.feedback, profiles)
    ):
        raise EndUserUnknown(subject.id)
    return cube


def forget_subject(project: Project, subject: Subject) -> None:
    """Deletes all that the project holds of an end user or agent. Raises `EndUserUnknown` when there is nothing.

    The cube stays as an empty shell with a higher epoch: work that began before may not write afterwards, and
    what it wrote until now is gone with the rest.
    """
    with tenant_scope(project), seeing_trash():
        cube = cube_of(project, subject)
        lock_cube(cube.pk)
        # What others share with the subject is changed too: in the order in which everybody takes these locks.
        for public in MemCube.objects.within(project).filter(owner_kind=OwnerKind.PUBLIC):
            lock_cube(public.pk)
        MemCube.objects.within(project).filter(pk=cube.pk).update(epoch=F("epoch") + 1)
        _empty(project, cube, subject.id)
        transaction.on_commit(lambda: snapshots.forget(cube.pk))


def _without_feedback(project: Project, cube: MemCube) -> set[UUID]:
    """Public memories lose this subject's feedback as their source; whose they were, to be looked at further."""
    told = {str(key) for key in cube.feedback.filter(allow_public=True).values_list("pk", flat=True)}
    public = MemCube.objects.within(project).filter(owner_kind=OwnerKind.PUBLIC)
    touched: set[UUID] = set()
    for key in told:
        for memory in Memory.objects.within(public).filter(details__feedback__contains=[key]):
            others = [one for one in memory.details["feedback"] if one not in told]
            kept = {name: value for name, value in memory.details.items() if name != "feedback"}
            memory.details = kept | ({"feedback": others} if others else {})
            memory.save(update_fields=["details"])
            touched.add(memory.pk)
    return touched


def _empty(project: Project, cube: MemCube, subject_id: str) -> None:
    conversations = Conversation.objects.within(project).filter(cube=cube)
    # Public memories lose this user's messages as sources; those that came from nobody else go too.
    shared = Memory.objects.within(MemCube.objects.within(project)).exclude(cube=cube)
    theirs = shared.filter(sources__message__conversation__in=conversations)
    keys = set(theirs.values_list("pk", flat=True))
    MemorySource.objects.within(keys).filter(message__conversation__in=conversations).delete()
    keys |= _without_feedback(project, cube)
    nobodys = Memory.objects.within(MemCube.objects.within(project)).filter(pk__in=keys, sources=None)
    nobodys.exclude(details__has_key="feedback").delete()
    # Those that others said too stay, without anything that this person's request brought along.
    shared.filter(pk__in=keys).update(info={}, conversation_key="", agent_id="", app_id="")
    shared.filter(pk__in=keys, details__has_key="file").update(details={})
    subject_forgotten.send(None, project_id=project.pk, cube_id=cube.pk)
    forget_of_cube(project, cube)
    forget(project, Memory.objects.within(cube))
    Feedback.objects.within(project).filter(cube=cube).delete()
    Profile.objects.within(project).filter(cube=cube).delete()
    conversations._raw_delete(conversations.db)
    Task.objects.within(project).filter(subject=cube.pk, state__in=OPEN_STATES).exclude(
        state=TaskState.RUNNING
    ).update(state=TaskState.COMPLETED, result={"emptied": True}, finished_at=timezone.now())
    erase_from_logs(project, f"{cube.owner_kind}:{subject_id}")
