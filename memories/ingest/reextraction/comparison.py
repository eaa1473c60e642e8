"""Compare the memories that the old extraction made of a request with those of the present one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memories.consolidation.neighbours import EmbeddedDraft, embed_drafts
from memories.consolidation.revise import is_frozen
from memories.consolidation.versions import POLICY, WORKER
from memories.engine.metering import metering_usage
from memories.ingest.reextraction.runs import ACTOR, Counts
from memories.ingest.refine import RefineWork, extract_drafts
from memories.models import Memory, Message, Task
from memories.models.trash_visibility import seeing_trash
from memories.text.clauses.corrections import remove_superseded
from memories.text.content import hash_content
from memories.values import VERBATIM, Draft, MemoryKind, MemoryStatus, TaskKind
from tenancy.isolation.scoping import Scope

RECALLABLE = (MemoryStatus.ACTIVATED, MemoryStatus.FROZEN)
_MADE = (MemoryKind.FACT, MemoryKind.PREFERENCE)


@dataclass(frozen=True, slots=True)
class RequestComparison:
    """Memories of one request by the old extraction and by today's."""

    news: list[EmbeddedDraft] = field(default_factory=list)
    outdated: list[Memory] = field(default_factory=list)
    kept: int = 0
    left_alone: int = 0

    def counts(self) -> Counts:
        return Counts(1, len(self.news), len(self.outdated), self.kept, self.left_alone)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything slow of one step: drafts with vectors, and who extracted them."""

    drafts: list[EmbeddedDraft]
    by: str


def prepare_drafts(scope: Scope, work: RefineWork) -> Prepared:
    """No transaction may be open here."""
    if is_cleared(work):
        return Prepared([], "")
    with metering_usage(scope):
        extraction = extract_drafts(work)
    drafts = [draft for draft in remove_superseded(extraction.drafts) if draft.kind in _MADE]
    return Prepared(embed_drafts(drafts), extraction.by)


def is_cleared(work: RefineWork) -> bool:
    """The project's retention took words of it: what was made of them cannot be made anew."""
    return any(message.cleared_at is not None for message in work.messages[work.known :])


def compare_request(work: RefineWork, prepared: Prepared) -> RequestComparison:
    """Compare old and new memories of one request, under the cube's lock."""
    messages = work.messages[work.known :]
    withheld = _list_withheld_messages(work, messages)
    made = _load_made_memories(work, messages)
    holding = [memory for memory in made if memory.valid_until is None and memory.status in RECALLABLE]
    free = [
        memory for memory in holding if not withheld & _get_source_ids(memory) and is_machine_made(memory)
    ]
    drafts = [embedded for embedded in prepared.drafts if not withheld & _get_turn_ids(embedded.draft, work)]
    wordings = {(embedded.draft.kind, hash_content(embedded.draft.text)) for embedded in drafts}
    known = {key for memory in made for key in _get_wordings(memory)}
    read = {message.pk for message in work.messages}
    # What other messages say too stays: they may say it still.
    outdated = [
        memory
        for memory in free
        if not wordings & set(_get_wordings(memory)) and _get_source_ids(memory) <= read
    ]
    news = [
        embedded
        for embedded in drafts
        if (embedded.draft.kind, hash_content(embedded.draft.text)) not in known
    ]
    return RequestComparison(news, outdated, len(free) - len(outdated), len(holding) - len(free))


def _load_made_memories(work: RefineWork, messages: Sequence[Message]) -> list[Memory]:
    """The memories that came from these messages, the replaced too; without what a run has archived."""
    mine = Memory.objects.within(work.intake.conversation.cube).filter(kind__in=_MADE, is_raw=False)
    memories = mine.filter(sources__message__in=[message.pk for message in messages]).distinct()
    rows = memories.defer("embedding", "words", "words_vector").prefetch_related("sources", "versions")
    return [memory for memory in rows if not _is_archived_by_run(memory)]


def _is_archived_by_run(memory: Memory) -> bool:
    newest = next(iter(memory.versions.all()), None)
    return memory.status == MemoryStatus.ARCHIVED and newest is not None and newest.actor == ACTOR


def _get_wordings(memory: Memory) -> list[tuple[MemoryKind, bytes]]:
    """The memory's text and its other wordings, as hashes with their kind."""
    kind = MemoryKind(memory.kind)
    others = [
        text for version in memory.versions.all() for text in (version.text, version.other_text) if text
    ]
    return [(kind, bytes(memory.content_hash)), *((kind, hash_content(text)) for text in others)]


def _get_source_ids(memory: Memory) -> set[UUID]:
    return {source.message_id for source in memory.sources.all()}


def _get_turn_ids(draft: Draft, work: RefineWork) -> set[UUID]:
    return {work.messages[turn].pk for turn in draft.turns if turn >= work.known}


def is_machine_made(memory: Memory) -> bool:
    """No person, program or feedback has changed it since the engine wrote it."""
    is_untouched = all(version.actor in {WORKER, POLICY, ACTOR} for version in memory.versions.all())
    return (
        is_untouched
        and not is_frozen(memory)
        and not memory.details.get("feedback")
        and memory.extracted_by not in {"", VERBATIM}
    )


def _list_withheld_messages(work: RefineWork, messages: Sequence[Message]) -> set[UUID]:
    """Messages of which people had a memory changed, moved to the trash or deleted."""
    keys = [message.pk for message in messages]
    withheld = {message.pk for message in messages if message.withheld_at is not None}
    cube = work.intake.conversation.cube
    with seeing_trash():
        mine = Memory.objects.within(cube).filter(kind__in=_MADE, sources__message__in=keys).distinct()
        rows = mine.defer("embedding", "words", "words_vector").prefetch_related("sources", "versions")
        for memory in rows:
            if memory.status == MemoryStatus.DELETED or not is_machine_made(memory):
                withheld |= _get_source_ids(memory)
        if _had_more(work):
            withheld |= set(keys)
    return withheld


def _had_more(work: RefineWork) -> bool:
    """Return whether something that the first refinement made is deleted since: before messages were marked, only its
    task knows."""
    task = (
        Task.objects.within(work.intake.project_id)
        .filter(kind=TaskKind.REFINE, dedupe_key=str(work.intake.pk))
        .first()
    )
    added = set(task.result.get("added", ())) if task else set()
    if not added:
        return False
    left = Memory.objects.within(work.intake.conversation.cube).filter(pk__in=added).count()
    return bool(left < len(added))
