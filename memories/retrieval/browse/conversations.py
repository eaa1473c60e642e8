"""Conversations of a project as the console lists and shows them: filters, counts, pages of messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet

from memories.cubes.access import select_reachable_memories
from memories.models import Attachment, Conversation, Intake, MemCube, Memory, MemorySource, Message
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.bounded_count import BoundedCount
from memories.values import OwnerKind
from tenancy.models import Project

# In a list, the memories of a conversation are counted exactly up to this.
COUNTED_IN_LIST = 1_000
# So many messages are one page of a conversation.
MESSAGES = 50
# Never shown beside a message.
HEAVY = ("memory__embedding", "memory__words", "memory__words_vector", "memory__content_hash")


@dataclass(frozen=True, slots=True)
class ConversationQuery:
    """Filters of a search for conversations; `words` are a part of the conversation's id, the other ids are whole."""

    words: str = ""
    user_id: str = ""
    agent_id: str = ""
    app_id: str = ""
    since: datetime | None = None


def find_conversations(project: Project, wanted: ConversationQuery) -> QuerySet[Any]:
    """The project's conversations that match, with their cubes."""
    conversations: QuerySet[Any] = Conversation.objects.within(project)
    if wanted.words:
        conversations = conversations.filter(external_id__icontains=wanted.words)
    if wanted.user_id:
        cubes = MemCube.objects.within(project).filter(owner_id=wanted.user_id)
        conversations = conversations.filter(cube__in=cubes.filter(owner_kind=OwnerKind.END_USER))
    for label in ("agent_id", "app_id"):
        if value := getattr(wanted, label):
            named = Intake.objects.within(project).filter(**{label: value})
            conversations = conversations.filter(pk__in=named.values("conversation"))
    if wanted.since:
        conversations = conversations.filter(updated_at__gte=wanted.since)
    return conversations.select_related("cube")


def find_conversation(project: Project, key: UUID) -> Conversation | None:
    conversation: Conversation | None = (
        Conversation.objects.within(project).select_related("cube").filter(pk=key).first()
    )
    return conversation


def list_conversation_memories(project: Project, conversation: UUID) -> MemoryQuerySet:
    """The memories that were first made of this conversation, in any state but the trash."""
    mine: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(project))
    return mine.filter(conversation=conversation)


def count_memories(project: Project, conversations: Iterable[UUID]) -> dict[UUID, int]:
    """Count how many memories were made of each, at most `COUNTED_IN_LIST` + 1."""
    mine = Memory.objects.within(MemCube.objects.within(project)).filter(conversation=OuterRef("pk"))
    rows = Conversation.objects.within(project).filter(pk__in=list(conversations))
    counted = rows.annotate(made=BoundedCount(mine, COUNTED_IN_LIST)).values_list("pk", "made")
    return dict(counted)


@dataclass(frozen=True, slots=True)
class ConversationLabels:
    """With which agents and applications a conversation was, by their ids."""

    agents: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()


def load_conversation_labels(
    project: Project, conversations: Sequence[UUID]
) -> dict[UUID, ConversationLabels]:
    """The agents and applications that the requests of each conversation named."""
    intakes = Intake.objects.within(project).filter(conversation__in=conversations)
    named = (
        intakes.order_by("agent_id", "app_id").values_list("conversation", "agent_id", "app_id").distinct()
    )
    agents: dict[UUID, list[str]] = defaultdict(list)
    apps: dict[UUID, list[str]] = defaultdict(list)
    for key, agent, app in named:
        agents[key] += [agent] if agent else []
        apps[key] += [app] if app else []
    return {
        key: ConversationLabels(_remove_repeated(agents[key]), _remove_repeated(apps[key]))
        for key in conversations
    }


def _remove_repeated(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def get_page_start(position: int) -> int:
    """The first position of the page of messages that holds this position."""
    return max(0, position) // MESSAGES * MESSAGES


def list_messages_from(project: Project, conversation: Conversation, start: int) -> list[Message]:
    """One page of the messages, in order, from this position on; positions begin at 0 and have no gaps."""
    rows = Message.objects.within(project).filter(conversation=conversation)
    return list(rows.filter(position__gte=start, position__lt=start + MESSAGES).order_by("position"))


def load_memories_by_message(project: Project, messages: Sequence[Message]) -> dict[UUID, list[Memory]]:
    """Load what came of each message, also in knowledge bases of the project, oldest first."""
    sources = MemorySource.objects.within(select_reachable_memories(project)).filter(
        message__in=[message.pk for message in messages]
    )
    rows = sources.select_related("memory").defer(*HEAVY).order_by("memory__created_at", "memory_id")
    memories: dict[UUID, list[Memory]] = defaultdict(list)
    for row in rows:
        memories[row.message_id].append(row.memory)
    return memories


def load_files_by_message(project: Project, messages: Sequence[Message]) -> dict[UUID, list[Attachment]]:
    """The files and images of each message, in their order."""
    rows = Attachment.objects.within(project).filter(message__in=[message.pk for message in messages])
    files: dict[UUID, list[Attachment]] = defaultdict(list)
    for file in rows.order_by("part"):
        files[file.message_id].append(file)
    return files
