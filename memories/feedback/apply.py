"""The feedback task: replace words, correct contradicted memories, forget, or change nothing.

What it asks for is read by rules (`parse_orders`), held against the talk and the memories (`facts`), and written in one
transaction under the locks of the cubes. The task's result names every memory that changed, or why none did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, QuerySet

from memories.consolidation.cube_locks import lock_cube
from memories.cubes.access import ALL_BASES, list_linked_bases, provide_public_cube
from memories.cubes.announcements import announce_changed_memories
from memories.engine import extract
from memories.engine.metering import metering_usage
from memories.feedback.changed_ids import FeedbackChanges
from memories.feedback.forget_requests import DeletionTargets, find_deletion_targets, list_still_meant
from memories.feedback.interpret_facts import (
    Decision,
    decide_drafts,
    interpret_for_all,
    interpret_statements,
    mark_wanted_by_bases,
)
from memories.feedback.knowledge_bases.edits import BaseWork, BaseWriting, Judged, prepare_bases, write_bases
from memories.feedback.knowledge_bases.history import ChangeCause, announce_changes
from memories.feedback.parse_orders import ForgetRequest, Replacement, Wishes, read_feedback
from memories.feedback.replace_words import (
    BATCH,
    Replaced,
    RewrittenText,
    TooMany,
    embed_replacements,
    find_memories_with_words,
    find_others_words,
    load_earlier_rewriting,
    plan_replacements,
    write_replacements,
)
from memories.feedback.write_corrections import (
    ACTOR,
    FeedbackCorrection,
    prepare_correction,
    write_corrections,
)
from memories.jobs import outbox
from memories.jobs.not_written import NotWrittenReason
from memories.lifecycle.erase import erase_memories
from memories.models import Conversation, Feedback, MemCube, Memory, Message, Task
from memories.settings.extraction import ExtractionPolicies
from memories.signals import feedback_written
from memories.text.time.timestamps import TimestampReader
from memories.values import NO_TALK, Draft, OwnerKind, Turn
from tenancy.isolation.scoping import Scope, tenant_scope

# The last turns of the conversation, by which a feedback is judged.
TALK = 10
# More orders than this in one feedback are no person's.
ORDERS = 20
# So many statements of one feedback are looked at; each costs a search of the cubes.
STATEMENTS = 100
# A rewriting that others' writes keep getting in the way of is tried again so often.
PASSES = 3


@dataclass(frozen=True, slots=True)
class FeedbackCase:
    """Inputs of a feedback task. `cubes` begin with the subject's own; `said_at` is later than what it corrects, by
    the clock of who said it.

    With a `member`, a member of the account entered it in the console: the cubes are those of knowledge bases alone.
    """

    feedback: Feedback
    cubes: tuple[MemCube, ...]
    talk: tuple[str, ...]
    said_at: datetime
    member: str = ""

    @property
    def own(self) -> MemCube:
        return self.cubes[0]

    @property
    def cause(self) -> ChangeCause:
        return ChangeCause(self.feedback.project_id, feedback=self.feedback.pk, member=self.member)


def apply_feedback(task: Task) -> None:
    """Does the whole of a feedback task. Raises `outbox.LeaseLost` when the task was lost meanwhile, and
    `outbox.InputsChanged` when what it was to put right has changed."""
    scope = Scope(task.account_id, task.project_id)
    changes = FeedbackChanges()
    with tenant_scope(scope):
        case = _load_case(task)
    work = _plan_changes(task, scope, case, changes) if case else None
    with tenant_scope(scope):
        if case is None or work is None or not _is_ours(task, case):
            changes.note_nothing("emptied")
        else:
            _write_changes(case, work, changes)
            if not case.member:
                feedback_written.send(None, cube=case.own, task_id=task.pk)
        outbox.complete(task, changes.result())
        announce_changed_memories(task.project_id, "corrected", changes.changed)


@dataclass(frozen=True, slots=True)
class FeedbackWork:
    """The changes that are written together at the end."""

    correction: FeedbackCorrection
    bases: Sequence[BaseWork]
    targets: Sequence[DeletionTargets]


def _plan_changes(
    task: Task, scope: Scope, case: FeedbackCase, changes: FeedbackChanges
) -> FeedbackWork | None:
    """Everything slow; replaced words are written on the way. None when the cube was emptied meanwhile."""
    wishes = read_feedback(case.feedback.text)
    if _is_too_much(wishes):
        changes.note_nothing("too_many")
        wishes = Wishes()
    # By their numbers, so that each order of a feedback knows its own versions.
    reasons = [
        f"words replaced by feedback {case.feedback.pk} ({number})"
        for number, _ in enumerate(wishes.replacements, 1)
    ]
    for number, replacement in enumerate(wishes.replacements):
        if not _replace_words(task, scope, case, wish=replacement, reasons=reasons[number:], changes=changes):
            return None
    decisions = _decide_wishes(scope, case, wishes)
    targets = _find_deletion_targets(scope, case, wishes)
    if not (wishes.replacements or decisions or targets or changes.reasons):
        changes.note_nothing("says_nothing")
    correction = prepare_correction(case.feedback, case.cubes, case.said_at, task.pk, decisions)
    judged = [Judged(decision, case.cubes) for decision in decisions]
    bases = prepare_bases(judged, case.feedback.knowledge_bases)
    if not (wishes.replacements or targets):
        _note_not_written(case, wishes, decisions, bases, changes)
    return FeedbackWork(correction, bases, targets)


def _note_not_written(
    case: FeedbackCase,
    wishes: Wishes,
    decisions: Sequence[Decision],
    works: Sequence[BaseWork],
    changes: FeedbackChanges,
) -> None:
    """Says for each base that the feedback may write into why something of it is not there."""
    bases = [cube for cube in case.cubes if cube.owner_kind == OwnerKind.KNOWLEDGE_BASE]
    names = [cube.owner_id for cube in bases]
    linked = set(names)
    if gone := [name for name in case.feedback.knowledge_bases if name not in linked | {ALL_BASES}]:
        changes.not_written.add(NotWrittenReason.NOT_LINKED, gone)
    if not bases:
        return
    if not decisions:
        is_forbidden = _load_policies(case).forbids(case.feedback.text)
        changes.not_written.add(
            NotWrittenReason.FORBIDDEN if is_forbidden else NotWrittenReason.SAYS_NOTHING, names
        )
    for decision in decisions:
        if decision.interpreted.is_personal:
            changes.not_written.add(NotWrittenReason.PERSONAL, names)
        elif decision.reason:
            changes.not_written.add(decision.reason, names)
        elif not works:
            is_put_right_elsewhere = bool(decision.contradictions.targets)
            reason = (
                NotWrittenReason.NOT_NAMED
                if is_put_right_elsewhere or not _list_named_bases(case)
                else NotWrittenReason.PERSONAL
            )
            changes.not_written.add(reason, names)


def _list_named_bases(case: FeedbackCase) -> set[str]:
    return set(case.feedback.knowledge_bases) - {ALL_BASES}


def _is_too_much(wishes: Wishes) -> bool:
    return len(wishes.replacements) + len(wishes.forget_requests) > ORDERS or len(wishes.facts) > STATEMENTS


def _write_changes(case: FeedbackCase, work: FeedbackWork, changes: FeedbackChanges) -> None:
    write_corrections(work.correction, changes)
    by, talk = work.correction.extractor, "" if case.member else case.feedback.conversation_key
    written = BaseWriting(case.cause, ACTOR, case.said_at, work.correction.task, by, talk or NO_TALK)
    write_bases(work.bases, _lock_granted_bases(case), written, changes)
    _delete_requested(case, work.targets, changes)


def _load_case(task: Task) -> FeedbackCase | None:
    """Load what the task works on; None when the cube was emptied since: what the feedback said must not come back."""
    own = _find_own_cube(task)
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
    said_at = max(feedback.said_at, latest or feedback.said_at)
    said_at = TimestampReader().localize(said_at, feedback.feedback_time)
    bases = list_linked_bases(feedback.project, feedback.knowledge_bases)
    if member := task.payload.get("member", ""):
        return FeedbackCase(feedback, tuple(bases), (), said_at, member) if bases else None
    public = [provide_public_cube(feedback.project)] if feedback.allow_public else []
    return FeedbackCase(feedback, (own, *public, *bases), _load_texts(spoken, feedback.conversation), said_at)


def _find_own_cube(task: Task) -> MemCube | None:
    cube: MemCube | None = (
        MemCube.objects.within(task.project_id).filter(pk=task.subject, epoch=task.payload["epoch"]).first()
    )
    return cube


def _load_texts(spoken: QuerySet[Message], conversation: Conversation | None) -> tuple[str, ...]:
    if conversation is None:
        return ()
    last = spoken.filter(conversation=conversation).order_by("-position")[:TALK]
    return tuple(message.text for message in reversed(last))


def _is_ours(task: Task, case: FeedbackCase) -> bool:
    # The locks first: a deletion under way must be over before the epoch is looked at.
    for cube in case.cubes:
        lock_cube(cube.pk)
    outbox.require_fence(task)
    return _find_own_cube(task) is not None


def _lock_granted_bases(case: FeedbackCase) -> list[MemCube]:
    """The knowledge bases that the project may still write into; under their locks."""
    return list_linked_bases(case.feedback.project, case.feedback.knowledge_bases, for_writing=True)


def _list_writable_cubes(case: FeedbackCase) -> list[MemCube]:
    own = [cube for cube in case.cubes if cube.owner_kind != OwnerKind.KNOWLEDGE_BASE]
    return [*own, *_lock_granted_bases(case)]


def _replace_words(
    task: Task,
    scope: Scope,
    case: FeedbackCase,
    *,
    wish: Replacement,
    reasons: Sequence[str],
    changes: FeedbackChanges,
) -> bool:
    """Replace words in batches under the locks; what was changed meanwhile is planned anew. False when the cube was
    emptied. Finished batches stay when the task dies in between. The next attempt spares what this order, or another
    one after it, has changed: words that those brought in were not meant."""
    with tenant_scope(scope):
        done = load_earlier_rewriting(case.cubes, reasons)
    for _ in range(PASSES):
        plans = _plan_rewriting(scope, case, wish, done, changes)
        for start in range(0, len(plans), BATCH):
            batch = plans[start : start + BATCH]
            vectors = embed_replacements(batch)
            with tenant_scope(scope):
                if not _is_ours(task, case):
                    return False
                rewritten = write_replacements(_list_writable_cubes(case), batch, vectors, reasons[0])
                announce_changes(case.cubes, rewritten.changes, case.cause)
                done.add(rewritten)
        if not plans:
            break
    changes.replace(done)
    if not (done.rewritten or done.merged or "too_many" in changes.reasons):
        changes.note_nothing("frozen" if done.frozen else "not_found")
    return True


def _plan_rewriting(
    scope: Scope, case: FeedbackCase, wish: Replacement, done: Replaced, changes: FeedbackChanges
) -> list[RewrittenText]:
    """Plan the rewording that is left; empty when it would exceed what one order may change."""
    with tenant_scope(scope):
        held = find_memories_with_words(case.cubes, wish.old).exclude(pk__in=done.all)
        try:
            plans = plan_replacements(held, wish.old, wish.new)
        except TooMany:
            changes.note_nothing("too_many")
            return []
        spared = find_others_words(case.cubes, plans)
    forbids = _load_policies(case).forbids
    return [plan for plan in plans if plan.key not in spared and not plan.says_newly(forbids)]


def _load_policies(case: FeedbackCase) -> ExtractionPolicies:
    """What a member says in the console is kept as it was said."""
    return ExtractionPolicies() if case.member else ExtractionPolicies.of(case.feedback.project)


def _decide_wishes(scope: Scope, case: FeedbackCase, wishes: Wishes) -> list[Decision]:
    with metering_usage(scope):
        if case.member:
            interpreted = interpret_for_all(wishes, case.said_at)
        else:
            interpreted = interpret_statements(
                mark_wanted_by_bases(wishes) if _list_named_bases(case) else wishes, case.said_at, case.talk
            )
            interpreted = [
                statement
                for statement in interpreted
                if not _load_policies(case).forbids(statement.fact.text)
            ]
    with tenant_scope(scope):
        return [decide_drafts(statement, case.cubes, has_talk=bool(case.talk)) for statement in interpreted]


def _find_deletion_targets(scope: Scope, case: FeedbackCase, wishes: Wishes) -> list[DeletionTargets]:
    if case.member:
        return []  # readers of a base may delete what they see
    with metering_usage(scope):
        orders = [(order, _extract_topic(order, case.said_at)) for order in wishes.forget_requests]
    with tenant_scope(scope):
        return [find_deletion_targets(case.own, order, drafts) for order, drafts in orders]


def _extract_topic(order: ForgetRequest, said_at: datetime) -> list[Draft]:
    return extract([Turn("user", order.topic, said_at)], []).drafts if order.is_statement else []


def _delete_requested(
    case: FeedbackCase, targets: Sequence[DeletionTargets], changes: FeedbackChanges
) -> None:
    for target in targets:
        meant = list_still_meant(case.own, target)
        changes.frozen += [*target.frozen, *meant.frozen]
        if meant.keys:
            mine = Memory.objects.within(case.own).filter(pk__in=meant.keys)
            changes.delete(mine.only("pk", "kind"))
            erase_memories(case.feedback.project, mine)
        else:
            changes.note_nothing(target.reason or ("frozen" if meant.frozen else "not_found"))
