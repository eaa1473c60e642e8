"""The history of a memory as a person reads it: each change with who, why and what it did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext_lazy

from console.ui.texts.text_diff import DiffPiece, compare_texts
from memories.consolidation.versions import (
    BY_HAND,
    MEMBER,
    POLICY,
    WORKER,
    Reason,
    build_member_actor,
    parse_member_id,
)
from memories.models import Memory, MemoryVersion
from tenancy.isolation.private_fields import MASK, is_hiding_words
from tenancy.models import User

ACTORS: dict[str, Any] = {
    WORKER: gettext_lazy("Automation"),
    POLICY: gettext_lazy("Project policy"),
    "api": gettext_lazy("API"),
    # By a member who is gone since; of the others the address is shown.
    MEMBER: gettext_lazy("Console"),
}
REASONS: dict[str, Any] = {
    Reason.SUPERSEDED: gettext_lazy("Replaced by a later statement"),
    Reason.CORRECTED: gettext_lazy("Corrected by a later statement"),
    Reason.ENDED: gettext_lazy("Said to be over"),
    Reason.VALUE_CHANGED: gettext_lazy("A value in it was corrected or changed"),
    Reason.REPEATED: gettext_lazy("Said again in the same words"),
    Reason.REWORDED: gettext_lazy("Said again in other words; the fuller ones stayed"),
    Reason.ENRICHED: gettext_lazy("Said again with more detail"),
    Reason.ABSORBED: gettext_lazy("Merged into a fuller memory"),
    Reason.PUT_BACK: gettext_lazy("Another memory was put back in its place"),
    Reason.WORKING_OVER: gettext_lazy("Expired working memory"),
    Reason.NEVER_RECALLED: gettext_lazy("Low confidence, never recalled"),
    Reason.LONG_ARCHIVED: gettext_lazy("Archived for a long time"),
    Reason.TOOL_CHANGED: gettext_lazy("The tool's schema has changed"),
    Reason.RUN_WENT_ON: gettext_lazy("The tools went on"),
    Reason.INTO_TRASH: gettext_lazy("Deleted, into the trash"),
    Reason.TAKEN_OUT: gettext_lazy("Restored from the trash"),
}


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """`made` is the version that the change made; `pieces` are empty when the text stayed, `info_pieces` when the info
    did."""

    made: int
    at: datetime
    actor: Any
    reason: Any
    pieces: list[DiffPiece]
    statement: str
    status_before: str
    status_after: str
    tags_added: list[str]
    tags_removed: list[str]
    info_pieces: list[DiffPiece]


@dataclass(frozen=True, slots=True)
class _State:
    """Content of a memory at a time; versions from before tags and info were kept have None."""

    text: str
    status: str
    tags: list[str] | None
    info: dict[str, Any] | None

    @classmethod
    def of(cls, row: Memory | MemoryVersion) -> _State:
        return cls(row.text, row.status, row.tags, row.info)


def build_steps(
    memory: Memory, versions: Sequence[MemoryVersion], names: dict[str, str] | None = None
) -> list[HistoryStep]:
    """The newest first; `versions` too. `names` are those of the members, where they were read for several memories."""
    states = [_State.of(memory), *map(_State.of, versions)]
    if names is None:
        names = load_editor_emails(versions)
    return [
        _build_step(version, before, after, names)
        for version, (after, before) in zip(versions, pairwise(states), strict=True)
    ]


def load_editor_emails(versions: Iterable[MemoryVersion]) -> dict[str, str]:
    """The addresses of the members who made these changes, by how versions name them."""
    keys = {parse_member_id(version.actor) for version in versions} - {""}
    members = User.objects.filter(pk__in=keys) if keys else ()
    return {build_member_actor(member): member.email for member in members}


def _build_step(version: MemoryVersion, before: _State, after: _State, names: dict[str, str]) -> HistoryStep:
    # Versions from before there were statuses in them say nothing of one.
    is_moved = bool(before.status) and bool(after.status) and before.status != after.status
    moved = (before.status, after.status) if is_moved else ("", "")
    old_tags, new_tags = (before.tags, after.tags or []) if before.tags is not None else ([], [])
    return HistoryStep(
        made=version.number + 1,
        at=version.created_at,
        actor=names.get(version.actor) or _format_actor(version.actor),
        reason=_format_reason(version.reason, is_moved=is_moved),
        pieces=[] if before.text == after.text else compare_texts(before.text, after.text),
        statement=version.other_text,
        status_before=moved[0],
        status_after=moved[1],
        tags_added=[tag for tag in new_tags if tag not in old_tags],
        tags_removed=[tag for tag in old_tags if tag not in new_tags],
        info_pieces=_compare_info(before.info, after.info),
    )


def _compare_info(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[DiffPiece]:
    if before is None or before == after:
        return []
    old, new = (json.dumps(info, indent=1, ensure_ascii=False) for info in (before, after or {}))
    return compare_texts(old, new)


def _format_reason(reason: str, *, is_moved: bool) -> Any:
    """A member's own, which stands in quotation marks, is hidden with the words that it is about."""
    if is_moved and " became " in reason:
        return ""
    if reason in REASONS:
        return REASONS[reason]
    is_hidden = reason.startswith(f"{BY_HAND}: “") and is_hiding_words()
    return f"{BY_HAND}: {MASK}" if is_hidden else reason


def _format_actor(actor: str) -> Any:
    key = MEMBER if parse_member_id(actor) else actor
    return ACTORS.get(key, key)
