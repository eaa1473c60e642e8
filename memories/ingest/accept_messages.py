"""Accept messages: an acknowledged message is stored, has a task, and can be found by the very next search."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from itertools import chain, repeat
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.cubes.access import provide_cube, refuse_unlinked
from memories.files.message_files import store_attachments, store_message_files
from memories.jobs import outbox
from memories.models import Conversation, Intake, MemCube, Memory, MemorySource, Message, Task
from memories.models.memory import get_owner_fields
from memories.retrieval.cache.snapshots import renew_snapshot
from memories.settings.extraction import ExtractionPolicies
from memories.text.content import hash_content, write_raw_text
from memories.text.secrets import mask_result
from memories.text.words.tokenize import search_terms
from memories.values import UNREAD_TIMES, Confidence, MemoryKind, NewMessage, NewMessages, Subject, TaskKind
from tenancy.ids import uuid7
from tenancy.isolation.scoping import Scope
from tenancy.metering.refunds import Cost
from tenancy.models import Project
from tenancy.requests.trace import trace_stage
from tenancy.storage.allowance import storage_scope

RAW_TAG = "mode:fast"
# A client that names no conversation and writes again within this time goes on with the same one.
SAME_TALK = timedelta(minutes=30)
# Characters; the rules and the embedder read so many in a second or two.
LONG_TEXT = 5_000


def add_messages(project: Project, new: NewMessages, cost: Cost | None = None) -> Task:
    """Stores the messages for each subject and returns the task of the first.

    One transaction holds messages, raw memory and task row. `cost` is refunded once, if the work for the first of the
    ids in their order fails for good. Raises `KnowledgeBaseNotLinked`.
    """
    with trace_stage("store") as note, storage_scope(project):
        refuse_unlinked(project, new.knowledge_bases)
        # In one order for all requests: the cubes are locked one by one, and two talks may share people.
        ordered = sorted(new.subjects, key=lambda subject: subject.id)
        costs = chain([cost], repeat(None))
        tasks = {subject: _add_for(project, subject, new, next(costs)) for subject in ordered}
        note["messages"] = len(new.messages)
        if unread := list_unread_times(new):
            note[UNREAD_TIMES] = unread
    return tasks[new.subjects[0]]


def _add_for(project: Project, subject: Subject, new: NewMessages, cost: Cost | None) -> Task:
    cube = provide_cube(project, subject)
    conversation = open_conversation(cube, new.conversation_id)
    stored, attachments = store_message_files(new.messages, cube)
    messages = store_messages(conversation, stored)
    files = store_attachments(messages, attachments)
    intake = record_intake(conversation, messages, new)
    is_forbidden = ExtractionPolicies.of(project).forbids(*(message.text for message in messages))
    raw = None if is_forbidden else store_raw_memory(cube, messages, intake)
    # Ids only: the row is read before a tenant's scope is open, so it holds no words.
    payload: dict[str, Any] = {
        "intake": str(intake.pk),
        "rough": str(raw.pk) if raw else None,
        "epoch": cube.epoch,
    }
    if unread := list_unread_times(new):
        payload[UNREAD_TIMES] = unread
    if files:
        payload["files"] = [str(task.pk) for task in files]
    transaction.on_commit(partial(renew_snapshot, Scope.of_project(project), cube.pk))
    return outbox.write_task(
        cube,
        TaskKind.REFINE,
        dedupe_key=str(intake.pk),
        payload=payload,
        cost=cost,
        is_long=sum(len(message.text) for message in messages) > LONG_TEXT,
    )


def list_unread_times(new: NewMessages) -> list[dict[str, str]]:
    """List messages whose times could not be read, and by what these are dated instead."""
    return [
        {"field": f"messages[{place}].chat_time", "dated_by": message.dated_by}
        for place, message in enumerate(new.messages)
        if message.dated_by
    ]


def record_intake(conversation: Conversation, messages: Sequence[Message], new: NewMessages) -> Intake:
    intake: Intake = Intake.objects.create(
        account_id=conversation.account_id,
        project_id=conversation.project_id,
        conversation=conversation,
        agent_id=new.agent_id,
        app_id=new.app_id,
        tags=list(new.tags),
        info=new.info,
        allow_public=new.allow_public,
        knowledge_bases=list(new.knowledge_bases),
        source=new.source,
        freezes=new.is_frozen,
        expires_on=new.expires_on,
        dated_at=new.created_at,
        first=messages[0].position,
        last=messages[-1].position,
    )
    return intake


def open_conversation(cube: MemCube, external_id: str) -> Conversation:
    """The conversation of this id, locked so that messages of two requests keep an order."""
    if not external_id:
        external_id = _find_running_talk(cube) or uuid7().hex
    mine = Conversation.objects.within(cube.project_id)
    # NO KEY: the worker's new memories refer to the conversation, and must not make this request wait for them.
    locked = mine.select_for_update(no_key=True)
    conversation: Conversation | None = locked.filter(cube=cube, external_id=external_id).first()
    if conversation is None:
        # The cube's lock keeps twins out: nobody else can be making this conversation.
        conversation = Conversation.objects.create(
            **get_owner_fields(cube), cube=cube, external_id=external_id
        )
    return conversation


def _find_running_talk(cube: MemCube) -> str:
    latest = (
        cube.conversations.filter(updated_at__gte=timezone.now() - SAME_TALK).order_by("-updated_at").first()
    )
    return latest.external_id if latest else ""


def store_messages(conversation: Conversation, new: Sequence[NewMessage]) -> list[Message]:
    """Appends the messages, verbatim. Equal messages are stored again: people do say the same thing twice."""
    rows = [
        Message(
            account_id=conversation.account_id,
            project_id=conversation.project_id,
            conversation=conversation,
            position=conversation.message_count + offset,
            role=message.role,
            content=message.content,
            text=message.text,
            chat_time=message.chat_time,
            said_at=message.said_at,
            extra=message.extra,
        )
        for offset, message in enumerate(new)
    ]
    Message.objects.bulk_create(rows)
    Conversation.objects.within(conversation.project_id).filter(pk=conversation.pk).update(
        message_count=F("message_count") + len(rows), updated_at=timezone.now()
    )
    return rows


def build_memory_fields(cube: MemCube, intake: Intake, first: Message) -> dict[str, Any]:
    """The columns of a memory that holds messages of a request word for word, from this one on."""
    return get_owner_fields(cube) | {
        "cube": cube,
        "kind": MemoryKind.FACT,
        "info": intake.info,
        "agent_id": intake.agent_id,
        "app_id": intake.app_id,
        "conversation": intake.conversation,
        "conversation_key": intake.conversation.external_id,
        "position": first.position,
        "event_time": first.said_at,
        "valid_from": first.said_at,
        "expires_on": intake.expires_on,
        "created_at": intake.dated_at or timezone.now(),
    }


def store_raw_memory(cube: MemCube, messages: Sequence[Message], intake: Intake) -> Memory | None:
    """The turn as it was said, but for the secrets of tools, found by its words until the worker has refined it.

    It has no vector: embedding a passage costs 40-90 ms on the local engine, which the write path does not have.
    The ranker lets the raw memories of a running conversation pass the threshold instead.
    """
    text = write_raw_text(messages, mask_result)
    if not text.strip():
        return None
    memory: Memory = Memory.objects.create(
        **build_memory_fields(cube, intake, messages[0]),
        title=text.partition("\n")[0][:200],
        text=text,
        # A raw memory is equal to no other: two requests may say the same.
        content_hash=hash_content(str(intake.pk)),
        memory_type="WorkingMemory",
        confidence=Confidence.KEPT,
        tags=[RAW_TAG],
        is_raw=True,
        words=" ".join(search_terms(text)),
    )
    MemorySource.objects.bulk_create(
        [MemorySource(**get_owner_fields(cube), memory=memory, message=message) for message in messages]
    )
    return memory
