"""Retract from episodes and skills what is deleted elsewhere, in the same transaction.

Who deletes memories holds their rows already, and generation takes the cube's lock before any row. So the lock is
only tried for: while the cube's skills are generated, what was deleted is left to the next task, as places and
digests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID, uuid4

from django.db import connection

from memories.models import MemCube, Memory, MemorySource
from memories.values import MemoryKind
from skills.catalogue.write import delete_skill, set_state
from skills.generation.episodes import Retracted, build_reading, retract_findings
from skills.generation.evidence import Memories, load_stated_memories, says_same, shares_words
from skills.generation.schedule import AT_ONCE, GenerationInput, join_distinct, schedule_generation
from skills.models import Episode, Skill, SkillEvidence
from skills.reading.findings import FindingPart, hash_finding_text
from skills.values import SkillOrigin, SkillState

TALK = (MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.EVENT, MemoryKind.PROFILE)
Places = dict[tuple[UUID, int], set[str]]


def drop_deleted(project_id: UUID, keys: Sequence[UUID]) -> None:
    """Retract what these memories said, in the transaction that deletes them and before they are deleted."""
    for cube in _find_skill_cubes(project_id, keys):
        skills = Skill.objects.within(cube.account_id).filter(cube=cube, memory__in=keys)
        doomed, places = (
            tuple(str(key) for key in skills.values_list("pk", flat=True)),
            _load_places(cube, keys),
        )
        stated = tuple((str(talk), at, tuple(sorted(digests))) for (talk, at), digests in places.items())
        task_input = GenerationInput(
            deleted=stated, purged=_list_skills_resting_on(cube, keys), doomed=doomed
        )
        if task_input != GenerationInput() and _try_lock(cube):
            purged = apply_deletions(cube, task_input, gone=keys)
            task_input = GenerationInput(purged=join_distinct(task_input.purged, map(str, purged)))
        if task_input != GenerationInput():
            schedule_generation(cube, f"deleted {uuid4().hex}", task_input, AT_ONCE)


def _find_skill_cubes(project_id: UUID, keys: Sequence[UUID]) -> list[MemCube]:
    """List the cubes of these memories from which skills are generated."""
    cubes = MemCube.objects.within(project_id).filter(memories__in=keys).distinct().order_by("pk")
    return [
        cube
        for cube in cubes
        if Episode.objects.within(project_id).filter(cube=cube).exists()
        or Skill.objects.within(cube.account_id).filter(cube=cube).exists()
    ]


def _list_skills_resting_on(cube: MemCube, keys: Sequence[UUID]) -> tuple[str, ...]:
    """The skills whose evidence these memories are."""
    rows = SkillEvidence.objects.within(cube.project_id).filter(memory__in=keys)
    return tuple(str(key) for key in rows.values_list("skill", flat=True).distinct())


def _try_lock(cube: MemCube) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [cube.pk.int & 0x7FFF_FFFF_FFFF_FFFF])
        row = cursor.fetchone()
    return bool(row and row[0])


def _load_places(cube: MemCube, keys: Sequence[UUID]) -> Places:
    """Load where the messages of the deleted memories stand, and what episodes have found there that says the same."""
    mine = Memory.objects.within(cube).filter(pk__in=keys, kind__in=TALK)
    sources = MemorySource.objects.within(mine.values("pk"))
    rows = list(sources.values_list("memory__text", "message__conversation", "message__position"))
    episodes = _load_episodes(cube, {talk for _, talk, _ in rows})
    places: Places = {}
    for text, talk, at in rows:
        digests = places.setdefault((talk, at), set())
        for episode in episodes.get(talk, ()):
            reading = build_reading(episode)
            findings = [finding for finding in reading.findings if finding.at == at]
            digests |= {finding.digest for finding in findings if says_same(text, finding)}
            if reading.asked == at and shares_words(text, reading.request):
                digests.add(hash_finding_text(reading.request))
    return places


def _load_episodes(cube: MemCube, conversations: Iterable[UUID]) -> dict[UUID, list[Episode]]:
    episodes: dict[UUID, list[Episode]] = defaultdict(list)
    for episode in Episode.objects.within(cube.project_id).filter(conversation__in=list(conversations)):
        episodes[episode.conversation_id].append(episode)
    return episodes


def apply_deletions(cube: MemCube, task_input: GenerationInput, gone: Sequence[UUID] = ()) -> set[UUID]:
    """Apply deletions under the cube's lock; return the skills whose history says what was retracted.

    `gone` are memories that are about to be deleted.
    """
    _drop_skills(cube, task_input.doomed)
    places: Places = {(UUID(talk), at): set(digests) for talk, at, digests in task_input.deleted}
    talks = {talk for talk, _ in places}
    left = load_stated_memories(cube, talks, without=gone)
    touched: set[UUID] = set()
    for episode in (episode for episodes in _load_episodes(cube, talks).values() for episode in episodes):
        taken = _build_retracted(episode, places, left, is_late=not gone)
        if taken != Retracted():
            retract_findings(episode, taken)
            touched |= {episode.skill_id} if episode.skill_id else set()
    return touched


def _build_retracted(episode: Episode, places: Places, left: Memories, *, is_late: bool) -> Retracted:
    """The findings that are named; all of a message of which no memory is left. Where the deletion was some time ago,
    episodes may have been read since: a liking stays only where a memory still says it."""
    here = {
        at: digests
        for (talk, at), digests in places.items()
        if talk == episode.conversation_id and episode.first <= at <= episode.last
    }
    silent = frozenset(at for at in here if not left.by_place.get((episode.conversation_id, at)))
    named = {digest for digests in here.values() for digest in digests}
    if is_late:
        for finding in build_reading(episode).findings:
            held = left.by_place.get((episode.conversation_id, finding.at), ())
            is_said = any(says_same(memory.text, finding) for memory in held)
            if finding.at in here and finding.part == FindingPart.LIKING and not is_said:
                named.add(finding.digest)
    return Retracted(frozenset(named), silent)


def _drop_skills(cube: MemCube, keys: Sequence[str]) -> None:
    """Delete generated skills whose memory was deleted; the same conversations do not generate them again."""
    for skill in Skill.objects.within(cube.account_id).filter(cube=cube, pk__in=keys):
        if skill.origin == SkillOrigin.GENERATED:
            delete_skill(skill)
        else:
            set_state(skill, SkillState.ARCHIVED, actor="api")
