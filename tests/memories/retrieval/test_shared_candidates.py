"""Knowledge bases of all sizes in a search: what is found by which way, and what it does not crowd out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connection, connections

from benchmarks.support.passages import passage
from memories.engine import get_embedder
from memories.models import CubeGrant, MemCube, Memory
from memories.retrieval.cache import snapshots
from memories.retrieval.cache.sampled_counts import surveys
from memories.retrieval.cache.snapshots import snapshots as kept
from memories.retrieval.candidates import selection, vector_index
from memories.retrieval.explain_search import explain_search
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.ranking.candidate_table import Frequencies
from memories.retrieval.search import run_search, search_memories
from memories.values import OwnerKind, Subject
from tenancy.errors import MemoryUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.runtime.ttl_cache import LockedTTLCache
from tests.support.api_client import Api, Tenant
from tests.support.knowledge.shared_bases import POLICY, fill, get_cube, new_base

KIM = Subject(OwnerKind.END_USER, "kim")
TRAVEL = "Travel policy\n\nFlights are booked through the travel desk a week ahead."
RARE = "Parental leave\n\nParents apply with Form 27-B at the registry, which is open on Thursdays."


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bases count as large from three passages on, and are searched by the index from five on."""
    monkeypatch.setattr(snapshots, "SCORE_ALL", 2)
    monkeypatch.setattr(selection, "EXACT_UP_TO", 4)


def near(vector: list[float], count: int) -> list[list[float]]:
    """Vectors about as far from this one as other passages on its topic."""
    random = np.random.default_rng(7)
    noise = random.standard_normal((count, len(vector)))
    moved = np.array(vector) + 0.3 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return list((moved / np.linalg.norm(moved, axis=1, keepdims=True)).tolist())


def crowd(tenant: Tenant, base: str, count: int, about: str) -> None:
    """Many passages that all lie near to a question about this."""
    vector = get_embedder().embed_passages([about])[0]
    fill(tenant, base, [passage(number) for number in range(count)], near(vector, count))


def texts(project: Project, question: str, *bases: str, **options: Any) -> list[str]:
    hits = search_memories(project, SearchQuery(KIM, question, knowledge_bases=bases, **options))
    return [hit.memory.text for hit in hits]


def ways(project: Project, question: str, *bases: str) -> list[str]:
    query = SearchQuery(KIM, question, knowledge_bases=bases)
    return list(run_search(project, query).candidates.count_dropped(query)["bases_searched_by"])


def cube_key(tenant: Tenant, base: str) -> UUID:
    with tenant_scope(tenant.project):
        key: UUID = get_cube(tenant, base).pk
        return key


def test_a_small_base_is_kept_once_for_all_its_readers(tenant: Tenant, api: Api) -> None:
    base = new_base(tenant, POLICY)
    api.add("lou", "I live in Porto.")
    first = texts(tenant.project, "What is the limit for office software?", base)
    snapshot = kept.get((cube_key(tenant, base),))

    other = Subject(OwnerKind.END_USER, "lou")
    query = SearchQuery(other, "What is the limit for office software?", knowledge_bases=(base,))
    hits = search_memories(tenant.project, query)

    assert snapshot is not None
    assert kept.get((cube_key(tenant, base),)) is snapshot
    assert [hit.memory.text for hit in hits] == first == [POLICY]
    assert hits[0].base == base


def test_a_change_of_a_base_is_seen_by_the_next_search(tenant: Tenant) -> None:
    base = new_base(tenant, POLICY)
    asked = "What is the limit for office software?"
    assert "800" in texts(tenant.project, asked, base)[0]

    with tenant_scope(tenant.project):
        mine = Memory.objects.within(get_cube(tenant, base))
        mine.update(text=POLICY.replace("800", "600"), words="procur limit offic softwar 600 yuan")

    assert "600" in texts(tenant.project, asked, base)[0]


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(("count", "way"), [(1, "all"), (3, "meaning: exact"), (8, "meaning: index")])
def test_the_size_of_a_base_decides_how_it_is_searched(tenant: Tenant, count: int, way: str) -> None:
    base = new_base(tenant, POLICY, *[passage(number) for number in range(count - 1)])

    assert ways(tenant.project, "What is the limit for office software?", base)[0] == way
    assert POLICY in texts(tenant.project, "What is the limit for office software?", base)


def test_small_bases_are_scored_whole_until_together_they_are_too_large(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "SCORE_ALL", 3)
    bases = [new_base(tenant, TRAVEL, POLICY), new_base(tenant, POLICY), new_base(tenant, RARE, TRAVEL)]

    methods = ways(tenant.project, "Which form do parents need?", *bases)

    assert methods[:2] == ["all", "all"]
    assert methods[2] == "meaning: exact"
    assert RARE in texts(tenant.project, "Which form do parents need?", *bases)
    assert ways(tenant.project, "Which form do parents need?", bases[2]) == ["all"]


@pytest.mark.usefixtures("large")
def test_a_passage_is_found_by_the_index_among_other_tenants_that_lie_nearer(
    tenant: Tenant, stranger: Tenant
) -> None:
    question = "Which form do parents need?"
    theirs = new_base(stranger)
    crowd(stranger, theirs, 400, question)
    base = new_base(tenant, RARE, POLICY, TRAVEL, *[passage(number) for number in range(4)])

    assert "meaning: index" in ways(tenant.project, question, base)
    assert texts(tenant.project, question, base)[0] == RARE


@pytest.mark.usefixtures("large")
def test_a_passage_is_found_among_more_nearer_ones_of_others_than_the_index_goes_through(
    tenant: Tenant, stranger: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "Which form do parents need?"
    # Without sorting, the planner has to go by the index, as it does in a table of a large installation.
    few = "SET LOCAL hnsw.ef_search = 10; SET LOCAL hnsw.iterative_scan = off; SET LOCAL enable_sort = off"
    monkeypatch.setattr(selection, "_INDEX_SETTINGS", few)
    monkeypatch.setattr(selection, "BEST_BY_WORDS", 0)
    crowd(stranger, new_base(stranger), 60, question)
    base = new_base(tenant, RARE, POLICY, TRAVEL, *[passage(number) for number in range(4)])

    assert "meaning: index, then exact" in ways(tenant.project, question, base)
    assert texts(tenant.project, question, base)[0] == RARE


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("question", ["Form 27-B", "Where do I hand in form 27-B?", "27-B"])
def test_a_rare_number_is_found_by_its_words_where_meaning_points_elsewhere(
    tenant: Tenant, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "BEST_BY_MEANING", 20)
    base = new_base(tenant)
    crowd(tenant, base, 60, question)
    away = get_embedder().embed_passages(["The cat sleeps on the sofa."])
    fill(tenant, base, [RARE], away)

    query = SearchQuery(KIM, question, knowledge_bases=(base,), relativity=0.0)
    findings = run_search(tenant.project, query)

    assert "words: all" in findings.candidates.count_dropped(query)["bases_searched_by"]
    with tenant_scope(tenant.project):
        key = Memory.objects.within(get_cube(tenant, base)).get(text=RARE).pk
    assert key in findings.candidates


def test_common_words_are_looked_for_beside_rarer_ones_only() -> None:
    known = Frequencies(100_000, np.array([40_000.0, 30_000.0, 900.0, 50.0]))

    wanted = selection.build_words_query(["limit", "softwar", "27", "qx"], known)

    assert wanted is not None
    assert [
        text for text in ("limit softwar", "27 limit", "softwar 27 polici", "qx") if holds(text, wanted)
    ] == [
        "softwar 27 polici",
        "qx",
    ]
    assert (
        selection.build_words_query(["limit", "softwar"], Frequencies(100_000, np.array([4e4, 3e4]))) is None
    )


def holds(text: str, wanted: Any) -> bool:
    sql, parameters = Memory.objects.within([]).query.get_compiler("default").compile(wanted)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT to_tsvector('simple', %s) @@ ({sql})", [text, *parameters])
        return bool(cursor.fetchone()[0])


@pytest.mark.usefixtures("large")
def test_without_an_index_the_answer_is_exact_and_the_trace_says_so(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_index, "_is_valid", lambda *_: False)
    monkeypatch.setattr(vector_index, "_found", LockedTTLCache[str, bool](1, 60.0))
    base = new_base(tenant, RARE, POLICY, *[passage(number) for number in range(4)])

    assert "meaning: exact" in ways(tenant.project, "Which form do parents need?", base)
    assert texts(tenant.project, "Which form do parents need?", base)[0] == RARE


@pytest.mark.usefixtures("large")
def test_a_filter_narrows_a_large_base(tenant: Tenant) -> None:
    from memories.retrieval.queries.filters import parse_filter

    base = new_base(tenant, *[passage(number) for number in range(8)])
    fill(tenant, base, [RARE], tags=["leave"])
    narrowed = parse_filter({"knowledgebase": {"and": [{"tags": {"contains": "leave"}}]}})

    memory_texts = texts(tenant.project, "What is the limit?", base, narrowed=narrowed, relativity=0.0)

    assert memory_texts == [RARE]


def test_the_index_for_the_default_model_is_there_from_the_start() -> None:
    assert vector_index.has_index(get_embedder().name)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_indexdef(%s::regclass)", [vector_index.build_index_name(get_embedder().name)]
        )
        definition = cursor.fetchone()[0]
    assert "hnsw" in definition
    assert get_embedder().name in definition


def test_what_is_known_of_the_user_is_not_crowded_out(tenant: Tenant, api: Api) -> None:
    api.add(
        "kim", "I am a designer in the Creative Platform Department.", "I like green tea.", "I have a dog."
    )
    question = "What is the limit for office software?"
    base = new_base(tenant)
    crowd(tenant, base, 60, question)

    memory_texts = texts(tenant.project, question, base, relativity=0.0, preferences=0)

    assert len(memory_texts) == 9
    assert sum("user" in text.lower() and "handbook" not in text for text in memory_texts) >= 2
    assert any("Creative Platform" in text for text in memory_texts)


def test_own_memories_that_do_not_pass_take_no_place(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I like green tea.", "I have a dog.")
    question = "What is the limit for office software?"
    base = new_base(tenant)
    crowd(tenant, base, 60, question)

    memory_texts = texts(tenant.project, question, base, preferences=0)

    assert not any("dog" in text for text in memory_texts)


def test_why_a_passage_is_not_recalled(tenant: Tenant, stranger: Tenant) -> None:
    base = new_base(tenant, POLICY, TRAVEL)
    with tenant_scope(tenant.project):
        key = Memory.objects.within(get_cube(tenant, base)).get(text=POLICY).pk

    def closed(question: str, *bases: str) -> list[str]:
        gates = explain_search(tenant.project, SearchQuery(KIM, question, knowledge_bases=bases), key)
        return [gate.name for gate in gates if gate.has_passed is False]

    assert closed("What is the limit for office software?", base) == []
    assert closed("What is the limit for office software?") == ["owner"]
    assert closed("Who won the match last night?", base) == ["relativity"]
    with pytest.raises(MemoryUnknown):
        explain_search(stranger.project, SearchQuery(KIM, "What is the limit?"), key)
    with tenant_scope(tenant.project):
        CubeGrant.objects.within(tenant.project).delete()
    with pytest.raises(MemoryUnknown):
        explain_search(tenant.project, SearchQuery(KIM, "What is the limit?"), key)


@pytest.mark.usefixtures("large")
def test_why_a_passage_is_no_candidate_of_a_large_base(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "BEST_BY_MEANING", 5)
    monkeypatch.setattr(selection, "BEST_BY_WORDS", 1)
    base = new_base(tenant)
    crowd(tenant, base, 30, "Who won the match?")
    (key,) = fill(tenant, base, [RARE])

    gates = explain_search(
        tenant.project, SearchQuery(KIM, "Who won the match?", knowledge_bases=(base,)), key
    )

    assert [gate.name for gate in gates if gate.has_passed is False] == ["candidates"]


def test_a_survey_says_how_common_words_are(tenant: Tenant) -> None:
    base = new_base(tenant, POLICY, TRAVEL, RARE)
    with tenant_scope(tenant.project):
        survey = surveys.take(get_cube(tenant, base).pk)

    assert survey.rows == 3
    assert survey.rows_with("polici") == 2
    assert 0 < survey.rows_with("zebra") < 1


def test_nothing_is_found_where_nothing_is_granted(tenant: Tenant, stranger: Tenant) -> None:
    new_base(stranger, POLICY)

    assert texts(tenant.project, "What is the limit for office software?", "all", relativity=0.0) == []
    with tenant_scope(tenant.project):
        assert not MemCube.every.filter(project=None).exists()
