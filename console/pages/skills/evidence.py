"""The evidence of a skill, quoted: parts of conversations, runs of tools, memories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from console.pages.memory.memories.links import build_memory_url
from memories.consolidation.tool_memories import format_words_with_calls
from memories.models import Memory, Message
from skills.catalogue.console_list import list_skill_evidence
from skills.models import Episode, Skill, SkillEvidence
from tenancy.models import Project

# So many sources are shown, of each conversation so many messages, of each message so many letters.
SHOWN, QUOTED, LONGEST = 50, 6, 400
# More rows are read than shown, because several versions may cite the same evidence.
READ = 400


@dataclass
class EvidenceSource:
    """An episode or a memory; `version` is the last one that rests on it."""

    version: int
    sections: list[str]
    memory: Memory | None = None
    memory_url: str = ""
    episode: Episode | None = None
    quotes: list[tuple[str, str]] = field(default_factory=list)
    more: int = 0


def build_evidence_context(request: HttpRequest, project: Project, skill: Skill) -> dict[str, Any]:
    sources = _list_sources(project, list_skill_evidence(project, skill)[:READ])
    shown = sources[:SHOWN]
    _quote_messages(project, [source for source in shown if source.episode])
    return {"sources": shown, "more_sources": len(sources) - len(shown)}


def _list_sources(project: Project, rows: Iterable[SkillEvidence]) -> list[EvidenceSource]:
    """Each once, however many versions and sections it stands for."""
    sources: dict[Any, EvidenceSource] = {}
    for row in rows:
        key = (row.episode_id, row.memory_id)
        if key not in sources:
            sources[key] = EvidenceSource(row.version, [], row.memory, "", row.episode)
            if row.memory is not None:
                sources[key].memory_url = build_memory_url(project, row.memory, open=row.memory_id)
        if row.section and row.section not in sources[key].sections:
            sources[key].sections.append(row.section)
    return list(sources.values())


def _quote_messages(project: Project, sources: list[EvidenceSource]) -> None:
    """The first messages of each episode."""
    if not sources:
        return
    wanted = Q()
    for of in (source.episode for source in sources if source.episode):
        last = min(of.last, of.first + QUOTED - 1)
        wanted |= Q(conversation=of.conversation_id, position__range=(of.first, last))
    rows = Message.objects.within(project).filter(wanted, cleared_at=None)
    messages = list(rows.order_by("position"))
    for source in sources:
        episode = source.episode
        if episode is None:
            continue
        episode_messages = [message for message in messages if _is_in_episode(message, episode)]
        source.quotes = [
            (message.role, format_words_with_calls(message)[:LONGEST]) for message in episode_messages
        ]
        source.more = max(0, episode.last - episode.first + 1 - len(episode_messages))


def _is_in_episode(message: Message, episode: Episode) -> bool:
    return (
        message.conversation_id == episode.conversation_id
        and episode.first <= message.position <= episode.last
    )
