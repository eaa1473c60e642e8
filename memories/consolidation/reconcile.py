"""Reconcile new statements with the memories of a cube: merge, supersede or add.

What says the same is merged (sources united, the fuller words win), what says a part of it is ignored, a later
value of the same state or an opposite supersedes (the older one keeps its validity interval for questions about
the past), and everything else is new. What happened once is never merged with what happened another day, frozen
memories are never touched, and lines of a talk meet only their very equals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from memories.consolidation import corrections
from memories.consolidation.authorship import filter_authored_only_by, list_own_holders
from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.merging import (
    add_sources,
    build_remaining_draft,
    enrich_memory,
    is_respelled,
    keep_wording,
    mark_as_merged,
    record_repetition,
)
from memories.consolidation.neighbours import OTHER, EmbeddedDraft, Neighbourhood
from memories.consolidation.outcome import Outcome
from memories.consolidation.provenance import DraftOrigin
from memories.consolidation.revise import (
    find_duplicate,
    find_last_said_at,
    find_latest_start,
    format_day,
    get_start,
    is_frozen,
    is_newer,
    keeps_its_words,
    link_successor,
    retire_memory,
    rewrite_memory,
    supersede_memory,
    was_said_later,
)
from memories.consolidation.similarity import (
    ComparedText,
    Similarity,
    compare_statements,
    is_opposite,
    limit_by_slots,
    may_be_of_several,
    says_the_same,
)
from memories.consolidation.versions import WORKER, Reason, write_version
from memories.models import MemCube, Memory, Message
from memories.models.memory import MemoryQuerySet, get_owner_fields
from memories.text.clauses.changing.differences import compute_new_values
from memories.text.clauses.corrections import correct_text
from memories.text.content import hash_content
from memories.text.slots import find_states, holds_many_values
from memories.text.topics.tags import build_title
from memories.text.words.tokenize import search_terms
from memories.values import Draft, MemoryStatus, OwnerKind

__all__ = ["DraftOrigin", "EmbeddedDraft", "Outcome", "reconcile_drafts", "write_version"]


# What remains of a memory is no draft: its ordinals begin where those of drafts cannot reach.
_NO_DRAFT = 100_000


def reconcile_drafts(cube: MemCube, drafts: Sequence[EmbeddedDraft], origin: DraftOrigin) -> Outcome:
    """Writes the drafts into the cube, in the caller's transaction and under the cube's lock."""
    lock_cube(cube.pk)
    work = _Work(cube, origin, Neighbourhood.of(cube, drafts, origin.embedder))
    for ordinal, embedded in enumerate(drafts):
        work.outcome.placed.append(work.place(embedded, ordinal).pk)
    return work.outcome


class _Comparison(NamedTuple):
    """Comparison of a draft with a memory."""

    similarity: Similarity
    memory: Memory


@dataclass(slots=True)
class _Work:
    cube: MemCube
    origin: DraftOrigin
    around: Neighbourhood
    outcome: Outcome = field(default_factory=Outcome)
    called_off: list[Memory] | None = None  # by the draft that is placed; None where it calls nothing off
    written: set[UUID] = field(default_factory=set)  # those of `outcome.added`, asked for very often

    def place(self, embedded: EmbeddedDraft, ordinal: int) -> Memory:
        """Returns the memory that says it now."""
        draft = embedded.draft
        held = self._list_replaceable() if corrections.may_retire(draft) else []
        over = {
            Reason.CORRECTED: corrections.find_corrected(draft, held, self.origin.conversation),
            Reason.ENDED: corrections.find_ended(draft, held),
        }
        self.called_off = None
        if corrections.calls_off(draft):
            endable = self._list_endable(embedded, ordinal)
            self.called_off = corrections.find_called_off(draft, endable, self.origin.conversation)
        restated = self.around.drop_restated(over[Reason.CORRECTED], draft)
        memory = self._place_draft(embedded, ordinal)
        for old in over[Reason.CORRECTED]:
            if old in restated or not self._put_right(old, memory, draft):
                self._retire_memory(old, memory, Reason.CORRECTED)
        for old in over[Reason.ENDED]:
            self._end_one(old, memory, embedded)
        self._end_outdated(embedded, ordinal, memory)
        return memory

    def _end_outdated(self, embedded: EmbeddedDraft, ordinal: int, memory: Memory) -> None:
        """Retires memories near by that the draft says are over."""
        draft = embedded.draft
        began = self._get_latest(draft)
        tells_of = find_latest_start(self.origin.began(draft), began)
        for old in self._list_endable(embedded, ordinal):
            is_later = get_start(old) <= tells_of
            if is_later and self._adjust_quantity(old, memory, draft):
                continue
            if self.called_off is not None:  # what is to come has not begun yet and is over all the same
                is_over = old in self.called_off
            else:
                has_begun = get_start(old) <= began
                is_over = has_begun and ends_memory(draft.text, old.text, draft.language, is_later=is_later)
            if is_over:
                self._end_one(old, memory, embedded)

    def _get_latest(self, draft: Draft) -> datetime:
        """Return when it was said, or what it tells of, if that is later."""
        return max(self.origin.began(draft), self.origin.messages[draft.turns[-1]].said_at)

    def _list_endable(self, embedded: EmbeddedDraft, ordinal: int) -> list[Memory]:
        """The memories near by that the draft may end."""
        draft = embedded.draft
        if self.cube.owner_kind == OwnerKind.PUBLIC or draft.kind not in OTHER:
            return []
        began = self._get_latest(draft)
        return [
            old
            for old, _ in self.around.list_near(ordinal, embedded)
            if old.language == draft.language
            and not (keeps_its_words(old) or self._is_one_breath(draft, old))
            and not was_said_later(old, began)
        ]

    def _end_one(self, old: Memory, memory: Memory, embedded: EmbeddedDraft) -> None:
        """Retires it; what it says besides stays."""
        if old.pk == memory.pk or old.valid_until is not None:
            return
        rest, vector = build_remaining_draft(embedded.draft, old), self.around.get_vector(old)
        self._retire_memory(old, memory, Reason.ENDED)
        if rest and vector and not self.around.find_twin(rest):
            place = _NO_DRAFT + len(self.outcome.added)
            kept = self._write_memory(replace(embedded, draft=rest, vector=vector), place)
            self.around.hold(kept, vector)

    def _adjust_quantity(self, old: Memory, new: Memory, draft: Draft) -> bool:
        """ "The rent went up by 35 euros" gives what an earlier talk said of the rent the new amount, once."""
        is_news = new.pk in self.written and old.source_task != self.origin.task
        return is_news and bool(compute_new_values(draft.text, old.text)) and self._put_right(old, new, draft)

    def _put_right(self, old: Memory, new: Memory, draft: Draft) -> bool:
        """Correct a memory that says more than the new statement and keep the rest; its vector hardly changes.

        False where it does not, or where another memory says just that.
        """
        if self.origin.keeps_words:
            return False
        is_held = old.pk != new.pk and old.valid_until is None and not is_frozen(old)
        if not (text := is_held and correct_text(old.text, draft)) or find_duplicate(old, text) is not None:
            return False
        add_sources(old, self.origin.list_stored(draft))
        fields: dict[str, Any] = {"text": text, "title": build_title(text, old.language)}
        if draft.event_time and not draft.slot:
            fields["event_time"] = draft.event_time
        rewrite_memory(old, fields, self.around.get_vector(old), actor=WORKER, reason=Reason.VALUE_CHANGED)
        self.outcome.merged.append(old.pk)
        return True

    def _list_replaceable(self) -> list[Memory]:
        """The memories that a draft may retire: in public only those of the same person."""
        held = [memory for memory in self.around.list_held() if not is_frozen(memory)]
        if self.cube.owner_kind == OwnerKind.PUBLIC:
            cube = self.origin.conversation.cube_id
            return filter_authored_only_by(cube, held) if cube else []
        return held

    def _retire_memory(self, old: Memory, new: Memory, reason: Reason) -> None:
        """Retire a memory: a corrected one was never valid, an ended one was valid until now."""
        if old.pk == new.pk or old.valid_until is not None or old.status != MemoryStatus.ACTIVATED:
            return
        began = get_start(old)
        until = began if reason == Reason.CORRECTED else max(began, get_start(new))
        retire_memory(old, until, actor=WORKER, reason=reason)
        link_successor(old, new)
        self.around.drop(old)
        self.outcome.superseded.append(old.pk)

    def _place_draft(self, embedded: EmbeddedDraft, ordinal: int) -> Memory:
        draft = embedded.draft
        twin = self.around.find_twin(draft)
        if twin is not None:
            record_repetition(twin, draft, self.origin)
            if not self.origin.keeps_words and not is_frozen(twin) and is_respelled(twin.text, draft.text):
                fields = {"text": draft.text, "title": draft.title}
                rewrite_memory(twin, fields, embedded.vector, actor=WORKER, reason=Reason.VALUE_CHANGED)
            self.outcome.merged.append(twin.pk)
            return twin
        if draft.is_end:  # it leaves its slot empty
            draft = replace(draft, slot="", details={**draft.details, corrections.ENDS: draft.slot})
            embedded = replace(embedded, draft=draft)
        comparisons = self._compare_draft(embedded, ordinal)
        merged = self._merge_draft(embedded, ordinal, comparisons)
        if merged is not None:
            return merged
        changed = [
            memory for how, memory in comparisons if how == Similarity.CHANGED and not is_frozen(memory)
        ]
        return self._add_memory(embedded, ordinal, self._leave_out_unclear(draft, changed))

    def _leave_out_unclear(self, draft: Draft, changed: list[Memory]) -> list[Memory]:
        """Keep, of several things that a new value may be of, the one that this conversation spoke of; else none."""
        if draft.slot or not may_be_of_several(draft.text, [memory.text for memory in changed]):
            return changed
        key = self.origin.conversation.external_id
        of_talk = [memory for memory in changed if memory.conversation_key == key]
        return of_talk if len(of_talk) == 1 else []

    def _compare_draft(self, embedded: EmbeddedDraft, ordinal: int) -> list[_Comparison]:
        """Compare the draft with each neighbour that it may change, those of its own state first."""
        draft = embedded.draft
        if self.cube.owner_kind == OwnerKind.PUBLIC:
            # Many people speak in the public cube: one's residence does not replace another's.
            return [
                _Comparison(Similarity.CHANGED, memory)
                for memory in self._list_own_public_holders(draft.slot)
            ]
        near = self.around.list_near(ordinal, embedded)
        holders = self.around.list_of_slot(draft.slot) + self._list_holders_of_more(draft)
        others = [(memory, closeness, False) for memory, closeness in near if memory not in holders]
        statement = ComparedText(draft.text, format_day(self.origin.happened(draft)))
        comparisons: list[_Comparison] = []
        for memory, closeness, is_holder in [*((holder, 0.0, True) for holder in holders), *others]:
            held = ComparedText(memory.text, format_day(memory.event_time))
            if memory.kind == draft.kind:
                how = compare_statements(statement, held, closeness, of_one_state=is_holder)
            else:  # of another kind, it holds no longer or has nothing to do with this
                is_over = is_holder or is_opposite(statement, held, closeness)
                how = Similarity.CHANGED if is_over else Similarity.DIFFERENT
            similarity = how if is_holder else self._limit_similarity(how, draft, memory)
            comparisons.append(_Comparison(similarity, memory))
        return comparisons

    def _list_holders_of_more(self, draft: Draft) -> list[Memory]:
        """List the memories that hold further states which the draft describes.

        "Is a product manager at Acme" gives both employer and job.
        """
        states = find_states(draft.text, draft.language) if draft.slot else ()
        slots = {state.slot for state in states if not state.is_end and not holds_many_values(state.slot)}
        owner, _, state = draft.slot.rpartition(":")
        if state == "residence" and _MOVED.search(draft.text):  # who moves leaves the flat, too
            slots.add(f"{owner}:housing".lstrip(":"))
        return [memory for slot in sorted(slots - {draft.slot}) for memory in self.around.list_of_slot(slot)]

    def _limit_similarity(self, how: Similarity, draft: Draft, memory: Memory) -> Similarity:
        # What one and the same breath says twice, it means twice: "no coffee, but iced coffee".
        is_spared = self.called_off is not None and memory not in self.called_off
        if how == Similarity.CHANGED and (is_spared or self._is_one_breath(draft, memory)):
            return Similarity.DIFFERENT
        # "Has given the pipe up" has the words of "smokes a pipe", and says that it is over.
        if how.says_the_same and ends_memory(draft.text, memory.text, draft.language):
            return Similarity.DIFFERENT
        return limit_by_slots(how, draft, memory)

    def _is_one_breath(self, draft: Draft, memory: Memory) -> bool:
        is_of_task = memory.source_task == self.origin.task
        return is_of_task and memory.position >= self.origin.messages[draft.turns[-1]].position

    def _list_own_public_holders(self, slot: str) -> list[Memory]:
        holders = list_own_holders(self.cube, self.origin.conversation.cube_id, slot)
        return [memory for memory in holders if not is_frozen(memory)]

    def _merge_draft(
        self, embedded: EmbeddedDraft, ordinal: int, comparisons: list[_Comparison]
    ) -> Memory | None:
        """Merge the draft into a memory and return it; None if it fits none."""
        draft, messages = embedded.draft, self.origin.list_stored(embedded.draft)
        for how, memory in comparisons:
            if how in {Similarity.SAME, Similarity.PART}:
                if keeps_its_words(memory):
                    add_sources(memory, messages)
                else:
                    keep_wording(memory, draft, messages, self.origin.began(draft))
                self.outcome.merged.append(memory.pk)
                return memory
        poorer = [
            memory for how, memory in comparisons if how == Similarity.WHOLE and not keeps_its_words(memory)
        ]
        if poorer and self.origin.keeps_words:
            slot = draft.slot or poorer[0].slot
            richer = self._write_memory(replace(embedded, draft=replace(draft, slot=slot)), ordinal)
            richer.valid_from = min(get_start(memory) for memory in [richer, *poorer])
            richer.save(update_fields=["valid_from"])
            return self._absorb_memories(poorer, richer, embedded)
        return self._enrich_poorer(poorer, embedded, messages) if poorer else None

    def _enrich_poorer(
        self, poorer: list[Memory], embedded: EmbeddedDraft, messages: list[Message]
    ) -> Memory:
        kept, *absorbed = poorer
        enrich_memory(kept, embedded, messages, self.origin, self.origin.began(embedded.draft))
        self.outcome.merged.append(kept.pk)
        return self._absorb_memories(absorbed, kept, embedded)

    def _absorb_memories(self, absorbed: list[Memory], kept: Memory, embedded: EmbeddedDraft) -> Memory:
        for memory in absorbed:
            mark_as_merged(memory, kept)
            self.around.drop(memory)
        self.around.hold(kept, embedded.vector)
        self.outcome.merged += [memory.pk for memory in absorbed]
        return kept

    def _add_memory(self, embedded: EmbeddedDraft, ordinal: int, changed: list[Memory]) -> Memory:
        draft = embedded.draft
        began = self.origin.began(draft)
        latest = self._get_latest(draft)
        newer = next((memory for memory in changed if is_newer(memory, draft, began, latest)), None)
        if newer is not None:
            return self._add_to_the_past(embedded, ordinal, newer, began)
        memory = self._write_memory(embedded, ordinal)
        for older in changed:
            if not draft.slot and self._put_right(older, memory, draft):
                continue
            # What is to come has not begun yet and is over all the same.
            supersede_memory(older, memory, began, latest if not draft.slot else None)
            self.around.drop(older)
            self.outcome.superseded.append(older.pk)
        self.around.hold(memory, embedded.vector)
        return memory

    def _add_to_the_past(
        self, embedded: EmbeddedDraft, ordinal: int, newer: Memory, began: datetime
    ) -> Memory:
        """Add a statement that arrives late: its validity lies between those of its neighbours in time."""
        draft = embedded.draft
        of_slot = self._list_history(draft.slot)
        held_then: Memory | None = (
            of_slot.filter(valid_from__lte=began, valid_until__gt=began).order_by("-valid_from").first()
        )
        if held_then is not None and says_the_same(draft, held_then):
            add_sources(held_then, self.origin.list_stored(draft))
            self.outcome.merged.append(held_then.pk)
            return held_then
        following = of_slot.filter(valid_from__gt=began).order_by("valid_from").first() or newer
        later = get_start(following)
        until = later if later > began else find_last_said_at(newer) or get_start(newer)
        memory = self._write_memory(embedded, ordinal, valid_until=until, superseded_by=following)
        if held_then is not None and not is_frozen(held_then):
            supersede_memory(held_then, memory, began)
            self.outcome.superseded.append(held_then.pk)
        return memory

    def _list_history(self, slot: str) -> MemoryQuerySet:
        states: MemoryQuerySet = Memory.objects.within(self.cube).recallable()
        if self.cube.owner_kind == OwnerKind.PUBLIC or not slot:
            return states.none()  # in public, it may be somebody else's
        return states.filter(slot=slot).defer("embedding", "words", "words_vector")

    def _write_memory(
        self,
        embedded: EmbeddedDraft,
        ordinal: int,
        valid_until: datetime | None = None,
        superseded_by: Memory | None = None,
    ) -> Memory:
        draft, origin = embedded.draft, self.origin
        conversation = origin.conversation
        memory: Memory = Memory.objects.create(
            **get_owner_fields(self.cube),
            cube=self.cube,
            kind=draft.kind,
            title=draft.title,
            text=draft.text,
            content_hash=hash_content(draft.text),
            memory_type=draft.memory_type,
            preference_type=draft.preference_type,
            reasoning=draft.reasoning,
            confidence=draft.confidence,
            tags=list(draft.tags),
            info=origin.info,
            agent_id=origin.agent_id,
            app_id=origin.app_id,
            conversation=conversation if conversation.cube_id == self.cube.pk else None,
            conversation_key=conversation.external_id,
            position=origin.messages[draft.turns[0]].position,
            speaker=draft.speaker,
            language=draft.language,
            slot=draft.slot,
            event_time=origin.happened(draft),
            valid_from=origin.began(draft),
            valid_until=valid_until,
            superseded_by=superseded_by,
            source_task=origin.task,
            ordinal=ordinal,
            details=draft.details,
            extracted_by=origin.extractor,
            words=" ".join(search_terms(draft.text)),
            embedding=embedded.vector,
            embedding_model=origin.embedder,
        )
        add_sources(memory, origin.list_stored(draft))
        self.outcome.added.append(memory.pk)
        self.written.add(memory.pk)
        return memory


_MOVED = re.compile(r"\b(?:moved|relocated|settled)\b|搬|迁居|定居")
