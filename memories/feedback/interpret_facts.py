"""Interprets the facts of a feedback: whether they are on topic, and which drafts they become."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memories.consolidation.authorship import filter_authored_only_by
from memories.consolidation.personal_facts import is_of_oneself, is_of_somebody
from memories.engine import extract, get_embedder
from memories.engine.protocols import Extraction
from memories.feedback.contradictions import (
    Contradictions,
    FeedbackStatement,
    find_candidates,
    find_contradicted,
    is_related,
    with_value_in_question,
)
from memories.feedback.knowledge_bases.contradicted_passages import find_contradicted_passages, split_passages
from memories.feedback.owners import quotes_more, says_that_user_has
from memories.feedback.parse_orders import StatedFact, Wishes
from memories.feedback.praise_and_blame import is_judgement
from memories.models import MemCube, Memory
from memories.text.clauses.contrast import Contrast
from memories.text.clauses.replacer import make_replacer
from memories.text.clauses.small_talk import is_small_talk
from memories.text.topics.tags import build_title, choose_tags
from memories.text.words.language_detection import detect_language
from memories.values import Confidence, Draft, MemoryKind, OwnerKind, Turn

_ONESELF = re.compile(r"^(?:I|we|my|our)\b|^[我咱]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class InterpretedStatement:
    """One stated fact with what it becomes: drafts of its own, and corrections of memories.

    `is_for_all`: stated for a knowledge base by its owner; "we" are all its readers.
    """

    fact: StatedFact
    matter: FeedbackStatement
    drafts: tuple[Draft, ...]
    by: str
    is_for_all: bool = False

    @property
    def is_personal(self) -> bool:
        return not self.is_for_all and is_of_oneself(self.matter.statement)

    @property
    def is_lasting(self) -> bool:
        """A state or a preference of the person: welcome at any time, whatever the talk is about."""
        return any(
            draft.kind is MemoryKind.PREFERENCE or (draft.slot and self.is_personal) for draft in self.drafts
        )


def interpret_for_all(wishes: Wishes, said_at: datetime) -> list[InterpretedStatement]:
    """Interpret facts for a knowledge base: all of them are kept. No transaction may be open here."""
    wanted = tuple(replace(fact, is_wanted=True) for fact in wishes.facts)
    interpreted = interpret_statements(replace(wishes, facts=wanted), said_at, ())
    return [replace(statement, is_for_all=True) for statement in interpreted]


def interpret_statements(
    wishes: Wishes, said_at: datetime, talk: tuple[str, ...]
) -> list[InterpretedStatement]:
    """Extract and embed the facts; judgements and small talk are dropped. No transaction may be open here."""
    worth = [fact for fact in wishes.facts if not is_empty(fact.text)]
    interpreted = [_interpret_fact(fact, wishes.says_wrong, said_at, talk) for fact in worth]
    if not (wishes.replacements or wishes.forget_requests):
        return interpreted
    # Beside an order stands its reason, unless it was to be remembered or says a lasting thing.
    return [
        statement
        for statement in interpreted
        if statement.fact.is_wanted or statement.fact.contrast or statement.is_lasting
    ]


def mark_wanted_by_bases(wishes: Wishes) -> Wishes:
    """Mark facts that are not personal as wanted on any topic: the client named knowledge bases for them."""
    facts = [
        fact if _is_asking(fact.text) or is_of_oneself(fact.text) else replace(fact, is_wanted=True)
        for fact in wishes.facts
    ]
    return replace(wishes, facts=tuple(facts))


def _is_asking(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def is_empty(text: str) -> bool:
    return is_small_talk(text) or is_judgement(text)


def _interpret_fact(
    fact: StatedFact, says_wrong: bool, said_at: datetime, talk: tuple[str, ...]
) -> InterpretedStatement:
    contrast = fact.contrast and with_value_in_question(fact.contrast, talk)
    statement = contrast.statement if contrast else fact.text
    extraction = _extract_statement(statement, said_at, must_be_kept=fact.is_wanted or contrast is not None)
    vector = get_embedder().embed_query(statement) if statement else None
    slots = frozenset(draft.slot for draft in extraction.drafts if draft.slot)
    matter = FeedbackStatement(statement, contrast, vector, says_wrong, slots, talk)
    return InterpretedStatement(fact, matter, tuple(extraction.drafts), extraction.by)


def _extract_statement(statement: str, said_at: datetime, must_be_kept: bool) -> Extraction:
    """Return what the extractor makes of the statement; what was asked for is kept, even if no rule knows its form."""
    if not statement:
        return Extraction([], "")
    extraction = extract([Turn("user", statement, said_at)], [])
    return (
        extraction
        if extraction.drafts or not must_be_kept
        else Extraction([_build_plain_draft(statement)], extraction.by)
    )


def _build_plain_draft(statement: str) -> Draft:
    language = detect_language(statement)
    text = statement[0].upper() + statement[1:]
    return Draft(
        kind=MemoryKind.FACT,
        text=text if text[-1] in ".!?。！？" else text + ("。" if language == "zh" else "."),
        title=build_title(text, language),
        turns=(0,),
        confidence=Confidence.STATED,
        tags=choose_tags(text, language, []),
        language=language,
    )


@dataclass(frozen=True, slots=True)
class Decision:
    """Changes that one fact makes: contradicted memories with their corrected drafts, or why it changes nothing."""

    interpreted: InterpretedStatement
    contradictions: Contradictions
    reason: str = ""

    @property
    def rewritten(self) -> dict[Memory, Draft]:
        """Each contradicted memory with what is to hold in its place, where its own words are kept."""
        contrast = self.interpreted.matter.contrast
        return {
            memory: correct_draft(memory, text, contrast)
            for memory, text in self.contradictions.targets.items()
            if text and (not self.is_state or self._is_of_more(memory))
        }

    @property
    def is_state(self) -> bool:
        """Return whether a state or a preference of the person is stated, which takes the place of what it
        contradicts."""
        return self.interpreted.is_lasting and self.interpreted.is_personal

    def _is_of_more(self, memory: Memory) -> bool:
        """Return whether the memory tells of the thing and not of that state: "has a Kia e-Niro and a caravan"."""
        matter = self.interpreted.matter
        is_of_state = memory.slot in {draft.slot for draft in self.interpreted.drafts if draft.slot}
        wrong = matter.contrast.wrong if matter.contrast else ""
        says_more = quotes_more(memory.text) or says_that_user_has(memory.text, wrong, matter.statement)
        return not is_of_state and says_more


def decide_drafts(interpreted: InterpretedStatement, cubes: Sequence[MemCube], has_talk: bool) -> Decision:
    """Decide what an interpreted fact changes; inside the project's scope. The first cube is the subject's own."""
    held = find_candidates(cubes, interpreted.matter)
    parts = split_passages(held)
    findings = find_contradicted(_to_be_put_right(interpreted, parts.others, cubes), interpreted.matter)
    if not interpreted.is_personal:
        findings = findings.and_also(find_contradicted_passages(parts.passages, interpreted.matter))
    if findings.targets:
        return Decision(interpreted, findings)
    if findings.is_known:
        return Decision(interpreted, findings, "known")
    if not interpreted.matter.statement:
        return Decision(
            interpreted, findings, "not_certain" if findings.is_uncertain and held else "not_found"
        )
    if not interpreted.drafts:
        return Decision(interpreted, findings, "says_nothing")
    return Decision(interpreted, findings, "" if _belongs(interpreted, held, has_talk) else "off_topic")


def _to_be_put_right(
    interpreted: InterpretedStatement, held: Sequence[Memory], cubes: Sequence[MemCube]
) -> list[Memory]:
    """The memories to correct, without what other people stated in public about themselves."""
    public = {cube.pk for cube in cubes if cube.owner_kind == OwnerKind.PUBLIC}
    is_own = interpreted.is_personal or any(is_of_somebody(draft.text) for draft in interpreted.drafts)
    shared = [memory for memory in held if memory.cube_id in public]
    personal = [memory for memory in shared if is_own or is_of_somebody(memory.text)]
    mine = {memory.pk for memory in filter_authored_only_by(cubes[0].pk, personal)}
    others = {memory.pk for memory in personal} - mine
    return [memory for memory in held if memory.pk not in others]


def _belongs(interpreted: InterpretedStatement, held: Sequence[Memory], has_talk: bool) -> bool:
    if interpreted.fact.is_wanted or interpreted.is_lasting or is_related(interpreted.matter, held):
        return True
    if not interpreted.is_personal and any(memory.kind == MemoryKind.KNOWLEDGE for memory in held):
        return False  # the bases are there to judge by
    # Without a conversation there is nothing to judge by: what corrects or speaks of the person is taken.
    return not has_talk and bool(interpreted.fact.contrast or _ONESELF.match(interpreted.matter.statement))


def correct_draft(memory: Memory, text: str, contrast: Contrast | None) -> Draft:
    """The memory's own words with the right value: all that it knew besides stays."""
    put_right = make_replacer(contrast.wrong, contrast.right) if contrast and contrast.wrong else str
    return Draft(
        kind=MemoryKind(memory.kind),
        text=text,
        title=put_right(memory.title),
        turns=(0,),
        confidence=max(memory.confidence, 0.9),
        tags=tuple(memory.tags),
        speaker="" if memory.speaker == "assistant" else memory.speaker,
        memory_type=memory.memory_type,
        preference_type=memory.preference_type,
        reasoning=memory.reasoning,
        # A state that is named after the wrong value ("likes:coffee") is another one now.
        slot=memory.slot if put_right(memory.slot) == memory.slot else "",
        language=detect_language(text),
        details=dict(memory.details),
    )
