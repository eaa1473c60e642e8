"""What a talk brings into the knowledge bases that it may write into: what is knowledge, and nothing of the person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memories.base_changes import BaseWork, BaseWriting, Judged, prepare_bases, write_bases
from memories.base_history import Cause
from memories.contradictions import Matter
from memories.cubes import linked_bases
from memories.engine import embedder
from memories.engine.local.contrast import Contrast
from memories.engine.local.orders import Telling, read_feedback
from memories.models import Intake, MemCube, Memory, Message, Task
from memories.outcome import Changes
from memories.personal import knowledge_in
from memories.reconcile import lock_cube
from memories.tellings import Told, decide
from memories.values import Draft
from memories.words import keywords
from tenancy.scoping import Scope, tenant_scope

ACTOR = "message"


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a talk is to change in the bases, said last at this time."""

    works: tuple[BaseWork, ...]
    said_at: datetime
    by: str


def contribution(
    intake: Intake, messages: Sequence[Message], drafts: Sequence[Draft], by: str
) -> Contribution | None:
    """Compares what was said with what the bases hold; no transaction may be open here."""
    if not intake.knowledge_bases:
        return None
    scope = Scope(intake.account_id, intake.project_id)
    with tenant_scope(scope):
        bases = linked_bases(intake.project, intake.knowledge_bases)
    told = list(_told(messages, drafts, by)) if bases else []
    judged = [_judged(scope, base, message, one) for message, one in told for base in bases]
    # New knowledge goes where it was asked for; "all" bases are only put right.
    works = prepare_bases(judged, intake.knowledge_bases)
    return Contribution(tuple(works), messages[-1].said_at, by) if works else None


def _judged(scope: Scope, base: MemCube, message: Message, told: Told) -> Judged:
    """Each base by itself: what one is about is nothing to another."""
    with tenant_scope(scope):
        # An empty base is about nothing yet.
        is_empty = not Memory.objects.within(base).current().exists()
        asked = replace(told, telling=replace(told.telling, is_wanted=is_empty))
        return Judged(decide(asked, [base], has_talk=False), [base], message.pk)


def _told(messages: Sequence[Message], drafts: Sequence[Draft], by: str) -> Iterator[tuple[Message, Told]]:
    for draft in drafts:
        message = messages[draft.turns[-1]]
        known = knowledge_in(draft) if message.role == "user" else None
        if known is None:
            continue
        contrast = _contrast(message.text, known.text)
        if contrast is not None and _only_denies(known.text, contrast):
            continue
        if contrast is not None and contrast.statement and len(contrast.statement) < len(known.text):
            known = replace(known, text=_sentence(contrast.statement, known))
        statement = contrast.statement if contrast and contrast.statement else known.text
        vector = embedder().embed_query(statement)
        matter = Matter(statement, contrast, vector, says_wrong=False)
        yield message, Told(Telling(known.text, contrast), matter, (known,), by)


def _contrast(said: str, text: str) -> Contrast | None:
    """The values that the message puts against each other where it says this."""
    words = set(keywords(text))
    for telling in read_feedback(said).tellings:
        contrast = telling.contrast
        if contrast and contrast.statement and words & {*keywords(contrast.right), *keywords(contrast.wrong)}:
            shared = set(keywords(contrast.statement)) & words
            if shared and (len(shared) * 2 >= len(words) or _only_denies(text, contrast)):
                return contrast
    return None


def _only_denies(text: str, contrast: Contrast) -> bool:
    """As in "不是800元": the other half of the sentence says what holds."""
    left = set(keywords(text)) - set(keywords(contrast.wrong))
    return left <= {"not", "不是", "并非", "而不是", "不"}


def _sentence(statement: str, draft: Draft) -> str:
    ends = "" if statement[-1] in ".!?。！？" else ("。" if draft.language == "zh" else ".")
    return statement[0].upper() + statement[1:] + ends


def contribute(task: Task, intake: Intake, brought: Contribution | None) -> Changes:
    """In the caller's transaction. The locks of the bases come after all others, in one order for everybody."""
    changes = Changes()
    if brought is not None:
        for key in sorted({work.cube.pk for work in brought.works}):
            lock_cube(key)
        granted = linked_bases(intake.project, intake.knowledge_bases, for_writing=True)
        writing = BaseWriting(Cause(intake.project_id), ACTOR, brought.said_at, task.pk, brought.by)
        write_bases(brought.works, granted, writing, changes)
    return changes
