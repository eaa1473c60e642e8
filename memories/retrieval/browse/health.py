"""What among a project's newest memories needs review, such as repeats, contradictions and lost sources."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Exists, OuterRef

from memories.models import MemCube, Memory, MemorySource
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.personal import HEAVY
from memories.values import Kind, OwnerKind
from tenancy.models import Project

# So many of the newest memories are looked at, and so many findings of a kind are shown.
MOST_REVIEWED, MOST_FINDINGS = 1_000, 50
# Cosine similarity from which two statements say the same, if their numbers agree. With the local embedder "likes green
# tea" and "likes to drink green tea" have 0.98, "likes green tea" and "likes black tea" 0.93.
REPEATED = 0.97
UNSURE = 0.5
_NUMBER = re.compile(r"\d+")


class Problem(StrEnum):
    """Why a memory needs review."""

    REPEATED = "repeated"
    CONTRADICTED = "contradicted"
    UNSOURCED = "unsourced"
    EMPTY = "empty"
    UNSURE = "unsure"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class Finding:
    """A memory and its problem; `other` is the older memory that it repeats (with their similarity) or contradicts."""

    memory: Memory
    other: Memory | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """`reviewed` memories were looked at; of each problem its findings, newest first, at most `MOST_FINDINGS`."""

    reviewed: int
    findings: dict[Problem, list[Finding]]

    @property
    def total(self) -> int:
        return sum(map(len, self.findings.values()))


def review_memories(project: Project) -> Review:
    """Reviews the newest memories of subjects, without those of skills and knowledge bases. Inside the project's scope.

    Asks the same number of queries however many memories there are, and reads `MOST_REVIEWED` of them.
    """
    cubes = MemCube.objects.within(project)
    newest = (
        Memory.objects.within(cubes)
        .filter(project=project, is_rough=False)
        .current()
        .exclude(kind=Kind.SKILL)
        .order_by("-created_at")
    )
    of_subjects = newest.exclude(cube__owner_kind=OwnerKind.KNOWLEDGE_BASE)
    keys = list(of_subjects.values_list("pk", flat=True)[:MOST_REVIEWED])
    mine = Memory.objects.within(cubes).filter(pk__in=keys)
    pairs = {
        Problem.REPEATED: list(_find_repeated(mine)),
        Problem.CONTRADICTED: list(_find_contradicted(mine)),
    }
    today = datetime.now(UTC).date()
    sourced = MemorySource.objects.within(keys).filter(memory=OuterRef("pk"))
    alone = {
        Problem.UNSOURCED: mine.exclude(Exists(sourced)).exclude(details__has_key="feedback"),
        Problem.EMPTY: mine.exclude(words__contains=" "),
        Problem.UNSURE: mine.filter(confidence__lt=UNSURE).exclude(kind=Kind.PREFERENCE),
        Problem.PAST: mine.filter(expires_on__lt=today),
    }
    found = {problem: _newest_keys(rows) for problem, rows in alone.items()}
    named = {key for some in found.values() for key in some}
    named |= {key for some in pairs.values() for pair in some for key in pair[:2]}
    memories = _load(mine, named)
    findings = {
        problem: [Finding(memories[key], memories[other], alike) for key, other, alike in some]
        for problem, some in pairs.items()
    }
    findings |= {problem: [Finding(memories[key]) for key in some] for problem, some in found.items()}
    return Review(len(keys), {problem: findings[problem] for problem in Problem if findings[problem]})


Pair = tuple[UUID, UUID, float | None]


def _find_repeated(mine: MemoryQuerySet) -> Iterator[Pair]:
    """Each memory once, with the older one of its cube that is most like it."""
    of_cube: dict[tuple[UUID, str, int], list[tuple[UUID, set[str], Sequence[float]]]] = defaultdict(list)
    rows = mine.exclude(embedding=None).order_by("created_at", "pk")
    for key, cube, engine, text, vector in rows.values_list(
        "pk", "cube", "embedding_model", "text", "embedding"
    ):
        of_cube[cube, engine, len(vector)].append((key, set(_NUMBER.findall(text)), vector))
    found = [pair for same in of_cube.values() for pair in _repeats_in(same)]
    yield from sorted(found, key=lambda pair: pair[0], reverse=True)[:MOST_FINDINGS]


def _repeats_in(same: Sequence[tuple[UUID, set[str], Sequence[float]]]) -> Iterator[Pair]:
    if len(same) < 2:
        return
    # An embedder of the project's own may send numbers whose squares are no float32.
    vectors = np.array([vector for _, _, vector in same], dtype=np.float64)  # (memories, dimensions)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    alike = units @ units.T  # cosines, (memories, memories)
    for at in range(1, len(same)):
        before = int(np.argmax(alike[at, :at]))
        if alike[at, before] >= REPEATED and same[at][1] == same[before][1]:
            yield same[at][0], same[before][0], float(alike[at, before])


def _find_contradicted(mine: MemoryQuerySet) -> Iterator[Pair]:
    """Memories of a state that can hold one value at a time."""
    states = (
        mine.exclude(slot="")
        .values("cube", "slot")
        .annotate(count=Count("pk"), keys=ArrayAgg("pk", order_by=["-created_at"]))
    )
    for state in states.filter(count__gt=1).order_by("cube", "slot")[:MOST_FINDINGS]:
        newest, *others = state["keys"]
        yield newest, others[0], None


def _newest_keys(rows: MemoryQuerySet) -> list[UUID]:
    return list(rows.order_by("-created_at").values_list("pk", flat=True)[:MOST_FINDINGS])


def _load(mine: MemoryQuerySet, keys: set[UUID]) -> dict[UUID, Memory]:
    rows = mine.filter(pk__in=keys).select_related("cube").defer(*HEAVY)
    return {memory.pk: memory for memory in rows}
