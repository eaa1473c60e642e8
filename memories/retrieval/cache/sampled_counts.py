"""Estimate from a sample how many rows a large knowledge base has, and how common its words are.

Counting a hundred thousand rows takes longer than the search, so a process counts once and believes it for minutes:
what depends on it is only which words are rare, and whether the index is worth using.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import connection

from memories.retrieval.ranking.candidate_table import Frequencies
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.runtime.background_writer import BackgroundWriter, log_database_errors
from tenancy.runtime.ttl_cache import LockedTTLCache

# About so many rows are read for the words.
SAMPLE = 1_000
# After this long the base is looked at again, behind the answers.
BELIEVED_SECONDS = 600.0
# A survey is some thousand words; so many bases are remembered.
_MOST = 64

_HELD = "cube_id = %s AND kind = 'knowledge' AND status IN ('activated', 'frozen') AND valid_until IS NULL"
_COUNT = f"SELECT count(*) FROM memories_memory WHERE {_HELD}"  # noqa: S608  # no word of it comes from outside
_SAMPLED = f"SELECT words FROM memories_memory WHERE {_HELD} AND mod(uuid_hash(id)::bigint, %s) = 0"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Survey:
    """`found_in` says of each word in how many rows of the sample it is. `taken_at`: seconds of `time.monotonic()`."""

    rows: int
    sampled: int
    found_in: Counter[str]
    taken_at: float

    def rows_with(self, term: str) -> float:
        """Estimate the rows with a term.

        At least half a row of the sample: what it does not show is rare, not absent.
        """
        return self.rows * max(self.found_in[term], 0.5) / max(self.sampled, 1)


def join_frequencies(surveys: Iterable[Survey], terms: Sequence[str]) -> Frequencies:
    """Join the frequencies of several bases."""
    known = list(surveys)
    found_in = [sum(survey.rows_with(term) for survey in known) for term in terms]
    return Frequencies(float(sum(survey.rows for survey in known)), np.array(found_in, dtype=float))


class Surveys:
    """The surveys of this process; the least recently used one is dropped first."""

    def __init__(self) -> None:
        # A base that nobody searches any more may be deleted, and its words with it.
        self._kept = LockedTTLCache[UUID, Survey](_MOST, 2 * BELIEVED_SECONDS)

    def get(self, cube: UUID) -> Survey | None:
        """An old one is still good enough for this search; it is renewed for the next ones."""
        survey = self._kept.get(cube)
        scope = get_active_scope()
        if survey is not None and scope is not None and time.monotonic() - survey.taken_at > BELIEVED_SECONDS:
            renewal.put((scope, cube))
        return survey

    def take(self, cube: UUID) -> Survey:
        """Reads the base, inside its tenant's scope."""
        survey = _read_survey(cube)
        self._kept.put(cube, survey)
        return survey


def _read_survey(cube: UUID) -> Survey:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [cube])
        rows = cursor.fetchone()[0]
        cursor.execute(_SAMPLED, [cube, max(1, rows // SAMPLE)])
        found_in: Counter[str] = Counter()
        sampled = 0
        for (words,) in cursor.fetchall():
            found_in.update(set(words.split()))
            sampled += 1
    return Survey(rows, sampled, found_in, time.monotonic())


def _renew_surveys(waiting: list[tuple[Scope, UUID]]) -> None:
    for scope, cube in dict.fromkeys(waiting):
        with log_database_errors("surveys", 1), tenant_scope(scope):
            surveys.take(cube)


surveys = Surveys()
renewal = BackgroundWriter("surveys", _renew_surveys, owner_of=lambda item: item[0].account)
