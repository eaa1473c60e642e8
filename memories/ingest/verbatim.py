"""Store messages as memories word for word: found by the very next search and never reworded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.consolidation.versions import WORKER, Reason, change_memory
from memories.cubes.access import provide_cube
from memories.cubes.announcements import announce_changed_memories
from memories.engine import get_embedder
from memories.ingest.accept_messages import (
    build_memory_fields,
    open_conversation,
    record_intake,
    store_messages,
)
from memories.lifecycle.edit import embed_wordings
from memories.models import Intake, MemCube, Memory, MemorySource, Message, Task
from memories.models.memory import get_owner_fields
from memories.retrieval.cache.snapshots import renew_snapshot
from memories.settings.extraction import ExtractionPolicies
from memories.text.content import hash_content
from memories.text.topics.tags import build_title
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import VERBATIM, Confidence, MemoryKind, MemoryStatus, NewMessages, TaskKind, TaskState
from tenancy.isolation.scoping import Scope
from tenancy.models import Project
from tenancy.requests.trace import trace_stage
from tenancy.storage.allowance import storage_scope

# Who speaks in what is remembered; what a system or a tool says is not.
SPEAKERS = frozenset({"user", "assistant"})


@dataclass(frozen=True, slots=True)
class VerbatimResult:
    """Result for each message, in order: the memory that says it, and whether it was there before."""

    task: Task
    memories: list[Memory]
    known: frozenset[UUID]


def embed_spoken(new: NewMessages) -> dict[str, list[float]]:
    """The vector of each different text; no transaction may be open here. Raises `MemoryUnavailable`."""
    texts = list(
        dict.fromkeys(message.text for message in new.messages if message.role in SPEAKERS and message.text)
    )
    return dict(zip(texts, embed_wordings(texts), strict=True))


def store_verbatim(
    project: Project, new: NewMessages, vectors: dict[str, list[float]], scope_key: str
) -> VerbatimResult:
    """Messages, memories and a task that is done, in one transaction.

    A text that the same scope holds already is not stored twice; `scope_key` says which scope it is.
    """
    with trace_stage("store") as note, storage_scope(project):
        cube = provide_cube(project, new.subjects[0])
        conversation = open_conversation(cube, new.conversation_id)
        messages = store_messages(conversation, new.messages)
        intake = record_intake(conversation, messages, new)
        policies = ExtractionPolicies.of(project)
        spoken = [
            message
            for message in messages
            if message.role in SPEAKERS and message.text and not policies.forbids(message.text)
        ]
        memories, known = _store_messages(cube, spoken, intake, vectors, scope_key)
        added = [memory.pk for memory in memories if memory.pk not in known]
        task = _record_done(cube, intake, [str(key) for key in added])
        note["messages"] = len(messages)
        transaction.on_commit(partial(renew_snapshot, Scope.of_project(project), cube.pk))
        announce_changed_memories(project.pk, "added", added)
    return VerbatimResult(task, memories, known)


def _store_messages(
    cube: MemCube,
    messages: Sequence[Message],
    intake: Intake,
    vectors: dict[str, list[float]],
    scope_key: str,
) -> tuple[list[Memory], frozenset[UUID]]:
    hashes = [_hash_wording(scope_key, message.text) for message in messages]
    # Earlier releases did not tell wordings apart that differ in case or width.
    folded = [hash_content(f"{scope_key}\n{message.text}") for message in messages]
    held = (
        Memory.objects.within(cube)
        .current()
        .filter(kind=MemoryKind.FACT, content_hash__in=[*hashes, *folded])
    )
    by_hash = {
        _hash_wording(scope_key, memory.text): memory
        for memory in held.defer("embedding", "words", "words_vector")
    }
    over = [memory for memory in by_hash.values() if memory.is_past_its_day]
    for memory in over:
        change_memory(memory, actor=WORKER, reason=Reason.REPEATED, expires_on=intake.expires_on)
    known = frozenset(memory.pk for memory in by_hash.values())
    memories: list[Memory] = []
    for message, key in zip(messages, hashes, strict=True):
        memory = by_hash.get(key)
        if memory is None:
            memory = by_hash[key] = _build_memory(cube, message, intake, vectors[message.text], key)
        memories.append(memory)
    new = [memory for memory in by_hash.values() if memory.pk not in known]
    Memory.objects.bulk_create(new)
    sources = {
        (memory.pk, message.pk): (memory, message) for memory, message in zip(memories, messages, strict=True)
    }
    MemorySource.objects.bulk_create(
        [
            MemorySource(**get_owner_fields(cube), memory=memory, message=message)
            for memory, message in sources.values()
        ]
    )
    # What is found again counts as added.
    return list({memory.pk: memory for memory in memories}.values()), known - {memory.pk for memory in over}


def _hash_wording(scope_key: str, text: str) -> bytes:
    return hashlib.sha256(f"{scope_key}\n{text}".encode()).digest()


def _build_memory(cube: MemCube, message: Message, intake: Intake, vector: list[float], key: bytes) -> Memory:
    language = detect_language(message.text)
    return Memory(
        **build_memory_fields(cube, intake, message),
        title=build_title(message.text, language),
        text=message.text,
        content_hash=key,
        status=MemoryStatus.FROZEN if intake.freezes else MemoryStatus.ACTIVATED,
        confidence=Confidence.CERTAIN,
        speaker="assistant" if message.role == "assistant" else "",
        language=language,
        extracted_by=VERBATIM,
        words=" ".join(search_terms(message.text)),
        embedding=vector,
        embedding_model=get_embedder().name,
    )


def _record_done(cube: MemCube, intake: Intake, added: list[str]) -> Task:
    task: Task = Task.objects.create(
        account_id=cube.account_id,
        project_id=cube.project_id,
        kind=TaskKind.REFINE,
        subject=cube.pk,
        dedupe_key=str(intake.pk),
        payload={"intake": str(intake.pk), "rough": None, "epoch": cube.epoch},
        state=TaskState.COMPLETED,
        result={"added": added, "merged": [], "superseded": [], "extracted_by": VERBATIM},
        finished_at=timezone.now(),
    )
    return task
