"""Store episodes, written again whenever their conversation continues, without findings that were retracted.

An episode keeps the digests of findings that were retracted, and the positions of messages that must not be read at
all, so that reading the conversation again does not bring them back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memories.engine import get_embedder
from memories.ingest.read_messages import build_turns
from memories.models import Conversation, MemCube, Message
from memories.models.memory import get_owner_fields
from memories.values import Turn
from skills.generation.episode_weight import COUNTS, compute_weight
from skills.models import Episode, Skill
from skills.reading.findings import LONGEST_EPISODE, Finding, Known, TaskReading
from skills.values import SkillOrigin
from tenancy.ids import uuid7

Vectors = Mapping[str, list[float]]
# So many messages of a conversation are read again when it goes on.
WINDOW = 200
MOST_OF_CUBE = 400


@dataclass(frozen=True, slots=True)
class Retracted:
    """Findings of a conversation that no skill may contain any more."""

    digests: frozenset[str] = frozenset()
    messages: frozenset[int] = frozenset()

    def __or__(self, other: Retracted) -> Retracted:
        return Retracted(self.digests | other.digests, self.messages | other.messages)

    @classmethod
    def of(cls, findings: Mapping[str, Any]) -> Retracted:
        stated = findings.get("taken_back", {})
        return cls(frozenset(stated.get("digests", ())), frozenset(stated.get("messages", ())))

    def as_json(self) -> dict[str, Any]:
        return {"digests": sorted(self.digests), "messages": sorted(self.messages)}


@dataclass(frozen=True, slots=True)
class LoadedConversation:
    """A conversation as far as it is read: turns with their positions, and what was retracted of it."""

    id: UUID
    turns: list[Turn]
    positions: list[int]
    retracted: Retracted = field(default_factory=Retracted)


def load_conversation(cube: MemCube, conversation_id: str) -> LoadedConversation | None:
    """Load a conversation, inside its tenant scope; None when it was deleted."""
    conversation = Conversation.objects.within(cube.project_id).filter(pk=conversation_id, cube=cube).first()
    if conversation is None:
        return None
    start = _find_start(conversation)
    rows = Message.objects.within(cube.project_id).filter(conversation=conversation, position__gte=start)
    messages = list(rows.order_by("position"))
    return LoadedConversation(
        conversation.pk,
        build_turns(messages),
        [message.position for message in messages],
        load_retractions(cube, conversation.pk),
    )


def _find_start(conversation: Conversation) -> int:
    """Find where reading begins: not in the middle of an episode that is known already."""
    start = max(0, conversation.message_count - WINDOW)
    if start == 0:
        return 0
    rows = Episode.objects.within(conversation.project_id).filter(conversation=conversation)
    held = rows.filter(first__lte=start, last__gte=start, first__gte=start - LONGEST_EPISODE)
    first: int | None = held.order_by("first").values_list("first", flat=True).first()
    return start if first is None else first


def load_retractions(cube: MemCube, conversation: UUID) -> Retracted:
    whole = Retracted()
    rows = Episode.objects.within(cube.project_id).filter(conversation=conversation)
    for findings in rows.values_list("findings", flat=True):
        whole |= Retracted.of(findings)
    return whole


def write_episodes(
    cube: MemCube, conversation: LoadedConversation, readings: Sequence[TaskReading], vectors: Vectors
) -> None:
    """Write the episodes of a conversation in the caller's transaction; those before the window stay."""
    first = conversation.positions[0] if conversation.positions else 0
    rows = Episode.objects.within(cube.project_id).filter(conversation=conversation.id, first__gte=first)
    old = {row.first: row for row in rows}
    gone = load_retractions(cube, conversation.id)
    said_at = dict(zip(conversation.positions, (turn.said_at for turn in conversation.turns), strict=True))
    for read in readings:
        reading = read.without(gone.digests, gone.messages)
        known = old.pop(read.first, None) or Episode(
            id=uuid7(),
            **get_owner_fields(cube),
            cube=cube,
            conversation_id=conversation.id,
            first=read.first,
        )
        _fill_row(known, reading, gone, vectors)
        known.created_at = said_at[read.last]
        known.save()
    for row in old.values():
        # What was retracted of it is still not to be said, whichever episode the messages belong to now.
        if Retracted.of(row.findings) == Retracted():
            row.delete()
        else:
            row.weight, row.embedding, row.findings = 0.0, None, {"taken_back": gone.as_json()}
            row.save()


def _fill_row(row: Episode, reading: TaskReading, gone: Retracted, vectors: Vectors) -> None:
    row.last, row.domain, row.language = reading.last, reading.domain, reading.language
    row.findings = reading.as_json()
    if gone != Retracted():
        row.findings["taken_back"] = gone.as_json()
    row.weight = compute_weight(reading)
    row.embedding = vectors.get(reading.about) if reading.request else None
    row.embedding_model = get_embedder().name if row.embedding is not None else ""


def fill_vectors(cube: MemCube, vectors: Vectors) -> list[str]:
    """Give episodes their vectors that were stored while no embedder answered. Returns the texts of which there is none
    yet: then nothing was written."""
    rows = Episode.objects.within(cube.project_id).filter(cube=cube, weight__gte=COUNTS, embedding=None)
    bare = {row: read.about for row in rows[:MOST_OF_CUBE] if (read := build_reading(row)).request}
    missing = [about for about in bare.values() if about not in vectors]
    if not missing:
        for row, about in bare.items():
            row.embedding, row.embedding_model = vectors[about], get_embedder().name
            row.save(update_fields=["embedding", "embedding_model"])
    return missing


def retract_findings(episode: Episode, gone: Retracted) -> None:
    """Removes findings from the row, with what makes sure that they stay away."""
    reading = build_reading(episode).without(gone.digests, gone.messages)
    whole = Retracted.of(episode.findings) | gone
    episode.findings = reading.as_json() | {"taken_back": whole.as_json()}
    episode.weight = compute_weight(reading)
    if not reading.request:
        episode.embedding, episode.embedding_model = None, ""
    episode.save(update_fields=["findings", "weight", "embedding", "embedding_model"])


def retire_episodes(skill: Skill) -> None:
    """The episodes of a deleted skill generate no other one: only later conversation does."""
    if skill.project_id is None or skill.origin != SkillOrigin.GENERATED:
        return
    for episode in Episode.objects.within(skill.project_id).filter(skill=skill):
        digests = frozenset(finding.digest for finding in build_reading(episode).findings)
        retract_findings(episode, Retracted(digests))


def build_reading(episode: Episode) -> TaskReading:
    stated = episode.findings
    return TaskReading(
        episode.first,
        episode.last,
        episode.domain,
        stated.get("request", ""),
        episode.language,
        tuple(Finding.read(finding) for finding in stated.get("findings", ())),
        stated.get("by", ""),
        stated.get("asked", episode.first),
        stated.get("title", ""),
        stated.get("purpose", ""),
    )


def load_known_episodes(cube: MemCube, model: str) -> list[Known]:
    """Load what the cube's conversations say about tasks, oldest first."""
    rows = Episode.objects.within(cube.project_id).filter(cube=cube, weight__gt=0)
    latest = sorted(
        rows.order_by("-created_at", "-pk")[:MOST_OF_CUBE], key=lambda row: (row.created_at, row.pk)
    )
    return [
        Known(
            row.pk,
            row.conversation_id,
            build_reading(row),
            row.weight,
            row.created_at.timestamp(),
            row.embedding if row.embedding_model == model else None,
            row.skill_id,
        )
        for row in latest
    ]
