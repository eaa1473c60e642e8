"""Write what a conversation says into the knowledge bases that it may change: knowledge only, nothing personal.

The client names the bases, so whatever is knowledge goes there, on any topic. A base is read by everybody: what is
about the person, and what only an assistant said, stays out, and the task says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.personal_facts import convert_to_knowledge
from memories.cubes.access import ALL_BASES, list_linked_bases
from memories.engine import get_embedder
from memories.feedback.changed_ids import FeedbackChanges
from memories.feedback.contradictions import (
    Contradictions,
    FeedbackStatement,
    extract_content_words,
    with_value_in_question,
)
from memories.feedback.interpret_facts import InterpretedStatement, decide_drafts
from memories.feedback.knowledge_bases.edit_passage import extract_search_words
from memories.feedback.knowledge_bases.edits import BaseWork, BaseWriting, Judged, prepare_bases, write_bases
from memories.feedback.knowledge_bases.history import ChangeCause
from memories.feedback.parse_orders import StatedFact, read_feedback
from memories.jobs.not_written import NotWritten, NotWrittenReason
from memories.models import Intake, MemCube, Message, Task
from memories.settings.extraction import ExtractionPolicies
from memories.text.clauses.contrast import Contrast
from memories.text.words.tokenize import extract_keywords
from memories.values import Draft
from tenancy.isolation.scoping import Scope, tenant_scope

ACTOR = "message"
# "It is 600, not 800" goes by what was said just before; a passage that is meant shares so many words with that.
JUST_SAID, SHARED_WITH_TALK = 2, 2


@dataclass(frozen=True, slots=True)
class Contribution:
    """Changes that a talk makes in the bases, said last at this time; and what of it is not written there, and why."""

    works: tuple[BaseWork, ...]
    said_at: datetime
    by: str
    not_written: NotWritten


def find_contribution(
    intake: Intake, messages: Sequence[Message], drafts: Sequence[Draft], by: str
) -> Contribution | None:
    """Compares what was said with what the bases hold; no transaction may be open here."""
    if not intake.knowledge_bases:
        return None
    scope = Scope(intake.account_id, intake.project_id)
    with tenant_scope(scope):
        bases = list_linked_bases(intake.project, intake.knowledge_bases)
    named = [name for name in intake.knowledge_bases if name != ALL_BASES]
    linked = {base.owner_id for base in bases}
    places = {
        message.pk: message.position - intake.first
        for message in messages
        if message.position >= intake.first
    }
    missing = NotWritten(places)
    if gone := [name for name in named if name not in linked]:
        missing.add(NotWrittenReason.NOT_LINKED, gone)
    interpreted = _list_all_stated(messages, drafts, by, missing, linked) if bases else []
    message_keys = {messages[draft.turns[-1]].pk for draft in drafts} | {
        contributed.message.pk for contributed in interpreted
    }
    forbids = ExtractionPolicies.of(intake.project).forbids
    for message in messages:
        if linked and message.pk in places and message.pk not in message_keys:
            missing.add(_choose_refusal(message, is_forbidden=forbids(message.text)), linked, message.pk)
    judged = [
        judgement
        for message, fact in interpreted
        for base in bases
        if (
            judgement := _judge_for_base(
                scope,
                base,
                message=message,
                interpreted=fact,
                is_named=base.owner_id in named,
                missing=missing,
            )
        )
    ]
    works = prepare_bases(judged, named)
    _note_personal(judged, works, missing)
    return Contribution(tuple(works), messages[-1].said_at, by, missing)


def _judge_for_base(
    scope: Scope,
    base: MemCube,
    *,
    message: Message,
    interpreted: InterpretedStatement,
    is_named: bool,
    missing: NotWritten,
) -> Judged | None:
    """Each base by itself: what one is about is nothing to another. Without a name, bases are only put right."""
    with tenant_scope(scope):
        asked = replace(interpreted, fact=replace(interpreted.fact, is_wanted=is_named))
        decision = decide_drafts(asked, [base], has_talk=False)
    if not interpreted.drafts:
        decision = replace(
            decision, contradictions=_find_talked_about(decision.contradictions, interpreted.matter)
        )
        if not decision.contradictions.targets:
            missing.add(decision.reason or "not_certain", [base.owner_id], message.pk)
            return None
    if not decision.contradictions.targets and not decision.reason and not is_named:
        decision = replace(decision, reason=NotWrittenReason.NOT_NAMED)
    if decision.reason:
        reason = NotWrittenReason.NOT_NAMED if decision.reason == "off_topic" else decision.reason
        missing.add(reason, [base.owner_id], message.pk)
        return None
    return Judged(decision, [base], message.pk)


def _find_talked_about(findings: Contradictions, matter: FeedbackStatement) -> Contradictions:
    """Keep only passages that the conversation was just about: its values may belong to something else."""
    words = extract_content_words(" ".join(matter.talk[-JUST_SAID:]))
    near = {
        memory: text
        for memory, text in findings.targets.items()
        if len(words & extract_search_words(memory.text)) >= SHARED_WITH_TALK
    }
    return replace(findings, targets=near)


class Contributed(NamedTuple):
    """A statement for knowledge bases, and the message that makes it."""

    message: Message
    statement: InterpretedStatement


def _list_all_stated(
    messages: Sequence[Message], drafts: Sequence[Draft], by: str, missing: NotWritten, bases: set[str]
) -> list[Contributed]:
    stated = list(_iterate_stated(messages, drafts, by, bases, missing))
    message_keys = {statement.message.pk for statement in stated}
    return [
        *stated,
        *_put_against_each_other(
            messages,
            message_keys | {message.pk for message in messages if message.pk not in missing.places},
            by,
        ),
    ]


def _iterate_stated(
    messages: Sequence[Message], drafts: Sequence[Draft], by: str, bases: set[str], missing: NotWritten
) -> Iterator[Contributed]:
    for draft in drafts:
        message = messages[draft.turns[-1]]
        if message.role != "user":
            missing.add(NotWrittenReason.NOT_SAID_BY_USER, bases, message.pk)
            continue
        known = convert_to_knowledge(draft, message.text)
        if known is None:
            missing.add(NotWrittenReason.PERSONAL, bases, message.pk)
            continue
        if _names_only_values(known.text):
            continue  # stated by the message about an earlier one
        contrast = _find_contrast(message.text, known.text)
        if contrast is not None and _only_denies(known.text, contrast):
            continue
        if contrast is not None and contrast.statement and len(contrast.statement) < len(known.text):
            known = replace(known, text=_finish_sentence(contrast.statement, known))
        statement = contrast.statement if contrast and contrast.statement else known.text
        vector = get_embedder().embed_query(statement)
        matter = FeedbackStatement(statement, contrast, vector, says_wrong=False)
        fact = StatedFact(known.text, contrast)
        yield Contributed(message, InterpretedStatement(fact, matter, (known,), by))


def _names_only_values(text: str) -> bool:
    contrasts = [fact.contrast for fact in read_feedback(text).facts]
    return bool(contrasts) and all(
        contrast and contrast.wrong and not contrast.statement for contrast in contrasts
    )


def _put_against_each_other(
    messages: Sequence[Message], message_keys: Set[UUID], by: str
) -> Iterator[Contributed]:
    """As in "It is 600, not 800": values of what was said before, which no draft states."""
    for number, message in enumerate(messages):
        if message.role != "user" or message.pk in message_keys:
            continue
        talk = tuple(earlier.text for earlier in messages[:number])
        for fact in read_feedback(message.text).facts:
            contrast = fact.contrast and with_value_in_question(fact.contrast, talk)
            if contrast and contrast.wrong:
                vector = get_embedder().embed_query(contrast.statement) if contrast.statement else None
                matter = FeedbackStatement(contrast.statement, contrast, vector, says_wrong=False, talk=talk)
                known = replace(fact, contrast=contrast)
                yield Contributed(message, InterpretedStatement(known, matter, (), by))


def _choose_refusal(message: Message, is_forbidden: bool) -> NotWrittenReason:
    """Choose why nothing at all was made of a message."""
    if message.role != "user":
        return NotWrittenReason.NOT_SAID_BY_USER
    return NotWrittenReason.FORBIDDEN if is_forbidden else NotWrittenReason.SAYS_NOTHING


def _note_personal(judged: Sequence[Judged], works: Sequence[BaseWork], missing: NotWritten) -> None:
    """What was to be stated, and says nothing without the person."""
    written = {(work.cube.pk, work.message) for work in works}
    for judgement in judged:
        for cube in judgement.cubes:
            if (cube.pk, judgement.message) not in written:
                missing.add(NotWrittenReason.PERSONAL, [cube.owner_id], judgement.message)


def _find_contrast(message_text: str, text: str) -> Contrast | None:
    """The values that the message puts against each other where it says this."""
    words = set(extract_keywords(text))
    for fact in read_feedback(message_text).facts:
        contrast = fact.contrast
        if (
            contrast
            and contrast.statement
            and words & {*extract_keywords(contrast.right), *extract_keywords(contrast.wrong)}
        ):
            shared = set(extract_keywords(contrast.statement)) & words
            if shared and (len(shared) * 2 >= len(words) or _only_denies(text, contrast)):
                return contrast
    return None


def _only_denies(text: str, contrast: Contrast) -> bool:
    """As in "不是800元": the other half of the sentence says what holds."""
    left = set(extract_keywords(text)) - set(extract_keywords(contrast.wrong))
    return left <= {"not", "不是", "并非", "而不是", "不"}


def _finish_sentence(statement: str, draft: Draft) -> str:
    ends = "" if statement[-1] in ".!?。！？" else ("。" if draft.language == "zh" else ".")
    return statement[0].upper() + statement[1:] + ends


def write_contribution(task: Task, intake: Intake, brought: Contribution | None) -> FeedbackChanges:
    """Write into knowledge bases in the caller's transaction.

    Their locks come after all others, in one order for everybody.
    """
    changes = FeedbackChanges()
    if brought is not None:
        for key in sorted({work.cube.pk for work in brought.works}):
            lock_cube(key)
        changes.not_written = brought.not_written
        granted = list_linked_bases(intake.project, intake.knowledge_bases, for_writing=True)
        talk = intake.conversation.external_id
        writing = BaseWriting(
            ChangeCause(intake.project_id), ACTOR, brought.said_at, task.pk, brought.by, talk
        )
        write_bases(brought.works, granted, writing, changes)
    return changes
