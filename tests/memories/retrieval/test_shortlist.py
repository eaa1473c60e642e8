"""Of very many memories only those that could come first are ranked: what comes first stays what it was."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest
from django.db import connections

from memories.engine.calibration.background_similarity import Nearness
from memories.retrieval.explain_search import explain_search
from memories.retrieval.inspect_search import inspect_search
from memories.retrieval.queries.parser import Question, parse_question
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.ranking import shortlist
from memories.retrieval.ranking.adjustments import Situation
from memories.retrieval.ranking.candidate_table import Candidate, CandidateTable, Pool
from memories.retrieval.ranking.ranker import Ranking, ScoredCandidates
from memories.retrieval.ranking.shortlist import RANK_ALL, Shortlist, build_ranking
from memories.retrieval.search import run_search
from memories.values import MemoryKind, OwnerKind, Subject
from tests.support.api_client import Tenant
from tests.support.ranking import NOW, memory
from tests.support.tasks.many_memories import many_facts

PEOPLE = ("Ines", "Tomasz", "Aiko")
THINGS = "kiln loom oboe skiff trowel abacus lathe zither anvil quilt".split()
PLACES = "harbour orchard library workshop chapel meadow".split()


def tell(number: int) -> str:
    thing, place = THINGS[number % len(THINGS)], PLACES[number // 7 % len(PLACES)]
    return f"{thing} number {number} was taken to the {place}"


def make_lines(count: int) -> list[Candidate]:
    """Lines of talks of thirty between two people each."""
    return [
        memory(
            f"{number}: {tell(number)}",
            speaker=PEOPLE[number // 30 % 2 + number % 2],
            conversation=f"talk {number // 30}",
            position=number % 30,
            said_at=NOW - timedelta(days=number % 900),
        )
        for number in range(count)
    ]


def make_statements(count: int) -> list[Candidate]:
    return [
        memory(f"The user's {tell(number)}.", said_at=NOW - timedelta(hours=number))
        for number in range(count)
    ]


def rank_both(
    text: str, memories: list[Candidate], near: Nearness, limit: int = 9
) -> tuple[ScoredCandidates, ScoredCandidates]:
    """All ranked, and as a search ranks them."""
    question, pool, situation = prepare(text, memories)
    short = build_ranking(question, pool, situation, limit)
    assert isinstance(short, Shortlist)
    return Ranking(question, pool, situation).order(near), short.order(near)


def prepare(text: str, memories: list[Candidate]) -> tuple[Question, Pool, Situation]:
    question, table = parse_question(text, NOW), CandidateTable(memories)
    return question, Pool(table, table.count_terms(question.terms)), Situation(now=NOW)


def make_nearness(count: int, seed: int = 0) -> Nearness:
    """Similarities as unrelated texts have them, a few of them higher."""
    random = np.random.default_rng(seed)
    plain = random.normal(0.0, 0.02, count)
    plain[random.choice(count, 40, replace=False)] += random.uniform(0.03, 0.12, 40)
    return Nearness(plain, plain + random.normal(0.0, 0.005, count))


@pytest.mark.parametrize(
    "text",
    [
        "Where was the oboe taken?",
        "What did Aiko say about the lathe?",
        "Which quilt is in the chapel?",
        "What happened in May 2025?",
        "What was taken to the meadow most recently?",
    ],
)
@pytest.mark.parametrize("make", [make_lines, make_statements])
def test_what_comes_first_is_the_same_as_if_all_were_ranked(text: str, make: object) -> None:
    memories = make(RANK_ALL + 600)  # type: ignore[operator]
    whole, short = rank_both(text, memories, make_nearness(len(memories), len(text)))
    expected = {result.key: result.relativity for result in whole.list_best(9)}
    actual = {result.key: result.relativity for result in short.list_best(9)}
    assert len(expected.keys() & actual.keys()) >= 8
    same = expected.keys() & actual.keys()
    assert [actual[key] for key in same] == pytest.approx([expected[key] for key in same], abs=0.03)
    assert len(short) + short.left_out == len(memories)
    assert len(short) < len(memories) / 4


def test_up_to_some_thousands_all_are_ranked() -> None:
    question, pool, situation = prepare("Where is the loom?", make_statements(50))
    assert isinstance(build_ranking(question, pool, situation, 9), Ranking)


def test_a_named_speaker_counts_where_all_of_the_best_are_theirs() -> None:
    lines = make_lines(RANK_ALL + 600)
    whole, short = rank_both("What did Ines say about the anvil?", lines, make_nearness(len(lines)))
    assert whole.list_best(1)[0].parts["speaker"] > 1
    assert [result.parts["speaker"] for result in short.list_best(9)] == [
        result.parts["speaker"] for result in whole.list_best(9)
    ]


def test_what_was_said_a_moment_ago_is_ranked_though_it_has_no_vector_yet() -> None:
    memories = [
        *make_statements(RANK_ALL + 600),
        memory("My flight leaves at six.", is_raw=True, said_at=NOW),
    ]
    plain = make_nearness(len(memories)).plain
    plain[-1] = np.nan
    _, short = rank_both("Anything about the zither?", memories, Nearness(plain, plain))
    assert short.relativity[short.keys == "My flight leaves at six."] >= 0.5


def test_memories_without_vectors_are_found_by_their_words() -> None:
    memories = [*make_statements(RANK_ALL + 600), memory("The user keeps a hurdy-gurdy in the attic.")]
    _, short = rank_both("Where is the hurdy-gurdy?", memories, Nearness.unknown(len(memories)))
    assert short.list_best(1)[0].key == "The user keeps a hurdy-gurdy in the attic."


def test_a_state_is_ranked_however_far_its_words_are() -> None:
    home = memory("The user lives in Faro.", slot="residence")
    memories = [*make_statements(RANK_ALL + 600), home]
    plain = make_nearness(len(memories)).plain
    plain[-1] = -0.2
    _, short = rank_both("Where do I live?", memories, Nearness(plain, plain))
    assert home.key in short.keys


def test_a_relative_whom_one_of_many_mentions_is_known() -> None:
    """Without a mention, no statement would answer a question about a brother."""
    brother = memory("The user's brother restores clocks.")
    whole, short = rank_both(
        "What does my brother do?", [*make_statements(RANK_ALL + 600), brother], make_nearness(RANK_ALL + 601)
    )
    assert brother.key in short.keys
    assert short.list_best(9) == whole.list_best(9)


def test_passages_of_both_languages_are_ranked() -> None:
    english = [memory(tell(number), kind=MemoryKind.KNOWLEDGE) for number in range(RANK_ALL)]
    chinese = [memory(f"第{number}号织机在图书馆。", kind=MemoryKind.KNOWLEDGE) for number in range(600)]
    passages = [*english, *chinese]
    near = make_nearness(len(passages))
    near.plain[RANK_ALL:] -= 0.03
    near.aimed[RANK_ALL:] -= 0.03
    whole, short = rank_both("Where is the loom?", passages, near)
    assert {result.key for result in short.list_best(9)} == {result.key for result in whole.list_best(9)}


@pytest.fixture
def _closes_connections() -> Iterator[None]:
    yield
    connections.close_all()


@pytest.mark.usefixtures("_closes_connections")
def test_a_search_says_how_many_it_did_not_rank_and_the_explanation_ranks_them(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortlist, "RANK_ALL", 400)
    many_facts(tenant, "kim", 500)
    query = SearchQuery(Subject(OwnerKind.END_USER, "kim"), "Which item is item 77?", relativity=0.2)
    findings = run_search(tenant.project, query)
    [cut] = [cut for cut in findings.cuts if MemoryKind.FACT in cut.kinds]
    assert cut.order.left_out == 300
    steps = inspect_search(tenant.project, query, findings)[0]
    assert (steps.scored, steps.returned) == (500, 9)
    assert steps.with_matching_terms <= steps.scored
    whole = run_search(tenant.project, query, ranks_all=True)
    ranked = set(cut.order.keys)
    behind = next(result.key for result in whole.cuts[0].order.list_best(500) if result.key not in ranked)
    gates = {gate.name: gate for gate in explain_search(tenant.project, query, behind)}
    assert gates["candidates"].has_passed
    assert gates["relativity"].why["of"] == 500
