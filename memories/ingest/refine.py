"""The refine task: a request's messages become memories: extract, embed, compare, write.

No model is called inside a transaction. The last transaction reads the cube afresh under its lock, writes all
memories and completes the task under its fence, so that the work may run twice or die at any line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.neighbours import embed_drafts
from memories.consolidation.reconcile import DraftOrigin, EmbeddedDraft, Outcome, reconcile_drafts
from memories.consolidation.tool_memories import (
    find_tool_memories,
    remove_known_schemas,
    update_known_tools,
)
from memories.cubes.access import provide_public_cube
from memories.cubes.announcements import announce_changed_memories
from memories.engine import extract, get_embedder
from memories.engine.protocols import Extraction
from memories.feedback.changed_ids import FeedbackChanges
from memories.feedback.knowledge_bases.contributions import (
    Contribution,
    find_contribution,
    write_contribution,
)
from memories.ingest import extraction_cache
from memories.ingest.read_messages import build_turns
from memories.ingest.request_options import apply_options
from memories.jobs import outbox
from memories.jobs.not_written import NOT_WRITTEN
from memories.models import Intake, MemCube, Memory, Message, Task
from memories.profiles import bindings
from memories.settings.extraction import ExtractionPolicies
from memories.signals import conversation_refined, talk_written
from memories.values import Draft, MemoryKind
from tenancy.isolation.scoping import OwnedQuerySet, Scope, tenant_scope

# So many messages before the new ones are read again, for what the new ones answer ("I will choose the first").
CONTEXT = 4
# Tools may be at work for many messages; so far back the request that set them to it is looked for.
LONGEST_RUN = 100


@dataclass(frozen=True, slots=True)
class RefineWork:
    """Messages and settings that a refine task works on, read in one go; `known` of the messages were refined
    before."""

    intake: Intake
    messages: list[Message]
    known: int


def refine_messages(task: Task) -> None:
    """Does the whole of a refine task. Raises `outbox.LeaseLost` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    with tenant_scope(scope):
        work = _load_work(task)
    extracted = (
        extraction_cache.extract_once(task.pk, scope, lambda: extract_drafts(work))
        if work
        else Extraction([], "")
    )
    drafts = embed_drafts(extracted.drafts)
    brought = find_contribution(work.intake, work.messages, extracted.drafts, extracted.by) if work else None
    labels = bindings.load_labels(scope, _get_cube(work.intake)) if work and drafts else {}
    with tenant_scope(scope):
        # Nothing of what was deleted meanwhile goes on, as a skill no more than as a memory.
        kept = work if work is not None and _is_ours(task, _get_cube(work.intake)) else None
        outcome, shared = _write_drafts(task, kept, drafts, extracted.by, brought)
        if kept:
            bindings.fill_fields(_get_cube(kept.intake), outcome.added + outcome.merged, labels)
            _send_signal(task, kept)
        outbox.complete(task, _build_result(outcome, extracted, shared))
        changed = outcome.added + outcome.merged + outcome.superseded
        announce_changed_memories(task.project_id, "refined", changed)
        if kept:
            transaction.on_commit(partial(_send_refined, kept, changed))
    extraction_cache.drop_cached_extraction(task.pk)


def _load_work(task: Task) -> RefineWork | None:
    """Load what the task works on; None when the cube was emptied after the messages came: they must not come back."""
    intake = (
        Intake.objects.within(task.project_id)
        .select_related("conversation__cube", "project")
        .filter(pk=task.payload["intake"])
        .first()
    )
    if intake is None or _get_cube(intake).epoch != task.payload["epoch"]:
        return None
    return read_work(intake)


def read_work(intake: Intake) -> RefineWork:
    """The messages of a request with those before them; the intake comes with its conversation, cube and project."""
    spoken = Message.objects.within(intake.project_id).filter(conversation=intake.conversation)
    first = min(max(0, intake.first - CONTEXT), _find_request_before(spoken, intake))
    messages = list(spoken.filter(position__range=(first, intake.last)).order_by("position"))
    return RefineWork(intake, messages, intake.first - first)


def _find_request_before(spoken: OwnedQuerySet, intake: Intake) -> int:
    """Find where the user said what the first of the new messages still goes on about."""
    places = spoken.filter(role="user", position__range=(intake.first - LONGEST_RUN, intake.first))
    place: int | None = places.order_by("-position").values_list("position", flat=True).first()
    return intake.first if place is None else place


def _get_cube(intake: Intake) -> MemCube:
    cube: MemCube = intake.conversation.cube
    return cube


def extract_drafts(work: RefineWork) -> Extraction:
    """Everything slow but the embedding, outside any transaction."""
    turns = build_turns(work.messages)
    policies = ExtractionPolicies.of(work.intake.project)
    extraction = extract(turns, work.intake.tags, work.known, policies.instructions)
    drafts = [*extraction.drafts]
    drafts += find_tool_memories(work.intake.conversation, work.messages, turns, work.intake.tags)
    news = [draft for draft in drafts if max(draft.turns) >= work.known]
    narrowed = policies.narrow(replace(extraction, drafts=news))
    return replace(narrowed, drafts=_remove_known_tools(work, narrowed.drafts))


def _remove_known_tools(work: RefineWork, drafts: list[Draft]) -> list[Draft]:
    """Remove tools that are known already: clients send them with every request, and each costs an embedding."""
    intake = work.intake
    if all(draft.kind is not MemoryKind.TOOL_SCHEMA for draft in drafts):
        return drafts
    with tenant_scope(Scope(intake.account_id, intake.project_id)):
        shared = [provide_public_cube(intake.project)] if intake.allow_public else []
        return remove_known_schemas([_get_cube(intake), *shared], drafts)


def _write_drafts(
    task: Task,
    work: RefineWork | None,
    drafts: Sequence[EmbeddedDraft],
    by: str,
    brought: Contribution | None,
) -> tuple[Outcome, FeedbackChanges]:
    """Write drafts and return what became of them in the person's own cube, and of what was said in knowledge bases."""
    if work is None:
        return Outcome(), FeedbackChanges()
    origin = build_origin(task, work, by)
    outcome = _place_drafts(_get_cube(work.intake), drafts, origin)
    apply_options(work.intake, outcome.added)
    if work.intake.allow_public:
        _place_drafts(provide_public_cube(work.intake.project), drafts, origin)
    return outcome, write_contribution(task, work.intake, brought)


def _is_ours(task: Task, cube: MemCube) -> bool:
    """Check the claim under the cube's lock. False when the cube was emptied since, or the raw memory deleted."""
    lock_cube(cube.pk)
    outbox.require_fence(task)
    current = MemCube.objects.within(task.project_id).filter(pk=cube.pk, epoch=task.payload["epoch"])
    if not current.exists():
        return False
    return not task.payload["rough"] or _delete_raw_memory(cube, task.payload["rough"])


def _place_drafts(cube: MemCube, drafts: Sequence[EmbeddedDraft], origin: DraftOrigin) -> Outcome:
    lock_cube(cube.pk)
    left, grown = update_known_tools(cube, drafts, origin)
    outcome = reconcile_drafts(cube, left, origin)
    outcome.merged += grown
    return outcome


def _delete_raw_memory(cube: MemCube, raw: str) -> bool:
    """Delete the raw memory; False when a client has deleted it: what it said must not come back refined."""
    doomed = Memory.objects.within(cube).filter(pk=raw, is_raw=True)
    return bool(doomed._raw_delete(doomed.db))  # its sources go with it, by their keys


def build_origin(task: Task, work: RefineWork, by: str) -> DraftOrigin:
    """Return what all memories of the request have in common."""
    intake = work.intake
    return DraftOrigin(
        conversation=intake.conversation,
        messages=work.messages,
        task=task.pk,
        embedder=get_embedder().name,
        agent_id=intake.agent_id,
        app_id=intake.app_id,
        info=intake.info,
        expires_on=intake.expires_on,
        extractor=by,
    )


def _send_signal(task: Task, work: RefineWork) -> None:
    """Send a signal in the transaction, so that receivers write their own tasks in the same one."""
    talk_written.send(
        None,
        cube=_get_cube(work.intake),
        conversation_id=work.intake.conversation_id,
        messages=work.messages[work.known :],
        task_id=task.pk,
    )


def _build_result(outcome: Outcome, extracted: Extraction, shared: FeedbackChanges) -> dict[str, Any]:
    def ids(keys: list[UUID]) -> list[str]:
        return [str(key) for key in keys]

    refused = shared.not_written.list_shown()
    return {
        "added": ids(outcome.added),
        "merged": ids(outcome.merged),
        "superseded": ids(outcome.superseded),
        "extracted_by": extracted.by,
        "dropped": dict(extracted.dropped),
        "shared": ids(shared.changed),
        **({NOT_WRITTEN: refused} if refused else {}),
    }


def _send_refined(work: RefineWork, changed: Sequence[UUID]) -> None:
    conversation_refined.send_robust(
        None,
        project_id=str(work.intake.project_id),
        conversation_id=str(work.intake.conversation_id),
        memory_ids=[str(key) for key in changed],
    )
