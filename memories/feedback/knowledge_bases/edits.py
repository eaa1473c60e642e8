"""Applies statements to knowledge bases: corrects passages in place, and adds what is new.

A passage keeps its id, its file and all its other words. Beside a long one stands from then on the short statement
that put it right: it fits a question better than a page does, and so comes before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memories.consolidation.neighbours import EmbeddedDraft, embed_drafts
from memories.consolidation.personal_facts import rewrite_for_all
from memories.consolidation.provenance import DraftOrigin
from memories.consolidation.reconcile import Outcome, reconcile_drafts
from memories.consolidation.revise import (
    find_duplicate,
    has_file,
    is_frozen,
    merge_into,
    retire_memory,
    rewrite_memory,
)
from memories.consolidation.versions import Reason
from memories.engine import get_embedder
from memories.feedback.changed_ids import FeedbackChanges
from memories.feedback.interpret_facts import Decision
from memories.feedback.knowledge_bases.contradicted_passages import correct_again
from memories.feedback.knowledge_bases.history import BaseChange, ChangeCause, announce_changes
from memories.feedback.write_corrections import find_current_memory, link_all, list_still_current
from memories.jobs import outbox
from memories.models import Conversation, MemCube, Memory, Message
from memories.values import NO_TALK, Draft, MemoryKind, OwnerKind

# A memory of so many letters is a statement that stands for itself.
STATEMENT = 200
OURS = re.compile(r"\bthe user's |用户的", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    """Memories that one statement contradicts in the bases among some cubes; `message` said it, where it was no
    feedback."""

    decision: Decision
    cubes: Sequence[MemCube]
    message: UUID | None = None


@dataclass(frozen=True, slots=True)
class Rewording:
    """New text of a memory, for the text that it was made from."""

    memory: Memory
    before: str
    text: str
    vector: list[float]


@dataclass(frozen=True, slots=True)
class BaseWork:
    """Changes that one statement makes in one base: memories reworded, what is stated, and what that replaces."""

    cube: MemCube
    rewordings: tuple[Rewording, ...]
    stated: tuple[EmbeddedDraft, ...]
    replaces: tuple[Memory, ...]
    message: UUID | None = None


@dataclass(frozen=True, slots=True)
class BaseWriting:
    """Author of changes to knowledge bases: who makes them, when, by which task and in which conversation.

    In the base nothing is stored about the person but the conversation's id, which is the client's own.
    """

    cause: ChangeCause
    actor: str
    said_at: datetime
    task: UUID
    extractor: str = ""
    conversation: str = NO_TALK


@dataclass(frozen=True, slots=True)
class _Stated:
    """A statement for a base, with what it replaces and the passages that it puts right."""

    embedded: EmbeddedDraft
    old: tuple[Memory, ...] = ()
    passages: tuple[UUID, ...] = ()
    message: UUID | None = None


def prepare_bases(judged: Sequence[Judged], named: Sequence[str]) -> list[BaseWork]:
    """Embeds what the bases are to say; no transaction may be open here. What is new goes into those `named`."""
    planned: dict[UUID, str] = {}
    works = []
    for judgement in judged:
        if not judgement.decision.reason and not judgement.decision.interpreted.is_personal:
            bases = [cube for cube in judgement.cubes if cube.owner_kind == OwnerKind.KNOWLEDGE_BASE]
            works += [work for cube in bases if (work := _build_work(cube, judgement, named, planned))]
    return works


def _build_work(
    cube: MemCube, judged: Judged, named: Sequence[str], planned: dict[UUID, str]
) -> BaseWork | None:
    targets = judged.decision.contradictions.targets
    here = {memory: text for memory, text in targets.items() if memory.cube_id == cube.pk}
    bases = {base.pk for base in judged.cubes if base.owner_kind == OwnerKind.KNOWLEDGE_BASE}
    is_new = cube.owner_id in named and not any(memory.cube_id in bases for memory in targets)
    rewordings = _list_rewordings(here, judged.decision, planned)
    stands_for_itself = any(len(rewording.before) <= STATEMENT for rewording in rewordings)
    drafts = _build_base_drafts(judged.decision) if (here or is_new) and not stands_for_itself else []
    if not rewordings and not drafts:
        return None
    replaces = tuple(memory for memory, text in here.items() if not text)
    return BaseWork(cube, tuple(rewordings), tuple(embed_drafts(drafts)), replaces, judged.message)


def _list_rewordings(
    here: Mapping[Memory, str], decision: Decision, planned: dict[UUID, str]
) -> list[Rewording]:
    """`planned` is what the memories will say after the preceding statements."""
    texts: list[tuple[Memory, str, str]] = []
    for memory, text in here.items():
        before = planned.get(memory.pk, memory.text)
        after = (
            text
            if before == memory.text
            else correct_again(before, memory.title, decision.interpreted.matter)
        )
        if after:
            planned[memory.pk] = after
            texts.append((memory, before, after))
    vectors = get_embedder().embed_passages([after for _, _, after in texts]) if texts else []
    return [Rewording(*change, vector) for change, vector in zip(texts, vectors, strict=True)]


def _build_base_drafts(decision: Decision) -> list[Draft]:
    """The text without its author. "Our limit" is the limit where somebody speaks for all."""
    stated = []
    for draft in decision.interpreted.drafts:
        text = rewrite_for_all(
            OURS.sub("the ", draft.text) if decision.interpreted.is_for_all else draft.text
        )
        if text:
            known = replace(draft, kind=MemoryKind.KNOWLEDGE, text=text, slot="", preference_type="")
            stated.append(replace(known, turns=(0,)))
    return stated


def write_bases(
    works: Sequence[BaseWork], bases: Sequence[MemCube], writing: BaseWriting, changes: FeedbackChanges
) -> None:
    """Write into these bases in the caller's transaction, under their locks.

    Raises `outbox.InputsChanged` when a memory that was to be reworded has changed meanwhile.
    """
    for cube in bases:
        interpreted: list[BaseChange] = []
        stated: list[_Stated] = []
        for work in works:
            if work.cube.pk == cube.pk:
                stated += _put_right(work, writing, interpreted, changes)
        if stated:
            interpreted += _state_new_facts(cube, stated, writing, changes)
        announce_changes([cube], interpreted, writing.cause)


def _put_right(
    work: BaseWork, writing: BaseWriting, interpreted: list[BaseChange], changes: FeedbackChanges
) -> list[_Stated]:
    """Rewords the passages and retires the statements that are replaced; what is to be stated now is left."""
    reworded = [_reword(work, memory, writing, changes) for memory in _lock_unchanged_memories(work, changes)]
    interpreted += reworded
    old = list_still_current(work.cube, work.replaces, changes)
    if (work.rewordings or work.replaces) and not (reworded or old):
        reason = "frozen" if changes.frozen else "not_found"
        changes.note_nothing(reason)
        changes.not_written.add(reason, [work.cube.owner_id], work.message)
        return []
    for memory in old:
        retire_memory(memory, writing.said_at, actor=writing.actor, reason=writing.cause.reason)
    passages = tuple(change.after for change in reworded)
    return [
        _Stated(embedded, tuple(old) if number == 0 else (), passages, work.message)
        for number, embedded in enumerate(work.stated)
    ]


def _lock_unchanged_memories(work: BaseWork, changes: FeedbackChanges) -> list[Memory]:
    """Return what is to be reworded and still holds; frozen memories stay as they are."""
    before = {rewording.memory.pk: rewording.before for rewording in work.rewordings}
    rows = Memory.objects.within(work.cube).current().filter(pk__in=before).select_for_update(of=("self",))
    there = list(rows)
    frozen = [memory.pk for memory in there if is_frozen(memory)]
    changes.frozen += frozen
    held = [memory for memory in there if memory.pk not in frozen]
    if any(memory.text != before[memory.pk] for memory in held):
        raise outbox.InputsChanged
    return held


def _reword(work: BaseWork, memory: Memory, writing: BaseWriting, changes: FeedbackChanges) -> BaseChange:
    new = next(rewording for rewording in work.rewordings if rewording.memory.pk == memory.pk)
    text, vector = new.text, new.vector
    audit = {"actor": writing.actor, "reason": writing.cause.reason}
    twin, version = find_duplicate(memory, text), memory.version
    if twin is not None:
        merge_into(memory, twin, **audit)
        changes.merged.append(memory.pk)
        return BaseChange(work.cube.pk, memory.pk, twin.pk, message=work.message)
    fields = {"text": text}
    if not has_file(memory):
        fields["conversation_key"] = writing.conversation
    rewrite_memory(memory, fields, vector, **audit)
    changes.replaced.append(memory.pk)
    return BaseChange(work.cube.pk, memory.pk, memory.pk, version, work.message)


def _state_new_facts(
    cube: MemCube, stated: Sequence[_Stated], writing: BaseWriting, changes: FeedbackChanges
) -> list[BaseChange]:
    outcome = reconcile_drafts(cube, [statement.embedded for statement in stated], _build_origin(writing))
    for placed, statement in zip(outcome.placed, stated, strict=True):
        link_all(statement.old, find_current_memory(cube, placed))
        _link_passages(cube, placed, statement.passages)
    old = [memory.pk for statement in stated for memory in statement.old]
    changes.write(outcome, old)
    changed = [
        *_iterate_replaced(cube, [*old, *outcome.superseded]),
        *_iterate_new(cube, outcome),
        *_iterate_enriched(cube, outcome),
    ]
    messages = {placed: statement.message for placed, statement in zip(outcome.placed, stated, strict=True)}
    return [replace(change, message=messages.get(change.after)) for change in changed]


def _iterate_replaced(cube: MemCube, keys: Sequence[UUID]) -> Iterator[BaseChange]:
    for memory in Memory.objects.within(cube).filter(pk__in=keys).only("pk", "superseded_by_id"):
        if memory.superseded_by_id is not None:
            yield BaseChange(cube.pk, memory.pk, memory.superseded_by_id)


def _iterate_new(cube: MemCube, outcome: Outcome) -> Iterator[BaseChange]:
    added = Memory.objects.within(cube).filter(pk__in=outcome.added)
    for key in added.filter(supersedes=None).values_list("pk", flat=True):
        yield BaseChange(cube.pk, None, key)


def _iterate_enriched(cube: MemCube, outcome: Outcome) -> Iterator[BaseChange]:
    """Return what fuller words took over. What was merely said again has the same text as before."""
    for memory in Memory.objects.within(cube).filter(pk__in=outcome.merged).only("pk", "text", "version"):
        before = memory.versions.filter(number=memory.version - 1, reason=Reason.ENRICHED)
        if before.exists():
            yield BaseChange(cube.pk, memory.pk, memory.pk, memory.version - 1)


def _link_passages(cube: MemCube, key: UUID, passages: Sequence[UUID]) -> None:
    """What is stated knows the passages that it puts right: it goes back with them, and goes with them."""
    if not passages:
        return
    memory: Memory = Memory.objects.within(cube).only("pk", "details").get(pk=key)
    about = [*memory.details.get("puts_right", []), *(str(passage) for passage in passages)]
    memory.details = {**memory.details, "puts_right": list(dict.fromkeys(about))}
    memory.save(update_fields=["details"])


def _build_origin(writing: BaseWriting) -> DraftOrigin:
    return DraftOrigin(
        Conversation(external_id=writing.conversation),
        [Message(position=0, said_at=writing.said_at)],
        writing.task,
        get_embedder().name,
        info={"source": writing.actor},
        extractor=writing.extractor,
    )
