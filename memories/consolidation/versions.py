"""Versions of memories: what a memory said before each change."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.utils import timezone

from memories.models import Memory, MemoryVersion
from tenancy.ids import uuid7
from tenancy.models import User

# Who changes memories when no person does.
WORKER = "worker"
POLICY = "policy"
# Members of the account are written as this and their number: only the console says who that is.
MEMBER = "member"


# With what a person changed, or in quotation marks why.
BY_HAND = "updated by hand"


class Reason(StrEnum):
    """Reasons for which automation changes a memory, in the words that its history shows."""

    SUPERSEDED = "replaced by a later statement"
    CORRECTED = "corrected by a later statement"
    ENDED = "said to be over"
    VALUE_CHANGED = "a value in it was corrected or changed"
    REPEATED = "said again"
    REWORDED = "said in other words; the fuller ones stayed"
    ENRICHED = "said again with more detail"
    ABSORBED = "merged into a fuller memory"
    PUT_BACK = "another memory was activated by hand"
    WORKING_OVER = "working memory past its time"
    NEVER_RECALLED = "doubtful and never recalled"
    LONG_ARCHIVED = "archived for long"
    TOOL_CHANGED = "the tool has another schema now"
    RUN_WENT_ON = "the tools went on"
    INTO_TRASH = "deleted, into the trash"
    TAKEN_OUT = "restored from the trash"


def build_member_actor(user: User) -> str:
    return f"{MEMBER}:{user.pk}"


def parse_member_id(actor: str) -> str:
    """The number of the member who changed something; "" when it was nobody of the account."""
    kind, _, key = actor.partition(":")
    return key if kind == MEMBER else ""


def hide_member_actor(actor: str) -> str:
    """The API does not say which member it was. Earlier versions held the member's address."""
    return MEMBER if parse_member_id(actor) or "@" in actor else actor


def change_memory(memory: Memory, *, actor: str, reason: str, other_text: str = "", **fields: Any) -> None:
    """Write the present state as a version, then change these fields."""
    write_version(memory, actor=actor, reason=reason, other_text=other_text)
    for name, value in fields.items():
        setattr(memory, name, value)
    memory.version += 1
    memory.updated_at = timezone.now()
    memory.save(update_fields=[*fields, "version", "updated_at"])


def write_version(memory: Memory, *, actor: str, reason: str, other_text: str = "") -> None:
    """Write the present state of a memory as a version, before it changes; the caller increases its version number.

    `other_text` is a wording that was stated and not adopted.
    """
    build_version(memory, actor=actor, reason=reason, other_text=other_text).save(force_insert=True)


def build_version(memory: Memory, *, actor: str, reason: str, other_text: str = "") -> MemoryVersion:
    """Build the version of the present state, not saved yet."""
    return MemoryVersion(
        id=uuid7(),
        account_id=memory.account_id,
        project_id=memory.project_id,
        memory=memory,
        number=memory.version,
        title=memory.title,
        text=memory.text,
        status=memory.status,
        tags=list(memory.tags),
        info=dict(memory.info),
        other_text=other_text,
        actor=actor[:60],
        reason=reason[:200],
    )
