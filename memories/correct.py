"""A person's feedback becomes what the cubes hold: words replaced, contradicted memories put right, or nothing.

What it asks for is read by rules (`orders`), held against the talk and the memories (`tellings`), and written in one
transaction under the locks of the cubes. The task's result names every memory that changed, or why none did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max, QuerySet

from memories import outbox
from memories.cubes import linked_bases, public_cube
from memories.engine import extract
from memories.engine.local.orders import Forgetting, Replacement, Wishes, read_feedback
from memories.engine.metering import counted
from memories.forget import forget
from memories.forgettings import Doomed, find_doomed
from memories.models import Conversation, Feedback, MemCube, Memory, Message, Task
from memories.outcome import Changes
from memories.reconcile import lock_cube
from memories.replace_words import BATCH, Replaced, embed, holders_of, plan, write
from memories.signals import memories_changed
from memories.tellings import Decision, decide, tell
from memories.values import Draft, Turn
from memories.write_corrections import Correction, prepare, write_corrections
from tenancy.scoping import Scope, tenant_scope

# The last turns of the conversation, by which a feedback is judged.
TALK = 10
# A rewriting that others' writes keep getting in the way of is tried again so often.
PASSES = 3


@dataclass(frozen=True, slots=True)
class Case:
    """What a feedback task works on. `cubes` begin with the subject's own; `said_at` is later than what it corrects."""

    feedback: Feedback
    cubes: tuple[MemCube, ...]
    talk: tuple[str, ...]
    said_at: datetime

    @property
    def own(self) -> MemCube:
        return self.cubes[0]


def correct(task: Task) -> None:
    """Does the whole of a feedback task. Raises `outbox.LostFence` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    changes = Changes()
    with tenant_scope(scope):
        case = _read(task)
    work = _think(task, scope, case, changes) if case else None
    with tenant_scope(scope):
        if case is None or work is None or not _is_ours(task, case):
            changes.nothing("emptied")
        else:
            _write(case, work, changes)
        outbox.complete(task, changes.result())
        transaction.on_commit(lambda: _tell(task, changes))


@dataclass(frozen=True, slots=True)
class Work:
    """What is left to write at the end, in one go."""

    correction: Correction
    doomed: Sequence[Doomed]


def _think(task: Task, scope: Scope, case: Case, changes: Changes) -> Work | None:
    """Everything slow; replaced words are written on the way. None when the cube was emptied meanwhile."""
    wishes = read_feedback(case.feedback.text)
    for replacement in wishes.replacements:
        if not _replace(task, scope, case, replacement, changes):
            return None
    decisions = _decide(scope, case, wishes)
    doomed = _doom(scope, case, wishes)
    if not (wishes.replacements or decisions or doomed):
        changes.nothing("says_nothing")
    correction = prepare(case.feedback, case.cubes, case.said_at, task.pk, decisions)
    return Work(correction, doomed)


def _write(case: Case, work: Work, changes: Changes) -> None:
    write_corrections(work.correction, changes)
    _forget(case, work.doomed, changes)


def _read(task: Task) -> Case | None:
    """None when the cube was emptied since: what the feedback said must not come back."""
    own = _own_cube(task)
    feedback = (
        Feedback.objects.within(task.project_id)
        .select_related("conversation", "project")
        .filter(pk=task.payload["feedback"])
        .first()
    )
    if own is None or feedback is None:
        return None
    spoken = Message.objects.within(task.project_id).filter(created_at__lte=feedback.created_at)
    latest = spoken.filter(conversation__cube=own).aggregate(at=Max("said_at"))["at"]
    public = [public_cube(feedback.project)] if feedback.allow_public else []
    return Case(
        feedback,
        (own, *public, *linked_bases(feedback.project, feedback.knowledge_bases)),
        _talk(spoken, feedback.conversation),
        max(feedback.said_at, latest or feedback.said_at),
    )


def _own_cube(task: Task) -> MemCube | None:
    found: MemCube | None = (
        MemCube.objects.within(task.project_id).filter(pk=task.subject, epoch=task.payload["epoch"]).first()
    )
    return found


def _talk(spoken: QuerySet[Message], conversation: Conversation | None) -> tuple[str, ...]:
    if conversation is None:
        return ()
    last = spoken.filter(conversation=conversation).order_by("-position")[:TALK]
    return tuple(message.text for message in reversed(last))


def _is_ours(task: Task, case: Case) -> bool:
    # The locks first: a deletion under way must be over before the epoch is looked at.
    for cube in case.cubes:
        lock_cube(cube.pk)
    outbox.require_fence(task)
    return _own_cube(task) is not None


def _replace(task: Task, scope: Scope, case: Case, wish: Replacement, changes: Changes) -> bool:
    """In batches under the locks; what was changed meanwhile is planned anew. False when the cube was emptied."""
    done = Replaced()
    for _ in range(PASSES):
        with tenant_scope(scope):
            held = holders_of(case.cubes, wish.old).exclude(pk__in=done.all)
            plans = plan(held.defer("embedding", "words_vector"), wish.old, wish.new)
        for start in range(0, len(plans), BATCH):
            batch = plans[start : start + BATCH]
            vectors = embed(batch)
            with tenant_scope(scope):
                if not _is_ours(task, case):
                    return False
                done.add(write(case.cubes, batch, vectors, f"words replaced by feedback {case.feedback.pk}"))
        if not plans:
            break
    changes.replace(done)
    if not (done.rewritten or done.merged):
        changes.nothing("frozen" if done.frozen else "not_found")
    return True


def _decide(scope: Scope, case: Case, wishes: Wishes) -> list[Decision]:
    with counted(scope):
        told = tell(wishes, case.said_at, case.talk)
    with tenant_scope(scope):
        return [decide(one, case.cubes, has_talk=bool(case.talk)) for one in told]


def _doom(scope: Scope, case: Case, wishes: Wishes) -> list[Doomed]:
    with counted(scope):
        orders = [(order, _quoted(order, case.said_at)) for order in wishes.forgettings]
    with tenant_scope(scope):
        return [find_doomed(case.own, order, drafts) for order, drafts in orders]


def _quoted(order: Forgetting, said_at: datetime) -> list[Draft]:
    return extract([Turn("user", order.topic, said_at)], []).drafts if order.is_statement else []


def _forget(case: Case, doomed: Sequence[Doomed], changes: Changes) -> None:
    for one in doomed:
        changes.frozen += one.frozen
        if one.keys:
            mine = Memory.objects.within(case.own).filter(pk__in=one.keys)
            changes.delete(mine)
            forget(case.feedback.project, mine)
        else:
            changes.nothing(one.reason)


def _tell(task: Task, changes: Changes) -> None:
    memories_changed.send_robust(
        None,
        project_id=str(task.project_id),
        operation="corrected",
        memory_ids=[str(key) for key in changes.changed],
    )
