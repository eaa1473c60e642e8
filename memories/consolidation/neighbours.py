"""Find the memories of a cube near the statements of one task: by vector, words, text and slot.

Two queries serve all statements of a task, however many it has; what the task itself writes joins the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import Q
from numpy.typing import NDArray

from memories.consolidation.ends.phrases.former_partners import OF_PARTNER, says_parting
from memories.engine.calibration.background_similarity import load_background
from memories.engine.statements import embed_statements
from memories.models import MemCube, Memory
from memories.text.content import hash_content
from memories.text.slots import find_states, parse_life_owner
from memories.text.words.tokenize import search_terms
from memories.text.zh.script import to_simplified
from memories.values import Draft, MemoryKind, OwnerKind

# Kinds with plain text. Tool memories have rules of their own.
COMPARED = frozenset(
    {MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.PROFILE, MemoryKind.EVENT, MemoryKind.KNOWLEDGE}
)
BY_MEANING, BY_WORDS = 8, 4
# So many corrected words of one task are looked for, and so many memories that have one of them are looked at.
_MOST_CORRECTED, _MOST_HOLDING = 20, 60
# Longer texts are excerpts rather than statements.
_LONGEST = 1_000

# What somebody does is a fact, and what somebody does no longer may be a preference.
OTHER = {MemoryKind.FACT: MemoryKind.PREFERENCE, MemoryKind.PREFERENCE: MemoryKind.FACT}

_HELD = (
    "cube_id = %s AND status IN ('activated', 'frozen') AND valid_until IS NULL"
    " AND NOT is_rough AND speaker = '' AND NOT details ? 'file' AND embedding_model = %s"
)
# Cast once: a vector that is read from text for each row it meets costs more than all distances.
# A cube's own rows are read in full: an end user has thousands at most, and an index over all cubes would not help.
NEAREST = f"""
WITH wanted AS MATERIALIZED (
    SELECT place, kind, other, vector::vector AS vector, plainto_tsquery('simple', words) AS words
      FROM unnest(%s::int[], %s::text[], %s::text[], %s::text[], %s::text[])
        AS asked (place, kind, other, vector, words))
SELECT wanted.place, near.id, 1 - near.distance
  FROM wanted CROSS JOIN LATERAL (
    (SELECT id, embedding <=> wanted.vector AS distance FROM memories_memory
      WHERE {_HELD} AND kind = wanted.kind ORDER BY distance LIMIT {BY_MEANING})
    UNION
    (SELECT id, embedding <=> wanted.vector AS distance FROM memories_memory
      WHERE {_HELD} AND kind = wanted.kind AND words_vector @@ wanted.words
      ORDER BY distance LIMIT {BY_WORDS})
    UNION
    (SELECT id, embedding <=> wanted.vector AS distance FROM memories_memory
      WHERE {_HELD} AND kind = wanted.other ORDER BY distance LIMIT {BY_WORDS})) AS near
"""  # noqa: S608  # no word of it comes from outside


@dataclass(frozen=True, slots=True)
class EmbeddedDraft:
    """A draft with its vector, unit length, shape (d,).

    `unrelated` is how close that lies to texts it has nothing to do with, as a mean cosine.
    """

    draft: Draft
    vector: list[float]
    unrelated: float | None = None

    def compute_closeness(self, cosine: float) -> float:
        """1 for equal texts, 0 for what two texts have in common by chance, whatever the model."""
        level = self.unrelated or 0.0
        return (cosine - level) / max(1 - level, 1e-6)


def is_comparable(draft: Draft) -> bool:
    """A line of a talk stays as it was said, and so do what only the assistant thinks and what a document says."""
    is_stated = draft.kind in COMPARED and not draft.speaker and "file" not in draft.details
    return is_stated and len(draft.text) <= _LONGEST


def compute_unrelated_level(draft: Draft, vector: list[float]) -> float | None:
    """The draft's mean cosine with background sentences; None for what is compared by its text alone.

    Asks the model the first time: not for transactions.
    """
    if not is_comparable(draft):
        return None
    level = load_background().compute_level(vector)
    return level.chinese if draft.language == "zh" else level.english


class _Row(NamedTuple):
    key: UUID
    kind: str
    terms: frozenset[str]


@dataclass(slots=True)
class _Written:
    """Memories that the task itself has written, with its vectors as rows of one matrix that grows (float32, shape (m,
    d), unit length; m is at least the number of rows).

    As of what is stored, only the nearest are compared with a draft: all pairs of a long talk take minutes. Places of
    rows are kept by kind and by term, and cosines are computed once for each row that a draft meets.
    """

    _places: dict[UUID, int] = field(default_factory=dict)
    _rows: list[_Row] = field(default_factory=list)
    _vectors: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    # Places in rising order; those of memories that are not current any more are in neither.
    _of_kind: dict[str, dict[int, None]] = field(default_factory=dict)
    _of_term: dict[str, set[int]] = field(default_factory=dict)
    # Of the draft that was asked for last: its vector, and its cosines with the rows, float32, shape (rows,).
    _asked: list[float] = field(default_factory=list)
    _cosines: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def put(self, memory: Memory, vector: list[float]) -> None:
        self.remove(memory.pk)
        place = len(self._rows)
        if place == len(self._vectors):
            self._vectors = np.resize(self._vectors, (2 * place or 64, len(vector)))
        self._vectors[place] = vector
        row = _Row(memory.pk, memory.kind, frozenset(search_terms(memory.text)))
        self._rows.append(row)
        self._places[memory.pk] = place
        self._of_kind.setdefault(row.kind, {})[place] = None
        for term in row.terms:
            self._of_term.setdefault(term, set()).add(place)

    def remove(self, key: UUID) -> None:
        place = self._places.pop(key, None)
        if place is None:
            return
        row = self._rows[place]
        del self._of_kind[row.kind][place]
        for term in row.terms:
            self._of_term[term].discard(place)

    def get_vector(self, key: UUID) -> list[float] | None:
        place = self._places.get(key)
        return None if place is None else [float(number) for number in self._vectors[place]]

    def find_nearest(self, draft: Draft, vector: list[float], known: Iterable[UUID]) -> dict[UUID, float]:
        """Cosines of the nearest, chosen as the query `NEAREST` chooses, and of what is known to be near."""
        if not self._places:
            return {}
        cosines = self._compute_cosines(vector)
        alike = self._of_kind.get(draft.kind, {})
        near = _choose_closest(cosines, alike, BY_MEANING)
        near |= _choose_closest(cosines, self._find_holding(draft.text, alike), BY_WORDS)
        near |= _choose_closest(cosines, self._of_kind.get(OTHER.get(draft.kind, ""), {}), BY_WORDS)
        near |= {self._places[key] for key in known if key in self._places}
        closest = sorted(near, key=lambda place: (-cosines[place], place))
        return {self._rows[place].key: float(cosines[place]) for place in closest}

    def _compute_cosines(self, vector: list[float]) -> NDArray[np.float32]:
        """With each row: float32, shape (rows,).

        A draft asks again after it was written: only what came since is computed then.
        """
        if self._asked is not vector:
            self._asked, self._cosines = vector, np.zeros(0, np.float32)
        fresh = self._vectors[len(self._cosines) : len(self._rows)] @ np.array(vector, np.float32)
        self._cosines = np.concatenate([self._cosines, fresh])
        return self._cosines

    def _find_holding(self, text: str, alike: Mapping[int, None]) -> list[int]:
        """Places of those that have all the words of the text."""
        words = set(search_terms(text))
        if not words:
            return []
        holding = set.intersection(*(self._of_term.get(word, set()) for word in words))
        return sorted(place for place in holding if place in alike)


def _choose_closest(cosines: NDArray[np.float32], places: Collection[int], most: int) -> set[int]:
    """The places of the `most` highest cosines among these. `cosines`: float32, shape (rows,)."""
    chosen = np.fromiter(places, np.int64, len(places))
    return set(chosen[np.argsort(-cosines[chosen], kind="stable")[:most]].tolist())


@dataclass(slots=True)
class Neighbourhood:
    """The current memories that the drafts of one task may touch. `_near`: their cosines, by draft and memory."""

    _near: dict[int, dict[UUID, float]]
    _held: dict[UUID, Memory]
    _written: _Written = field(default_factory=_Written)

    @classmethod
    def of(cls, cube: MemCube, drafts: Sequence[EmbeddedDraft], model: str) -> Neighbourhood:
        # Many people speak in the public cube: there, like is not the same.
        is_public = cube.owner_kind == OwnerKind.PUBLIC
        near = {} if is_public else _find_nearest(cube, drafts, model)
        is_over = Q(expires_on__lt=datetime.now(UTC).date())
        wanted = Q(pk__in={key for cosines in near.values() for key in cosines})
        texts = [text for embedded in drafts for text in (embedded.draft.text, *embedded.draft.supersedes)]
        slots = {slot for embedded in drafts if embedded.draft.slot for slot in _find_slots(embedded.draft)}
        if not is_public and slots:
            wanted |= Q(slot__in=slots)
        if not is_public:
            for who in {parse_life_owner(embedded.draft.slot) for embedded in drafts} - {""}:
                wanted |= Q(slot__startswith=f"{who}:") | Q(slot__startswith="pet:")
        if not is_public:
            wanted |= Q(pk__in=_find_holders_of_corrected_words(cube, drafts))
            if any(says_parting(to_simplified(each.draft.text), each.draft.language) for each in drafts):
                wanted |= Q(text__regex=OF_PARTNER, kind__in=COMPARED, speaker="", is_raw=False)
        # What is past its last day is compared with nothing; the very same words said again bring it back.
        wanted = wanted & ~is_over | Q(content_hash__in=[hash_content(text) for text in texts])
        held = (
            Memory.objects.within(cube).current().filter(wanted).defer("embedding", "words", "words_vector")
        )
        return cls(near, {memory.pk: memory for memory in held.order_by("pk")})

    def find_twin(self, draft: Draft) -> Memory | None:
        """The memory of the very same words."""
        wanted = hash_content(draft.text)
        twins = (m for m in self._held.values() if m.kind == draft.kind and bytes(m.content_hash) == wanted)
        return next(twins, None)

    def list_held(self) -> list[Memory]:
        """All of them, and what the task has written so far."""
        return list(self._held.values())

    def list_of_slot(self, slot: str) -> list[Memory]:
        return [memory for memory in self._held.values() if slot and memory.slot == slot]

    def list_near(self, ordinal: int, embedded: EmbeddedDraft) -> list[tuple[Memory, float]]:
        """Memories of this kind, and of the one that may contradict it, with their closeness, the closest first."""
        if embedded.unrelated is None:
            return []
        stored = self._near.get(ordinal, {})
        cosines = stored | self._written.find_nearest(embedded.draft, embedded.vector, stored)
        kinds = {embedded.draft.kind, OTHER.get(embedded.draft.kind)}
        pairs = [
            (self._held[key], embedded.compute_closeness(cosine))
            for key, cosine in cosines.items()
            if key in self._held and self._held[key].kind in kinds
        ]
        return sorted(pairs, key=lambda pair: -pair[1])

    def hold(self, memory: Memory, vector: list[float]) -> None:
        """Written just now, or written anew."""
        self._held[memory.pk] = memory
        if not memory.speaker:
            self._written.put(memory, vector)

    def get_vector(self, memory: Memory) -> list[float] | None:
        """The one it was written with just now, else the stored one."""
        fresh = self._written.get_vector(memory.pk)
        if fresh is not None or memory.embedding is None:
            return fresh
        return [float(number) for number in memory.embedding]

    def drop(self, memory: Memory) -> None:
        """Remove a memory that is not current any more."""
        self._held.pop(memory.pk, None)
        self._written.remove(memory.pk)

    def drop_restated(self, corrected: Sequence[Memory], draft: Draft) -> list[Memory]:
        """Remove the corrected memories whose very text the draft supersedes, and return them.

        Neighbours with similar words stay, as 下午两点 is similar to 下午四点.
        """
        restated = [memory for memory in corrected if memory.text in draft.supersedes]
        for memory in restated:
            self.drop(memory)
        return restated


def _find_slots(draft: Draft) -> set[str]:
    return {draft.slot, *(state.slot for state in find_states(draft.text, draft.language))}


def _find_holders_of_corrected_words(cube: MemCube, drafts: Sequence[EmbeddedDraft]) -> list[UUID]:
    """The newest memories that have the words that a draft corrects."""
    words = {word.split()[0] for embedded in drafts for word in embedded.draft.corrects if word.strip()}
    if not words:
        return []
    holding = Q()
    for word in sorted(words)[:_MOST_CORRECTED]:
        holding |= Q(text__icontains=word)
    current = Memory.objects.within(cube).current().filter(holding, kind__in=COMPARED, is_raw=False)
    return list(current.order_by("-created_at").values_list("pk", flat=True)[:_MOST_HOLDING])


def _find_nearest(cube: MemCube, drafts: Sequence[EmbeddedDraft], model: str) -> dict[int, dict[UUID, float]]:
    asked = [(place, embedded) for place, embedded in enumerate(drafts) if embedded.unrelated is not None]
    if not asked:
        return {}
    columns: list[list[Any]] = [
        [place for place, _ in asked],
        [embedded.draft.kind.value for _, embedded in asked],
        [str(OTHER.get(embedded.draft.kind, "")) for _, embedded in asked],
        [str(embedded.vector) for _, embedded in asked],
        [" ".join(search_terms(embedded.draft.text)) for _, embedded in asked],
    ]
    near: dict[int, dict[UUID, float]] = {}
    with connection.cursor() as cursor:
        of_cube: list[Any] = [cube.pk, model]
        cursor.execute(NEAREST, [*columns, *of_cube, *of_cube, *of_cube])
        for place, key, cosine in cursor.fetchall():
            near.setdefault(place, {})[key] = cosine
    return near


def embed_drafts(drafts: Sequence[Draft]) -> list[EmbeddedDraft]:
    """Asks the model: no transaction may be open here."""
    if not drafts:
        return []
    vectors = embed_statements([draft.text for draft in drafts])
    return [
        EmbeddedDraft(draft, vector, compute_unrelated_level(draft, vector))
        for draft, vector in zip(drafts, vectors, strict=True)
    ]
