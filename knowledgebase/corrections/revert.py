"""Revert a correction on behalf of a member."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from knowledgebase.models import Correction, KnowledgeBase
from memories.consolidation.cube_locks import lock_cube
from memories.consolidation.versions import build_member_actor
from memories.cubes.access import refuse_unlinked
from memories.feedback.knowledge_bases.revert import (
    Earlier,
    archive_added,
    find_earlier_wording,
    list_statements_about,
    restore_replaced,
    restore_wording,
)
from tenancy.audit.log import record_event
from tenancy.errors import CorrectionNotLast, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, User


def revert_correction(project: Project, correction: Correction, by: User) -> bool:
    """Restore the earlier memory and delete the statement made with it. False when it was reverted already.

    Raises `CorrectionNotLast` when a later correction depends on it, `MemoryFrozen`, `DuplicateMemory`, and
    `KnowledgeBaseNotLinked` for a base that the project may not use.
    """
    earlier = _find_earlier_wording(project, correction)
    with tenant_scope(project):
        base = _get_base(project, correction)
        lock_cube(base.cube_id)
        now = _lock_correction(correction)
        if now.reverted_at is not None:
            return False
        _refuse_later(now)
        _restore_earlier(base, now, earlier, by)
        _mark_reverted(now, by)
        _delete_stated(base, now, by)
        record_event(project.account, by, "correction.reverted", correction, project=project)
    correction.reverted_at, correction.reverted_by = now.reverted_at, by
    return True


def _find_earlier_wording(project: Project, correction: Correction) -> Earlier | None:
    if not correction.version or correction.before_id is None:
        return None
    with tenant_scope(project):
        _get_base(project, correction)
    return find_earlier_wording(project, correction.before_id, correction.version)


def _get_base(project: Project, correction: Correction) -> KnowledgeBase:
    bases = KnowledgeBase.objects.within(project.account_id).select_related("cube")
    base: KnowledgeBase | None = bases.filter(pk=correction.base_id, deleted_at=None).first()
    if base is None:
        raise NotFound(str(correction.pk))
    refuse_unlinked(project, [base.public_id])
    return base


def _lock_correction(correction: Correction) -> Correction:
    rows = Correction.objects.within(correction.account_id).filter(pk=correction.pk)
    now: Correction | None = rows.select_for_update(of=("self",), no_key=True).first()
    if now is None:
        raise NotFound(str(correction.pk))
    return now


def _refuse_later(correction: Correction) -> None:
    """Later corrections of the same memory have to be reverted first. Raises `CorrectionNotLast`."""
    touched = [key for key in (correction.before_id, correction.after_id) if key is not None]
    of_base = Correction.objects.within(correction.account_id).filter(
        base=correction.base_id, reverted_at=None
    )
    later = of_base.filter(Q(before__in=touched) | Q(after__in=touched), pk__gt=correction.pk)
    if later.exists():
        raise CorrectionNotLast(str(correction.pk))


def _restore_earlier(base: KnowledgeBase, correction: Correction, earlier: Earlier | None, by: User) -> None:
    before, after, actor = correction.before_id, correction.after_id, build_member_actor(by)
    if after is None:
        raise CorrectionNotLast(str(correction.pk))  # what it led to is gone
    if before is None:
        archive_added(base.cube, after, actor)
    elif correction.version:
        restore_wording(base.cube, before, correction.version, earlier, actor)
    else:
        restore_replaced(base.cube, before, after, actor)


def _delete_stated(base: KnowledgeBase, correction: Correction, by: User) -> None:
    """Delete the short statement of the same words with the last passage that it corrected."""
    if correction.after_id is None:
        return
    active = Correction.objects.within(correction.account_id).filter(
        base=correction.base_id, reverted_at=None
    )
    same = active.filter(
        feedback=correction.feedback, message=correction.message, through=correction.through_id
    )
    for beside in list_statements_about(base.cube, correction.after_id):
        row = same.filter(after=beside.statement, before=None).first()
        if row is not None and not same.filter(after__in=beside.passages).exists():
            archive_added(base.cube, beside.statement, build_member_actor(by))
            _mark_reverted(row, by)


def _mark_reverted(correction: Correction, by: User) -> None:
    correction.reverted_at, correction.reverted_by = timezone.now(), by
    correction.save(update_fields=["reverted_at", "reverted_by"])
