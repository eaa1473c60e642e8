"""Answer an end user from memories, then store the turn as messages.

Three steps, so that no model is asked inside a transaction: `prepare_briefing` reads, an answerer answers,
`store_turn` writes.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import timezone
from psycopg_pool import PoolTimeout

from memories.cubes.access import provide_cube, refuse_unlinked
from memories.engine import get_answerer
from memories.engine.answering import (
    CUT_SHORT,
    Answer,
    Answerer,
    AnswerPiece,
    AnswerTooLong,
    Briefing,
    Manner,
    NamedText,
    PieceKind,
    Remembered,
)
from memories.engine.metering import metering_usage_later
from memories.engine.prompts.compare_prefixes import compare_with_last
from memories.engine.protocols import MODEL_ERRORS, AnswerUseless, ProviderUnavailable
from memories.ingest.accept_messages import add_messages
from memories.ingest.read_messages import load_last_messages, select_steady_messages
from memories.models import MemCube, Memory, Task
from memories.profiles.bindings import show_profiles
from memories.profiles.recall import format_value
from memories.retrieval.browse.listing import MemoryPage, list_memories, list_of_kind
from memories.retrieval.content_registry import build_shapes
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import search_memories
from memories.text.clauses.overviews import find_overview_topic
from memories.values import MemoryKind, NewMessage, NewMessages, Subject, Turn
from tenancy.errors import (
    AddMessageFailed,
    ChatResponseQuotaExceeded,
    ChatTooLong,
    OperationFailed,
    TooManyTokens,
)
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.restrictions import refuse_inactive_project
from tenancy.metering.count_tokens import count_tokens
from tenancy.metering.model_usage import Spent
from tenancy.metering.refunds import Cost
from tenancy.models import Project
from tenancy.requests.log_erasure import find_erasures
from tenancy.requests.trace import trace_stage
from tenancy.storage.allowance import refuse_if_full

MAX_TOKENS = 8_000
# A token may stand for a hundred blanks.
MAX_CHARACTERS = 6 * MAX_TOKENS
# So many of the conversation's last messages are shown to the answerer.
EARLIER = 20
# Their beginning moves by so many at a time, so that a provider's cache of the prompt can be used; more are shown then.
STEP = 10
# So many facts and so many preferences at most are read for a question about all that is known of a user.
OVERVIEW = 200
# So many skills at most are read for a prompt, the first that were learned: later ones leave its beginning as it is.
SKILLS = 10
RETRY_SECONDS = 5


@dataclass(frozen=True, slots=True)
class TurnLabels:
    """Labels that the messages of the turn are stored with."""

    agent_id: str = ""
    app_id: str = ""
    tags: tuple[str, ...] = ()
    info: dict[str, Any] = field(default_factory=dict)
    allow_public: bool = False
    knowledge_bases: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """One request. The search holds whose it is and what was said; `is_kept` is whether the turn is remembered."""

    search: SearchQuery
    instructions: str = ""
    manner: Manner = field(default_factory=Manner)
    is_kept: bool = True
    labels: TurnLabels = field(default_factory=TurnLabels)

    @property
    def subject(self) -> Subject:
        return self.search.subject


@dataclass(frozen=True, slots=True)
class Brief:
    """Inputs of the answerer, and when their reading began: an erasure after that removes this turn too."""

    briefing: Briefing
    began: datetime


class _Erased(Exception):
    """The subject was erased after the answer was begun."""


def refuse_long(chat: Chat) -> None:
    """Raises `TooManyTokens`."""
    texts = [chat.search.text, chat.instructions]
    if sum(map(len, texts)) > MAX_CHARACTERS:
        raise TooManyTokens(f"at most {MAX_CHARACTERS} characters in query and system_prompt together")
    # A token has at least one byte: most requests are let through without counting.
    if sum(len(text.encode()) for text in texts) > MAX_TOKENS and count_tokens(texts) > MAX_TOKENS:
        raise TooManyTokens(f"at most {MAX_TOKENS} in query and system_prompt together")


def get_most_tokens(chat: Chat) -> int:
    """Return how long the answer may become."""
    return chat.manner.tokens or int(settings.LLM["CHAT_TOKENS"])


def prepare_briefing(project: Project, chat: Chat) -> Brief:
    """Reads what the answer may need. Raises `KnowledgeBaseNotLinked`, and `StorageFull` for a turn that is kept."""
    now, started = timezone.now(), time.monotonic()
    with trace_stage("history") as note:
        with tenant_scope(project):
            refuse_unlinked(project, chat.labels.knowledge_bases)
            if chat.is_kept:
                refuse_if_full(project.account_id)
        conversation = chat.search.conversation_id
        latest = load_last_messages(project, chat.subject, conversation, EARLIER + STEP)
        messages = select_steady_messages(latest, EARLIER, STEP)
        note["messages"] = len(messages)
    with trace_stage("search") as note:
        hits = search_memories(project, chat.search)
        note["hits"] = len(hits)
    earlier = tuple(Turn(message.role, message.text, message.said_at) for message in messages)
    remembered = tuple(_build_remembered(hit.memory, hit.relativity) for hit in hits)
    topic = find_overview_topic(chat.search.text)
    known = _load_newest(project, chat) if topic else ()
    prepared = Briefing(
        query=chat.search.text,
        remembered=remembered,
        now=now,
        earlier=earlier,
        instructions=chat.instructions,
        manner=chat.manner,
        topic=topic,
        known=known,
        profile=_load_profile(project, chat),
        skills=_load_skills(project, chat),
        thread=_build_thread_key(project, chat),
        started=started,
    )
    return Brief(prepared, now)


def _load_profile(project: Project, chat: Chat) -> tuple[NamedText, ...]:
    """Fields of the subject's profiles that say something, in the order of their templates."""
    with trace_stage("profile") as note:
        shown = show_profiles(project, chat.subject)
        fields = [(field.path, format_value(field.value)) for profile in shown for field in profile.fields]
        filled = tuple(NamedText(path, text) for path, text in fields if text)
        note["fields"] = len(filled)
        return filled


def _load_skills(project: Project, chat: Chat) -> tuple[NamedText, ...]:
    """Names and words of the subject's skills, in the order in which they were learned."""
    with trace_stage("skills") as note:
        memories = list_of_kind(project, chat.subject, MemoryKind.SKILL, SKILLS)
        shapes = build_shapes(project, memories)
        values = [shapes[memory.pk]["skill_value"] for memory in memories if memory.pk in shapes]
        note["skills"] = len(values)
        return tuple(NamedText(str(value.get("name") or ""), _write_skill_text(value)) for value in values)


def _write_skill_text(value: dict[str, Any]) -> str:
    """A skill as text, a line each: purpose, steps, experience."""
    parts = [
        value.get("description"),
        value.get("procedure"),
        *_list_lines(value, "experience"),
        *_list_lines(value, "preference"),
    ]
    return "\n".join(str(part) for part in parts if part)


def _list_lines(value: dict[str, Any], name: str) -> list[Any]:
    lines = value.get(name) or []
    return lines if isinstance(lines, list) else [lines]


def compare_prompt(project: Project, chat: Chat, briefing: Briefing, engine: Answerer) -> None:
    """Say in the trace how much of the prompt begins like the one before in this conversation."""
    with trace_stage("prompt") as note:
        thread = _build_thread_key(project, chat)
        if prompt := engine.build_prompt(briefing):
            note.update(compare_with_last(thread, prompt))


def _build_thread_key(project: Project, chat: Chat) -> str:
    return f"{project.pk}:{chat.subject.kind}:{chat.subject.id}:{chat.search.conversation_id}"


def _load_newest(project: Project, chat: Chat) -> tuple[Remembered, ...]:
    """The newest of what holds of the user today, for a question about all of it; no limit of a search applies."""
    with trace_stage("overview") as note:
        page = MemoryPage(
            chat.search.subject,
            size=OVERVIEW,
            narrowed=chat.search.narrowed,
            with_preferences=chat.search.preferences > 0,
            with_tools=False,
        )
        listing = list_memories(project, page)
        known = [*listing.facts, *listing.preferences]
        note.update(memories=len(known), total=listing.total)
        return tuple(_build_remembered(memory, 1.0) for memory in known)


def _build_remembered(memory: Memory, relativity: float) -> Remembered:
    at = memory.event_time or memory.valid_from or memory.created_at
    return Remembered(
        kind=MemoryKind(memory.kind),
        text=memory.text,
        relativity=relativity,
        day=f"{at:%Y-%m-%d}",
        source=_format_source(memory),
        is_raw=memory.is_raw,
        until=f"{memory.valid_until:%Y-%m-%d}" if memory.valid_until else "",
        slot=memory.slot,
        speaker=memory.speaker,
        event_time=memory.event_time,
    )


def _format_source(memory: Memory) -> str:
    file = memory.details.get("file")
    if not isinstance(file, dict):
        return ""
    page = f", p. {file['page']}" if file.get("page") else ""
    return f"{file.get('name') or memory.title}{page}"


def generate_reply(project: Project, chat: Chat, briefing: Briefing) -> Answer:
    """The whole answer. Raises `OperationFailed`, `ChatTooLong`, `ChatResponseQuotaExceeded`."""
    engine = get_answerer(Scope.of_project(project))
    compare_prompt(project, chat, briefing, engine)
    with trace_stage("model") as note, _metering(project, note), _named(note):
        note.update(engine.count_left_out(briefing), model=engine.name(chat.manner))
        answer = engine.answer(briefing)
        note.update(answer.note, characters=len(answer.text))
        if answer.ended:
            note["ended"] = answer.ended
        return answer


async def stream_reply(
    project: Project, chat: Chat, briefing: Briefing, engine: Answerer
) -> AsyncGenerator[AnswerPiece, None]:
    """The same piece by piece; the text of the last is why it came early.

    To be read in one task, which may be cancelled: what was spent until then is counted.
    """
    with trace_stage("model") as note, _metering(project, note), _named(note):
        note.update(
            engine.count_left_out(briefing), model=engine.name(chat.manner), characters=0, ended="left alone"
        )
        async with aclosing(engine.stream(briefing)) as pieces:
            async for piece in pieces:
                if piece.kind == PieceKind.END:
                    note["ended"] = piece.text
                    yield piece
                    return
                if piece.kind == PieceKind.REPLACED:
                    note["replaced_by"] = piece.text
                    continue
                note["characters"] += len(piece.text)
                yield piece


@contextmanager
def _metering(project: Project, note: dict[str, Any]) -> Iterator[None]:
    """Record what is spent, and say in the trace how much of the prompt the provider had cached."""
    spent: list[Spent] = []
    try:
        with metering_usage_later(Scope.of_project(project)) as spent:
            yield
    finally:
        asked = [call for call in spent if call.cached_tokens is not None]
        if asked:
            note.update(
                prompt_tokens=sum(call.prompt_tokens for call in asked),
                cached_tokens=sum(call.cached_tokens or 0 for call in asked),
            )


@contextmanager
def _named(note: dict[str, Any]) -> Iterator[None]:
    """Turns what goes wrong with a model into entries of the catalogue, and says it in the trace."""
    try:
        yield
    except AnswerTooLong:
        note["trouble"] = "too long for the model"
        raise ChatTooLong from None
    except MODEL_ERRORS as error:
        note["trouble"] = str(error)
        if isinstance(error, AnswerUseless) and str(error) == CUT_SHORT:
            raise ChatResponseQuotaExceeded("the model used all tokens before it answered") from None
        retry = RETRY_SECONDS if isinstance(error, ProviderUnavailable) else None
        raise OperationFailed(f"the chat model: {error}", retry_after=retry) from None


def was_erased(project: Project, chat: Chat, brief: Brief) -> bool:
    """Return whether the subject was erased after `brief` was read; an erasure under way is waited for."""
    with tenant_scope(project):
        mine = MemCube.objects.within(project).filter(owner_kind=chat.subject.kind, owner_id=chat.subject.id)
        list(mine.select_for_update(no_key=True).values_list("pk"))
        return _is_erased(project, chat, brief)


def _is_erased(project: Project, chat: Chat, brief: Brief) -> bool:
    name = f"{chat.subject.kind}:{chat.subject.id}"
    erased_at = find_erasures(project.pk, [name]).get(name)
    return erased_at is not None and brief.began <= erased_at


def store_turn(
    project: Project, chat: Chat, brief: Brief, answer: str, cost: Cost | None = None
) -> Task | None:
    """Store the question and the answer as `add/message` does; nothing when the subject was erased meanwhile.

    Raises `AddMessageFailed`, and `KeyForbidden` when the project was archived while the model spoke.
    """
    try:
        with tenant_scope(project):
            refuse_inactive_project(project)
            provide_cube(project, chat.subject)
            if _is_erased(project, chat, brief):
                raise _Erased  # with the cube that may have been made just now
            return add_messages(project, _build_turn(chat, brief.briefing.now, answer), cost)
    except _Erased:
        return None
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise AddMessageFailed("the answer was made, but could not be stored", retry_after=2) from error


def _build_turn(chat: Chat, asked_at: datetime, answer: str) -> NewMessages:
    labels = chat.labels
    return NewMessages(
        subjects=(chat.subject,),
        conversation_id=chat.search.conversation_id,
        messages=(
            _build_message("user", chat.search.text, asked_at),
            _build_message("assistant", answer, timezone.now()),
        ),
        agent_id=labels.agent_id,
        app_id=labels.app_id,
        tags=labels.tags,
        info=labels.info,
        allow_public=labels.allow_public,
        knowledge_bases=labels.knowledge_bases,
        source=labels.source,
    )


def _build_message(role: str, text: str, at: datetime) -> NewMessage:
    return NewMessage(role=role, content=text, text=text, said_at=at, chat_time="")
