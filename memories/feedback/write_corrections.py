"""Write corrections: retire contradicted memories and write the corrected ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.consolidation.neighbours import embed_drafts
from memories.consolidation.reconcile import DraftOrigin, EmbeddedDraft, reconcile_drafts
from memories.consolidation.revise import is_frozen, link_successor, retire_memory
from memories.engine import get_embedder
from memories.feedback.changed_ids import FeedbackChanges
from memories.feedback.interpret_facts import Decision
from memories.models import Conversation, Feedback, MemCube, Memory, Message
from memories.values import Draft, OwnerKind

ACTOR = "feedback"


@dataclass(frozen=True, slots=True)
class Placement:
    """A draft for a cube, with the memories that it puts right."""

    cube: MemCube
    embedded: EmbeddedDraft
    replaces: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class FeedbackCorrection:
    """Everything that one feedback is to write."""

    feedback: Feedback
    cubes: tuple[MemCube, ...]
    said_at: datetime
    task: UUID
    placements: tuple[Placement, ...]
    reasons: tuple[str, ...]
    extractor: str


def prepare_correction(
    feedback: Feedback,
    cubes: tuple[MemCube, ...],
    said_at: datetime,
    task: UUID,
    decisions: Sequence[Decision],
) -> FeedbackCorrection:
    """Chooses a cube for each draft and embeds them; no transaction may be open here.

    What knowledge bases hold is put right by `memories/feedback/knowledge_bases/edits.py`.
    """
    cubes = tuple(cube for cube in cubes if cube.owner_kind != OwnerKind.KNOWLEDGE_BASE)
    wanted = [
        place
        for decision in decisions
        if not decision.reason
        for place in _iterate_places(decision, cubes, feedback)
    ]
    embedded = embed_drafts([draft for _, draft, _ in wanted])
    placements = [
        Placement(cube, embedded_draft, replaces)
        for (cube, _, replaces), embedded_draft in zip(wanted, embedded, strict=True)
    ]
    reasons = tuple(decision.reason for decision in decisions if decision.reason)
    extractor = next((decision.interpreted.by for decision in decisions if decision.interpreted.by), "")
    return FeedbackCorrection(feedback, cubes, said_at, task, tuple(placements), reasons, extractor)


_Place = tuple[MemCube, Draft, tuple[Memory, ...]]


def _iterate_places(decision: Decision, cubes: tuple[MemCube, ...], feedback: Feedback) -> Iterator[_Place]:
    """Where something was contradicted it is put right there; what is new goes where the feedback may write."""
    targets, rewritten = list(decision.contradictions.targets), decision.rewritten
    for cube in cubes:
        here = tuple(memory for memory in targets if memory.cube_id == cube.pk)
        for memory in here:
            if memory in rewritten:
                yield cube, rewritten[memory], (memory,)
        replaced = tuple(memory for memory in here if memory not in rewritten)
        if replaced or (here and decision.is_state) or (not here and _takes_new(cube, decision, feedback)):
            for number, draft in enumerate(decision.interpreted.drafts):
                yield cube, draft, replaced if number == 0 else ()


def _takes_new(cube: MemCube, decision: Decision, feedback: Feedback) -> bool:
    is_personal, has_targets = decision.interpreted.is_personal, bool(decision.contradictions.targets)
    if cube.owner_kind == OwnerKind.PUBLIC:
        return True  # only there when the feedback may be public
    named = set(feedback.knowledge_bases) - {"all"}
    return is_personal or not (has_targets or named or feedback.allow_public)


def write_corrections(correction: FeedbackCorrection, changes: FeedbackChanges) -> None:
    """Write corrections in the caller's transaction, under the locks of the cubes."""
    for reason in correction.reasons:
        changes.note_nothing(reason)
    for cube in correction.cubes:
        placements = [placement for placement in correction.placements if placement.cube.pk == cube.pk]
        if placements:
            _write_into(cube, placements, correction, changes)


def _write_into(
    cube: MemCube, placements: Sequence[Placement], correction: FeedbackCorrection, changes: FeedbackChanges
) -> None:
    reason = f"corrected by feedback {correction.feedback.pk}"
    written: list[tuple[EmbeddedDraft, list[Memory]]] = []
    for placement in placements:
        old = list_still_current(cube, placement.replaces, changes)
        if placement.replaces and not old:
            changes.note_nothing("frozen" if changes.frozen else "not_found")
            continue
        for memory in old:
            retire_memory(memory, correction.said_at, actor=ACTOR, reason=reason)
        written.append((placement.embedded, old))
    outcome = reconcile_drafts(cube, [embedded for embedded, _ in written], _build_origin(correction))
    for placed, (_, old) in zip(outcome.placed, written, strict=True):
        link_all(old, find_current_memory(cube, placed))
    _note_source([*outcome.added, *outcome.merged], cube, correction.feedback)
    changes.write(outcome, [memory.pk for _, old in written for memory in old])


def list_still_current(cube: MemCube, seen: Iterable[Memory], changes: FeedbackChanges) -> list[Memory]:
    """List what still says what was seen; frozen memories stay as they are."""
    texts = {memory.pk: memory.text for memory in seen}
    rows = Memory.objects.within(cube).current().filter(pk__in=texts).select_for_update(of=("self",))
    same = [memory for memory in rows if memory.text == texts[memory.pk]]
    changes.frozen += [memory.pk for memory in same if is_frozen(memory)]
    return [memory for memory in same if not is_frozen(memory)]


def find_current_memory(cube: MemCube, placed: UUID) -> Memory:
    """The memory of a draft, or what holds instead: the next draft may have said what came after it."""
    mine = Memory.objects.within(cube).defer("embedding", "words", "words_vector")
    memory: Memory = mine.get(pk=placed)
    seen = {memory.pk}
    while memory.superseded_by_id is not None and memory.superseded_by_id not in seen:
        memory = mine.get(pk=memory.superseded_by_id)
        seen.add(memory.pk)
    return memory


def link_all(old: Iterable[Memory], new: Memory) -> None:
    for memory in old:
        # What turns out to have held after the statement's own time has no successor in it.
        if memory.pk != new.pk:
            link_successor(memory, new)


def _note_source(keys: Sequence[UUID], cube: MemCube, feedback: Feedback) -> None:
    """The id only: the words stay with the person whose feedback it was, and go with that person."""
    for memory in Memory.objects.within(cube).filter(pk__in=keys):
        feedback_keys = [*memory.details.get("feedback", []), str(feedback.pk)]
        memory.details = {**memory.details, "feedback": list(dict.fromkeys(feedback_keys))}
        memory.save(update_fields=["details"])


def _build_origin(correction: FeedbackCorrection) -> DraftOrigin:
    feedback = correction.feedback
    conversation = feedback.conversation or Conversation(external_id=feedback.conversation_key)
    spoken = Message(position=conversation.message_count, text=feedback.text, said_at=correction.said_at)
    return DraftOrigin(
        conversation,
        [spoken],
        correction.task,
        get_embedder().name,
        agent_id=feedback.agent_id,
        app_id=feedback.app_id,
        info={"source": ACTOR},
        extractor=correction.extractor,
    )
