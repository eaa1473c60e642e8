"""What among a project's newest memories needs review, such as repeats, contradictions and lost sources."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import combinations, islice
from uuid import UUID

import numpy as np
from django.db.models import (
    BooleanField,
    Case,
    Exists,
    ExpressionWrapper,
    OuterRef,
    Q,
    TextField,
    Value,
    When,
)
from django.db.models.functions import MD5
from numpy.typing import NDArray

from memories.models import KeptPair, Memory, MemorySource
from memories.models.memory import MemoryQuerySet
from memories.models.vector_decoding import VectorBytes, decode_vector
from memories.retrieval.browse.newest_memories import HEAVY
from memories.values import Confidence, MemoryKind, OwnerKind
from tenancy.models import Project

# So many of the newest memories are looked at, and so many findings of a kind are shown.
MOST_REVIEWED, MOST_FINDINGS = 1_000, 50
# So many older memories of the same cubes are compared with those that are looked at. Most subjects have far fewer.
MOST_COMPARED = 4_000
# Cosine similarity from which two statements say the same, if their numbers agree. With the local embedder "likes green
# tea" and "likes to drink green tea" have 0.98, "likes green tea" and "likes black tea" 0.93.
REPEATED = 0.97
_NUMBER = re.compile(r"\d+")


class Problem(StrEnum):
    """Reasons why a memory needs review."""

    REPEATED = "repeated"
    CONTRADICTED = "contradicted"
    UNSOURCED = "unsourced"
    EMPTY = "empty"
    UNSURE = "unsure"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A memory and its problem; `other` is the older memory that it repeats or contradicts.

    `similarity`: the cosine of the two, where one repeats the other.
    """

    memory: Memory
    other: Memory | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """`reviewed` memories were looked at; of each problem its findings, newest first, at most `MOST_FINDINGS`. `oldest`
    is the last of them where there are older ones."""

    reviewed: int
    findings: dict[Problem, list[HealthFinding]]
    oldest: Memory | None = None

    @property
    def total(self) -> int:
        return sum(map(len, self.findings.values()))

    @property
    def to_review(self) -> int:
        """Return how many memories have a problem."""
        return len({finding.memory.pk for some in self.findings.values() for finding in some})

    @property
    def score(self) -> int:
        """The share of memories without a problem, of 100; 100 only where none has one."""
        if not self.to_review:
            return 100
        return min(99, round(100 * (1 - self.to_review / max(1, self.reviewed))))


def review_memories(project: Project, before: tuple[datetime, UUID] | None = None) -> Review:
    """Reviews the newest memories of subjects, without those of skills and knowledge bases, or those created before the
    memory with this time and id. Pairs that a member keeps are left out. Inside the project's scope.

    A pair is found with the newer of the two; the older one may have been created before all that are reviewed. Asks
    the same number of queries however many memories there are, and reads each of them once.
    """
    mine = _list_newest(project, before)
    has_older, mine = len(mine) > MOST_REVIEWED, mine[:MOST_REVIEWED]
    older = _list_older(project, mine) if has_older else []
    kept = _load_kept_pairs(project)
    pairs = {
        Problem.REPEATED: list(_find_repeated(mine, older, kept)),
        Problem.CONTRADICTED: list(_find_contradicted(mine, older, kept)),
    }
    singles = {
        problem: [memory.key for memory in mine if problem in memory.problems][:MOST_FINDINGS]
        for problem in _ALONE
    }
    named = {key for some in singles.values() for key in some}
    named |= {key for some in pairs.values() for pair in some for key in pair[:2]}
    memories = _load_memories(project, named | {memory.key for memory in mine[-1:]})
    findings = {
        problem: [HealthFinding(memories[key], memories[other], alike) for key, other, alike in some]
        for problem, some in pairs.items()
    }
    findings |= {problem: [HealthFinding(memories[key]) for key in some] for problem, some in singles.items()}
    shown = {problem: findings[problem] for problem in Problem if findings[problem]}
    return Review(len(mine), shown, memories.get(mine[-1].key) if has_older else None)


# What one memory has by itself; the others are between two.
_ALONE = (Problem.UNSOURCED, Problem.EMPTY, Problem.UNSURE, Problem.PAST)


@dataclass(frozen=True, slots=True)
class _Reviewed:
    """A memory as far as it is compared: `numbers` in its text, the vector as it was sent, and `state`, which is alike
    for memories that fill one slot and empty for those that fill none."""

    key: UUID
    created_at: datetime
    cube: UUID
    engine: str
    numbers: frozenset[str]
    state: str
    vector: bytes | None
    problems: frozenset[Problem]


def _list_newest(project: Project, before: tuple[datetime, UUID] | None) -> list[_Reviewed]:
    """The memories to review and one more, newest first."""
    return _read_problems(project, _select_subject_memories(project, before)[: MOST_REVIEWED + 1], _ALONE)


def _list_older(project: Project, mine: Sequence[_Reviewed]) -> list[_Reviewed]:
    """List what these may repeat or contradict beside each other: older memories of their cubes, newest first."""
    before = _select_subject_memories(project, (mine[-1].created_at, mine[-1].key))
    return _read_problems(
        project, before.filter(cube__in={memory.cube for memory in mine})[:MOST_COMPARED], ()
    )


def _select_subject_memories(project: Project, before: tuple[datetime, UUID] | None) -> MemoryQuerySet:
    """Newest first, without those of skills and knowledge bases."""
    newest = Memory.objects.of_project(project).filter(is_raw=False).current().exclude(kind=MemoryKind.SKILL)
    if before:
        newest = newest.filter(Q(created_at__lt=before[0]) | Q(created_at=before[0], pk__lt=before[1]))
    memories: MemoryQuerySet = newest.exclude(cube__owner_kind=OwnerKind.KNOWLEDGE_BASE)
    return memories.order_by("-created_at", "-pk")


def _read_problems(project: Project, chosen: MemoryQuerySet, problems: Sequence[Problem]) -> list[_Reviewed]:
    """The database looks for the problems: of a member from whom words are hidden, it knows them. It sorts ids only,
    because vectors would not fit into the memory that it sorts in."""
    sourced = Exists(MemorySource.objects.of_project(project).filter(memory=OuterRef("pk")))
    asked = {
        Problem.UNSOURCED: ~sourced & ~Q(details__has_key="feedback"),
        Problem.EMPTY: ~Q(words__contains=" "),
        Problem.UNSURE: Q(confidence__lt=Confidence.DOUBTFUL) & ~Q(kind=MemoryKind.PREFERENCE),
        Problem.PAST: Q(expires_on__lt=datetime.now(UTC).date()),
    }
    answers = {f"is_{name.value}": ExpressionWrapper(asked[name], BooleanField()) for name in problems}
    state = Case(When(slot="", then=Value("")), default=MD5("slot"), output_field=TextField())
    rows = (
        Memory.objects.of_project(project)
        .filter(pk__in=chosen.values("pk"))
        .annotate(state=state, vector=VectorBytes("embedding"), **answers)
    )
    columns = ("pk", "created_at", "cube", "embedding_model", "text", "state", "vector", *answers)
    reviewed = [
        _Reviewed(
            key,
            created_at,
            cube,
            engine,
            frozenset(_NUMBER.findall(text)),
            state,
            vector,
            frozenset(problem for problem, has_it in zip(problems, has, strict=True) if has_it),
        )
        for key, created_at, cube, engine, text, state, vector, *has in rows.values_list(*columns)
    ]
    return sorted(reviewed, key=lambda memory: (memory.created_at, memory.key), reverse=True)


Pair = tuple[UUID, UUID, float | None]
# A memory's key, the numbers in its text, and its vector.
_Embedded = tuple[UUID, frozenset[str], NDArray[np.float32]]
Kept = set[frozenset[UUID]]


def _load_kept_pairs(project: Project) -> Kept:
    """Load pairs that members kept and that have not changed since."""
    pairs = KeptPair.objects.within(project).values_list(
        "memory", "other", "texts", "memory__content_hash", "other__content_hash"
    )
    return {
        frozenset((memory, other))
        for memory, other, texts, memory_hash, other_hash in pairs
        if bytes(texts) == join_content_hashes(bytes(memory_hash), bytes(other_hash))
    }


def join_content_hashes(first_hash: bytes, second_hash: bytes) -> bytes:
    """Return what two memories say, by their content hashes in either order."""
    return b"".join(sorted((first_hash, second_hash)))


def _find_repeated(mine: Sequence[_Reviewed], older: Sequence[_Reviewed], kept: Kept) -> Iterator[Pair]:
    """Each of `mine` once, with the older one of its cube that is most like it."""
    of_cube: dict[tuple[UUID, str, int], list[_Embedded]] = defaultdict(list)
    for memory in reversed([*mine, *older]):
        if memory.vector is not None:
            vector = decode_vector(memory.vector)
            of_cube[memory.cube, memory.engine, len(vector)].append((memory.key, memory.numbers, vector))
    reviewed = {memory.key for memory in mine}
    pairs = [pair for same in of_cube.values() for pair in _repeats_in(same, reviewed, kept)]
    yield from sorted(pairs, key=lambda pair: pair[0], reverse=True)[:MOST_FINDINGS]


def _repeats_in(same: Sequence[_Embedded], reviewed: set[UUID], kept: Kept) -> Iterator[Pair]:
    """`same` are memories of one cube, the oldest first; those that are reviewed come last."""
    first = max(1, sum(key not in reviewed for key, _, _ in same))
    if len(same) <= first:
        return
    vectors = np.array([vector for _, _, vector in same], dtype=np.float32)  # (memories, dimensions)
    # An embedder of the project's own may send numbers whose squares are no float32.
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    vectors /= np.where(largest == 0, 1, largest)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths == 0, 1, lengths)
    alike = units[first:] @ units.T  # cosines, (reviewed memories, memories)
    places = {key: at for at, (key, _, _) in enumerate(same)}
    for key, other in (pair for pair in kept if pair <= places.keys()):
        before, after = sorted((places[key], places[other]))
        if after >= first:
            alike[after - first, before] = -1
    for at in range(first, len(same)):
        row = alike[at - first, :at]
        before = int(np.argmax(row))
        if row[before] >= REPEATED and same[at][1] == same[before][1]:
            yield same[at][0], same[before][0], float(row[before])


def _find_contradicted(mine: Sequence[_Reviewed], older: Sequence[_Reviewed], kept: Kept) -> Iterator[Pair]:
    """Memories of a state that can hold one value at a time, the newer of two among `mine`."""
    reviewed = {memory.key for memory in mine}
    states: dict[tuple[UUID, str], list[UUID]] = defaultdict(list)
    for memory in [*mine, *older]:
        if memory.state:
            states[memory.cube, memory.state].append(memory.key)
    filled = [keys for _, keys in sorted(states.items()) if len(keys) > 1 and keys[0] in reviewed]
    for keys in filled[:MOST_FINDINGS]:
        pairs = (pair for pair in combinations(keys, 2) if pair[0] in reviewed)
        yield from (
            (*pair, None) for pair in islice((pair for pair in pairs if frozenset(pair) not in kept), 1)
        )


def _load_memories(project: Project, keys: set[UUID]) -> dict[UUID, Memory]:
    rows = Memory.objects.of_project(project).filter(pk__in=keys).select_related("cube").defer(*HEAVY)
    return {memory.pk: memory for memory in rows}
