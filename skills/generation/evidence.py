"""The evidence of a skill, and what the cube's memories say about it today: a corrected memory wins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from uuid import UUID

from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.text.topics.topics import find_topics
from memories.text.words.tokenize import extract_keywords
from memories.values import MemoryKind, MemoryStatus
from skills.models import Skill, SkillEvidence
from skills.models.skill import get_owner_fields
from skills.packages.skill_md import EXAMPLES, EXPERIENCE, PREFERENCE, PROCEDURE
from skills.reading.findings import Finding, FindingPart, Known, TaskReading
from skills.reading.quality import is_sound
from skills.reading.wording import capitalize
from tenancy.ids import uuid7

# What is found in an episode supports these sections.
SECTION = {
    FindingPart.LIKING: PREFERENCE,
    FindingPart.CHOICE: PREFERENCE,
    FindingPart.WISH: PROCEDURE,
    FindingPart.STEP: PROCEDURE,
    FindingPart.ACTION: PROCEDURE,
    FindingPart.DETAIL: EXAMPLES,
    FindingPart.TOOLS: PROCEDURE,
    FindingPart.CORRECTION: EXPERIENCE,
    FindingPart.RULE: EXPERIENCE,
    FindingPart.FAILURE: EXPERIENCE,
    FindingPart.SUCCESS: EXPERIENCE,
    FindingPart.EXAMPLE: EXAMPLES,
}
_SAME = 0.5
EXPLICIT = "explicit_preference"
MOST_REMEMBERED = 200
_CHAIN = 8
Place = tuple[UUID, int]


@dataclass(frozen=True, slots=True)
class OfMemory:
    """Stand-in for an episode where a memory alone says something."""

    memory: UUID


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory that came from a message. `today` is what holds in its place now, None when nothing does."""

    key: UUID
    text: str
    today: str | None

    @property
    def is_current(self) -> bool:
        return self.today == self.text


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories of a cube's messages, by the place of the message."""

    by_place: dict[Place, list[HeldMemory]]

    def about(self, episode: Known, finding: Finding) -> HeldMemory | None:
        """The memory that says what was found, if one does."""
        for held in self.by_place.get((episode.conversation, finding.at), ()):
            if says_same(held.text, finding):
                return held
        return None


def says_same(text: str, finding: Finding) -> bool:
    return shares_words(text, finding.text)


def shares_words(text: str, other: str) -> bool:
    mine, theirs = set(extract_keywords(text)), set(extract_keywords(other))
    return bool(mine and theirs) and len(mine & theirs) >= _SAME * min(len(mine), len(theirs))


def load_stated_memories(
    cube: MemCube, conversations: Iterable[UUID], without: Sequence[UUID] = ()
) -> Memories:
    """Load what memories of these conversations state, inside the tenant scope."""
    own = Memory.objects.within(cube).filter(
        kind__in=[MemoryKind.PREFERENCE, MemoryKind.FACT], is_raw=False, speaker=""
    )
    stated = own.filter(sources__message__conversation__in=list(conversations)).exclude(pk__in=without)
    places = "sources__message__conversation", "sources__message__position"
    rows = list(stated.values_list("pk", "text", "status", "valid_until", "superseded_by", *places))
    ends = _load_chain_ends(own, {row[4] for row in rows if row[4] is not None})
    by_place: dict[Place, list[HeldMemory]] = {}
    for key, text, status, until, later, conversation, position in rows:
        is_current = until is None and status in {MemoryStatus.ACTIVATED, MemoryStatus.FROZEN}
        held = HeldMemory(key, text, text if is_current else ends.get(later))
        by_place.setdefault((conversation, position), []).append(held)
    return Memories(by_place)


class _Link(NamedTuple):
    """A memory in a chain of replacements: what it says, the key of what replaced it, and whether it holds today."""

    text: str = ""
    later: UUID | None = None
    holds: bool = False


def _load_chain_ends(own: MemoryQuerySet, keys: set[UUID]) -> dict[UUID, str]:
    """Load what stands at the end of each chain of replacements, where that holds today."""
    links: dict[UUID, _Link] = {}
    wanted = keys
    for _ in range(_CHAIN):
        if not wanted:
            break
        rows = own.filter(pk__in=wanted).values_list("pk", "text", "superseded_by", "status", "valid_until")
        for key, text, later, status, until in rows:
            links[key] = _Link(
                text, later, until is None and status in {MemoryStatus.ACTIVATED, MemoryStatus.FROZEN}
            )
        wanted = {link.later for link in links.values() if link.later is not None} - links.keys()
    ends = {key: _find_end(links, key) for key in keys}
    return {key: text for key, text in ends.items() if text is not None}


def _find_end(links: dict[UUID, _Link], key: UUID) -> str | None:
    for _ in range(_CHAIN):
        link = links.get(key, _Link())
        if link.holds:
            return link.text
        if link.later is None:
            return None
        key = link.later
    return None


def find_remembered_episodes(cube: MemCube, episodes: Sequence[Known], memories: Memories) -> list[Known]:
    """Find what the user has said elsewhere, outside of such tasks, that matters to them: likings of the same
    subject."""
    about = set(find_topics(extract_keywords(" ".join(_get_request_texts(episodes)))))
    if not about:
        return []
    known_keys = {held.key for group in memories.by_place.values() for held in group}
    own = Memory.objects.within(cube).current().filter(kind=MemoryKind.PREFERENCE, preference_type=EXPLICIT)
    rows = (
        own.exclude(pk__in=known_keys)
        .order_by("-created_at")
        .values_list("pk", "text", "language", "created_at")
    )
    remembered_episodes = []
    for key, text, language, created_at in rows[:MOST_REMEMBERED]:
        liking = _format_preference(text, language)
        if about & set(find_topics(extract_keywords(text))) and is_sound(liking, language):
            finding = Finding(FindingPart.LIKING, liking, -1, language=language)
            reading = TaskReading(-1, -1, episodes[-1].reading.domain, "", language, (finding,), "memory")
            remembered_episodes.append(Known(OfMemory(key), None, reading, 0.0, created_at.timestamp()))
    return remembered_episodes


def _get_request_texts(episodes: Sequence[Known]) -> Iterator[str]:
    for episode in episodes:
        yield f"{episode.reading.title} {episode.reading.request}"


def _format_preference(text: str, language: str) -> str:
    """A memory as a preference: "The user loves museums." -> "Loves museums"."""
    bare = re.sub("^(?:The user(?: and others)? |用户(?:等人)?(?!的))", "", text).strip(" .。")
    return bare if language == "zh" else capitalize(bare)


def settle_episode(episode: Known, memories: Memories) -> Known:
    """The episode as the memories of its messages stand today: what no longer holds is replaced or left out."""
    findings = [
        now for finding in episode.reading.findings for now in _update_finding(finding, episode, memories)
    ]
    return replace(episode, reading=replace(episode.reading, findings=tuple(findings)))


def _update_finding(finding: Finding, episode: Known, memories: Memories) -> list[Finding]:
    held = memories.about(episode, finding) if finding.part == FindingPart.LIKING else None
    if held is None or held.is_current:
        return [finding]
    if held.today is None:
        return []
    return [replace(finding, text=_format_preference(held.today, finding.language))]


def write_evidence(skill: Skill, episodes: Sequence[Known], memories: Memories) -> None:
    """Makes the rows say what the skill's present version rests on; in the caller's transaction."""
    wanted: set[tuple[UUID | None, UUID | None, str]] = set()
    for episode in episodes:
        for finding in episode.reading.findings:
            section = SECTION[finding.part]
            if isinstance(episode.key, OfMemory):
                wanted.add((None, episode.key.memory, section))
                continue
            wanted.add((episode.key, None, section))
            held = memories.about(episode, finding)
            if held is not None and held.is_current:
                wanted.add((None, held.key, section))
    rows = SkillEvidence.objects.within(skill.project_id).filter(skill=skill)
    known = {(row.episode_id, row.memory_id, row.section): row.pk for row in rows}
    rows.filter(pk__in=[pk for key, pk in known.items() if key not in wanted]).delete()
    SkillEvidence.objects.bulk_create(
        [
            SkillEvidence(
                id=uuid7(),
                **get_owner_fields(skill),
                skill=skill,
                version=skill.version,
                episode_id=episode,
                memory_id=memory,
                section=section,
            )
            for episode, memory, section in sorted(wanted - known.keys(), key=str)
        ]
    )
