"""Extract what would be remembered of a conversation, without storing it."""

from __future__ import annotations

from collections.abc import Sequence

from memories.engine import extract
from memories.engine.metering import metering_usage_later
from memories.settings.extraction import ExtractionPolicies
from memories.text.clauses.corrections import remove_superseded
from memories.text.time.timestamps import TimestampReader
from memories.values import Draft, MemoryKind, NewMessage, Turn
from tenancy.errors import TooManyTokens
from tenancy.isolation.scoping import Scope
from tenancy.metering.count_tokens import count_tokens
from tenancy.models import Project
from tenancy.requests.trace import trace_stage

MAX_TOKENS = 8_000
# A token may stand for a hundred blanks, and readers go over characters.
MAX_CHARACTERS = 6 * MAX_TOKENS


def extract_only(
    project: Project, messages: Sequence[NewMessage], kinds: Sequence[MemoryKind]
) -> list[Draft]:
    """The drafts of these kinds. Raises `TooManyTokens`."""
    texts = [message.text for message in messages]
    if sum(map(len, texts)) > MAX_CHARACTERS:
        raise TooManyTokens(f"at most {MAX_CHARACTERS} characters in the messages together")
    # A token has at least one byte: most requests are let through without counting.
    if sum(len(text.encode()) for text in texts) > MAX_TOKENS and count_tokens(texts) > MAX_TOKENS:
        raise TooManyTokens(f"at most {MAX_TOKENS} in the messages together")
    with trace_stage("extract") as note, metering_usage_later(Scope.of_project(project)):
        policies = ExtractionPolicies.of(project)
        times = TimestampReader()
        turns = [_build_turn(message, times) for message in messages]
        extraction = policies.narrow(extract(turns, [], wishes=policies.instructions))
        note.update(engine=extraction.by, drafts=len(extraction.drafts))
    return [draft for draft in remove_superseded(extraction.drafts) if draft.kind in kinds]


def _build_turn(message: NewMessage, times: TimestampReader) -> Turn:
    speaker = message.extra.get("role_name") or ""
    said_at = times.localize(message.said_at, message.chat_time)
    return Turn(message.role, message.text, said_at, speaker if isinstance(speaker, str) else "")
