"""Build the extractor's turns from stored messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memories.consolidation.tool_memories import get_answered_call_id, get_tool_calls
from memories.models import Conversation, Message
from memories.text.time.timestamps import TimestampReader
from memories.values import Subject, Turn
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


def build_turns(messages: Iterable[Message]) -> list[Turn]:
    """Messages as readers see them, each dated by the clock of its sender."""
    times = TimestampReader()
    return [_build_turn(message, times) for message in messages]


def _build_turn(message: Message, times: TimestampReader) -> Turn:
    speaker = message.extra.get("role_name") or ""
    speaker = speaker if isinstance(speaker, str) else ""
    calls, answers = get_tool_calls(message), get_answered_call_id(message)
    said_at = times.localize(message.said_at, message.chat_time)
    return Turn(message.role, message.text, said_at, speaker, calls, answers)


def load_last_messages(project: Project, subject: Subject, conversation_id: str, count: int) -> list[Message]:
    """The last messages of a conversation in the order they were said; none for one that nobody began, and of those
    none whose words the project's retention has taken."""
    with tenant_scope(project):
        conversation = (
            Conversation.objects.within(project)
            .filter(cube__owner_kind=subject.kind, cube__owner_id=subject.id, external_id=conversation_id)
            .first()
        )
        if conversation is None:
            return []
        kept = Message.objects.within(project).filter(conversation=conversation, cleared_at=None)
        return list(reversed(kept.order_by("-position")[:count]))


def select_steady_messages(messages: Sequence[Message], least: int, step: int) -> list[Message]:
    """The last messages of these, at least `least`, from a position that moves by `step` only: while a talk goes on,
    what is shown of it begins at the same message for several questions."""
    first = max(0, messages[-1].position - least) // step * step if messages else 0
    return [message for message in messages if message.position >= first]
