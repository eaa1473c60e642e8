"""Rows of memories as columns: terms, names and vectors, joined and selected."""

from __future__ import annotations

import numpy as np
import pytest

from memories.retrieval.ranking.candidate_table import Candidate, CandidateTable
from memories.retrieval.ranking.columns import NameColumn, Terms
from memories.retrieval.ranking.packed_vectors import PackedVectors
from memories.values import MemoryKind

ROWS = ["lives porto", "", "porto wine porto", "用户 喜欢 绿茶", "green tea green tea"]


def test_terms_are_counted_in_each_row() -> None:
    terms = Terms.over(ROWS)
    wanted = ["porto", "tea", "unknown", "绿茶", "porto"]

    counts = terms.count(wanted)

    assert counts.tolist() == [[row.split().count(term) for term in wanted] for row in ROWS]


@pytest.mark.parametrize(
    "phrase", ["tea green", "porto wine", "wine porto", "porto lives", "tea tea", "", "x"]
)
def test_a_phrase_is_found_within_a_row_only(phrase: str) -> None:
    expected = [bool(phrase) and f" {phrase} " in f" {row} " for row in ROWS]

    assert Terms.over(ROWS).contain(phrase).tolist() == expected


def test_terms_of_selected_and_joined_rows_are_the_same_texts() -> None:
    terms = Terms.over(ROWS)
    chosen = terms.of(np.array([4, 0, 1]))
    joined = Terms.joined([chosen, Terms.over(["new word"])])

    assert [joined.text(place) for place in range(4)] == [ROWS[4], ROWS[0], "", "new word"]
    # No word stays that no row has any more.
    assert sorted(joined.vocabulary) == sorted({*ROWS[4].split(), *ROWS[0].split(), "new", "word"})


def test_names_of_joined_rows_are_those_that_rows_hold() -> None:
    first = NameColumn.over(["anna", "", "boris"]).of(np.array([True, True, False]))
    joined = NameColumn.joined([first, NameColumn.over(["clara", ""])])

    assert [joined.names[code] for code in joined.codes] == ["anna", "", "clara", ""]
    assert "boris" not in joined.names
    assert joined.are_any(("anna", "clara")).tolist() == [True, False, True, False]


def test_a_joined_table_is_the_table_of_all_rows() -> None:
    rows = [
        Candidate(n, MemoryKind.FACT, text, len(text), "anna", f"talk {n // 2}", n)
        for n, text in enumerate(ROWS)
    ]
    joined = CandidateTable.joined([CandidateTable(rows[:2]), CandidateTable(rows[2:])])
    whole = CandidateTable(rows)

    assert joined.keys.tolist() == whole.keys.tolist()
    assert joined.count_terms(["porto"]).tolist() == whole.count_terms(["porto"]).tolist()
    assert joined.conversations.codes.tolist() == whole.conversations.codes.tolist()
    assert joined.of(np.array([2])).contains_phrase("porto wine").tolist() == [True]


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_the_mean_of_the_best_of_each_conversation(count: int) -> None:
    random = np.random.default_rng(count)
    talks = random.integers(0, max(1, count // 3), count)
    rows = [Candidate(n, MemoryKind.FACT, "a", 1, "anna", f"talk {talk}", n) for n, talk in enumerate(talks)]
    values = random.standard_normal(count).round(1)

    means = CandidateTable(rows).surroundings.mean_of_best(values, 3)

    expected = [np.sort(values[talks == talk])[-3:].mean() for talk in talks]
    np.testing.assert_allclose(means, expected)


def test_packed_vectors_multiply_like_the_vectors_they_are_of() -> None:
    random = np.random.default_rng(3)
    vectors = random.standard_normal((1_100, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[5] = 0
    packed = PackedVectors.joined([PackedVectors.of(vectors[:700]), PackedVectors.of(vectors[700:])])
    columns, weights = random.standard_normal((384, 3)), random.random((2, 1_100))

    np.testing.assert_allclose(packed @ columns.astype(np.float32), vectors @ columns, atol=3e-4)
    sums = packed.weighted_sums(weights.astype(np.float32))
    np.testing.assert_allclose(sums, weights @ vectors, atol=1e-3)
    np.testing.assert_allclose(packed.floats(np.array([7, 5])), vectors[[7, 5]], atol=1e-5)
    assert packed.has_vector.sum() == 1_099
    assert packed.take(np.array([5])).has_vector.tolist() == [False]
