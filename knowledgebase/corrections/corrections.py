"""Corrections of a knowledge base: recorded when memories change, listed, and submitted by members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from knowledgebase.models import Correction, KnowledgeBase
from knowledgebase.values import CorrectionSource
from memories.cubes.access import provide_public_cube, refuse_unlinked
from memories.feedback.knowledge_bases.history import BaseChange, ChangeCause
from memories.jobs import outbox
from memories.models import Conversation, Feedback, Memory, MemoryVersion, Message, Task
from memories.values import NO_TALK, TaskKind
from tenancy.errors import RequiredFieldEmpty
from tenancy.isolation.scoping import get_active_scope, tenant_scope
from tenancy.models import Project, User


def record_corrections(cube_id: UUID, changes: Sequence[BaseChange], cause: ChangeCause) -> None:
    """Record changed memories as corrections, in the transaction that changes them.

    Does not touch the base's row: elsewhere it is locked before the cube, and here the cube is locked already.
    """
    scope = get_active_scope()
    if scope is None:
        return
    base = KnowledgeBase.objects.within(scope.account).filter(cube=cube_id).first()
    if base is not None:
        member = _find_member(cause)
        rows = [_build_correction_row(base, change, cause, member) for change in changes]
        Correction.objects.bulk_create(rows)


def _find_member(cause: ChangeCause) -> int | None:
    """The member who entered it, unless that login was deleted meanwhile: the row may not name it any more."""
    logins = User.objects.filter(pk=cause.member) if cause.member else User.objects.none()
    member_id: int | None = logins.values_list("pk", flat=True).first()
    return member_id


def _build_correction_row(
    base: KnowledgeBase, change: BaseChange, cause: ChangeCause, member: int | None
) -> Correction:
    return Correction(
        account_id=base.account_id,
        base=base,
        source=_get_correction_source(cause),
        before_id=change.before,
        after_id=change.after,
        version=change.version,
        through_id=cause.project,
        feedback=cause.feedback,
        message=change.message,
        made_by_id=member,
    )


def _get_correction_source(cause: ChangeCause) -> CorrectionSource:
    if cause.member:
        return CorrectionSource.CONSOLE
    return CorrectionSource.FEEDBACK if cause.feedback else CorrectionSource.MESSAGE


def delete_sources_of_subject(project_id: UUID, cube_id: UUID) -> None:
    """Remove references to a deleted subject from its corrections; the corrected memories stay."""
    scope = get_active_scope()
    if scope is None:
        return
    every = Correction.objects.within(scope.account)
    feedback = Feedback.objects.within(project_id)
    messages = Message.objects.within(project_id)
    hers = Q(feedback__in=feedback.filter(cube=cube_id).values("pk")) | Q(
        message__in=messages.filter(conversation__cube=cube_id).values("pk")
    )
    talks = Conversation.objects.within(project_id).filter(cube=cube_id)
    names = {
        *talks.values_list("external_id", flat=True),
        *feedback.filter(cube=cube_id).values_list("conversation_key", flat=True),
    }
    bases = KnowledgeBase.objects.within(scope.account).values("cube")
    named = Memory.objects.within(bases).filter(conversation_key__in=names - {"", NO_TALK})
    keys = set(named.values_list("pk", flat=True))
    # Others may have conversations of the same name. Only what is surely theirs keeps it: messages that are no longer
    # held tell nothing.
    others = ~Q(through=project_id) | Q(feedback__in=feedback.exclude(cube=cube_id).values("pk"))
    others |= Q(message__in=messages.exclude(conversation__cube=cube_id).values("pk"))
    about = every.filter(Q(before__in=keys) | Q(after__in=keys))
    theirs = _list_corrected(about.filter(others)) - _list_corrected(about.filter(hers, through=project_id))
    mine = every.filter(through=project_id)
    mine.filter(feedback__in=feedback.filter(cube=cube_id).values("pk")).update(feedback=None)
    mine.filter(message__in=messages.filter(conversation__cube=cube_id).values("pk")).update(message=None)
    named.filter(pk__in=keys - theirs).update(conversation_key=NO_TALK)


def _list_corrected(corrections: QuerySet[Correction]) -> set[UUID]:
    return {key for pair in corrections.values_list("before", "after") for key in pair if key}


def list_corrections(base: KnowledgeBase) -> QuerySet[Correction]:
    """Corrections of a base, newest first; evaluated in the scope of the account or of one of its projects."""
    mine: QuerySet[Correction] = Correction.objects.within(base.account_id).filter(base=base)
    return mine.select_related("made_by", "reverted_by", "through").order_by("-created_at", "-pk")


@dataclass(frozen=True, slots=True)
class CorrectionWording:
    """The text before and after a correction, and the words that caused it.

    `before` is "" for an added memory, `after` "" for one deleted since. `words` are None when they were said in
    another project or by a deleted user; `who` is the member who corrected, else the end user, else None.
    """

    before: str
    after: str
    words: str | None
    who: str | None
    at: datetime


def load_correction_wordings(
    corrections: Iterable[Correction], project: Project | None = None
) -> list[CorrectionWording]:
    """The wordings of several corrections in few queries; inside the scope of the project or of its account."""
    known = list(corrections)
    scope = get_active_scope()
    reader = project.pk if project else scope.project if scope else None
    texts, sources = (
        _MemoryTexts(known),
        _SourceTexts([correction for correction in known if reader and correction.through_id == reader]),
    )
    return [
        CorrectionWording(
            texts.before(correction),
            texts.after(correction),
            *sources.get_words_and_author(correction),
            correction.created_at,
        )
        for correction in known
    ]


class _MemoryTexts:
    """Current texts of memories, and their texts in the versions that corrections name."""

    def __init__(self, corrections: Sequence[Correction]) -> None:
        keys = {
            key
            for correction in corrections
            for key in (correction.before_id, correction.after_id)
            if key is not None
        }
        cubes = KnowledgeBase.objects.within({correction.account_id for correction in corrections}).values(
            "cube"
        )
        held = Memory.objects.within(cubes).filter(pk__in=keys)
        self._now: dict[UUID, str] = dict(held.values_list("pk", "text"))
        versions = MemoryVersion.objects.within(keys).values_list("memory_id", "number", "text")
        self._then = {(key, number): text for key, number, text in versions}

    def before(self, correction: Correction) -> str:
        key = correction.before_id
        return self._get_text(key, correction.version or 0) if key is not None else ""

    def after(self, correction: Correction) -> str:
        key = correction.after_id
        if key is None:
            return ""
        return self._get_text(key, correction.version + 1 if correction.version else 0)

    def _get_text(self, key: UUID, number: int) -> str:
        return self._then.get((key, number), self._now.get(key, ""))


class _SourceTexts:
    """The texts of feedback and messages that caused corrections, and their authors."""

    def __init__(self, corrections: Sequence[Correction]) -> None:
        projects = {correction.through_id for correction in corrections if correction.through_id is not None}
        feedback_ids = {correction.feedback for correction in corrections if correction.feedback}
        message_ids = {correction.message for correction in corrections if correction.message}
        feedback = Feedback.objects.within(projects).filter(pk__in=feedback_ids)
        spoken = Message.objects.within(projects).filter(pk__in=message_ids)
        self._words: dict[UUID, tuple[str, str]] = {
            key: (text, who) for key, text, who in feedback.values_list("pk", "text", "cube__owner_id")
        }
        rows = spoken.values_list("pk", "text", "conversation__cube__owner_id")
        self._words |= {key: (text, who) for key, text, who in rows}

    def get_words_and_author(self, correction: Correction) -> tuple[str | None, str | None]:
        key = correction.feedback or correction.message
        words, who = self._words.get(key, (None, None)) if key else (None, None)
        return words, correction.made_by.name if correction.made_by else who


def submit_correction(project: Project, base: KnowledgeBase, words: str, user: User) -> Task:
    """Submit what a member of the account says has changed; the worker applies it to the base.

    Memories of end users are not touched. Raises `RequiredFieldEmpty`, and `KnowledgeBaseNotLinked` for a base that the
    project may not use.
    """
    text = words.strip()
    if not text:
        raise RequiredFieldEmpty("words")
    with tenant_scope(project):
        refuse_unlinked(project, [base.public_id])
        # The row needs a cube of the project; the public one is nobody's, and the work leaves it alone.
        cube = provide_public_cube(project)
        feedback = Feedback.objects.create(
            account_id=project.account_id,
            project=project,
            cube=cube,
            text=text,
            said_at=timezone.now(),
            knowledge_bases=[base.public_id],
        )
        payload = {"feedback": str(feedback.pk), "epoch": cube.epoch, "member": str(user.pk)}
        return outbox.write_task(
            cube, TaskKind.FEEDBACK, dedupe_key=str(feedback.pk), payload=payload, subject=cube.pk
        )
