"""A search answers from what its process kept, and never from what is no longer so."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.db import connection, connections

from memories.models import CubeChange, MemCube, Memory
from memories.retrieval.cache import snapshots as keeping
from memories.retrieval.cache.snapshots import snapshots
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import search_memories
from memories.values import OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Api, Tenant, message
from tests.support.tasks.many_memories import write_facts
from tests.support.waiting import let_time_pass, wait_until

KIM = Subject(OwnerKind.END_USER, "kim")
SAID = ["The user lives in Porto.", "The user works as a nurse.", "The user likes green tea."]


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


@pytest.fixture
def project(tenant: Tenant) -> Project:
    write_facts(tenant.project, KIM, *SAID)
    return tenant.project


def texts(project: Project, question: str, **options: object) -> list[str]:
    query = SearchQuery(KIM, question, **{"relativity": 0.0, **options})  # type: ignore[arg-type]
    return [hit.memory.text for hit in search_memories(project, query)]


def change(project: Project, about: str, **fields: object) -> None:
    with tenant_scope(project):
        mine = Memory.objects.within(MemCube.objects.within(project)).filter(text__contains=about)
        assert mine.update(**fields) == 1


def test_a_second_search_reads_no_row_of_the_cube(project: Project) -> None:
    first = texts(project, "Where do I live?")
    statements: list[str] = []

    def listen(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        statements.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(listen):
        assert texts(project, "Where do I live?") == first

    assert not [sql for sql in statements if "memories_memory" in sql]


def test_what_has_no_note_is_prepared_once_and_no_more(project: Project) -> None:
    """Such rows are read at each search; between searches, nobody reads them again and again."""
    with tenant_scope(project):
        CubeChange.objects.within(MemCube.objects.within(project)).delete()
    assert texts(project, "Where do I live?")

    def is_at_rest() -> bool:
        kept = snapshots.get(list_cube_keys(project))
        let_time_pass(0.3, "a snapshot that is made again and again is another one each time")
        return snapshots.get(list_cube_keys(project)) is kept

    wait_until(is_at_rest, 30)


def test_a_change_by_anybody_is_seen_by_the_next_search(project: Project) -> None:
    assert any("Porto" in text for text in texts(project, "Where do I live?"))

    change(project, "Porto", text="The user lives in Lisbon.")

    sentences = texts(project, "Where do I live?")
    assert any("Lisbon" in text for text in sentences)
    assert not any("Porto" in text for text in sentences)


def test_what_is_deleted_is_gone_from_the_next_search(project: Project, api: Api) -> None:
    assert any("Porto" in text for text in texts(project, "Where do I live?"))
    listed = api.data("get/memory", {"user_id": "kim", "page": 1, "size": 50})["memory_detail_list"]
    doomed = [item["id"] for item in listed if "Porto" in item["memory_value"]]

    api.data("delete/memory", {"memory_ids": doomed})

    assert not any("Porto" in text for text in texts(project, "Where do I live?"))
    assert "porto" not in kept(project).table.terms.vocabulary
    assert "nurs" in " ".join(kept(project).table.terms.vocabulary)


def test_what_is_archived_and_restored_goes_and_comes(project: Project) -> None:
    change(project, "Porto", status="archived")
    assert not any("Porto" in text for text in texts(project, "Where do I live?"))

    change(project, "Porto", status="activated")
    assert any("Porto" in text for text in texts(project, "Where do I live?"))


def test_what_is_added_is_found_at_once(project: Project, api: Api) -> None:
    assert not any("cat" in text for text in texts(project, "What is my cat called?"))

    api.add("kim", "My cat is called Miso.", async_mode=True)

    assert any("Miso" in text for text in texts(project, "What is my cat called?"))


def test_only_what_changed_is_read_again(project: Project) -> None:
    texts(project, "Where do I live?")
    change(project, "Porto", text="The user lives in Lisbon.")
    read: list[int] = []

    def listen(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        result = execute(sql, params, many, context)
        if "vector_send" in sql:
            read.append(context["cursor"].rowcount)
        return result

    with connection.execute_wrapper(listen):
        texts(project, "Where do I live?")

    assert read == [1]


def test_a_change_under_a_running_search_is_seen_by_the_one_after_it(project: Project) -> None:
    texts(project, "Where do I live?")
    stale = kept(project)

    change(project, "Porto", valid_until=datetime(2026, 1, 1, tzinfo=UTC))
    with snapshots.reading(list_cube_keys(project)) as reading:
        assert snapshots.put(reading, stale)  # as a slower search would, that read before the change

    assert not any("Porto" in text for text in texts(project, "Where do I live?"))


def test_what_other_users_said_is_never_in_the_same_snapshot(project: Project, api: Api) -> None:
    api.add("lee", "I live in Oslo.")
    texts(project, "Where do I live?")

    assert "porto" in kept(project).table.terms.vocabulary
    assert "oslo" not in kept(project).table.terms.vocabulary


def test_a_user_whose_words_are_forgotten_leaves_nothing_behind_after_the_next_search(
    project: Project, api: Api
) -> None:
    texts(project, "Where do I live?")
    assert len(kept(project))

    api.data("delete/memory", {"user_id": "kim"})

    assert texts(project, "Where do I live?") == []
    assert not len(kept(project))
    assert not kept(project).table.terms.vocabulary
    assert not kept(project).whole


def test_what_was_read_before_a_user_was_deleted_is_not_kept_after_it(project: Project, api: Api) -> None:
    """As by a slow search of another process, which is told of the deletion before it has read all."""
    texts(project, "Where do I live?")
    (cube,), read = list_cube_keys(project), kept(project)
    with snapshots.reading((cube,)) as reading:
        api.data("delete/memory", {"user_id": "kim"})
        wait_until(lambda: reading.is_stale)

        assert not snapshots.put(reading, read)
        snapshots.weigh_again((cube,), read)

    assert not snapshots.holding(cube)


def test_a_renewal_does_not_bring_back_what_was_dropped_before_it(project: Project) -> None:
    texts(project, "Where do I live?")
    (cube,) = list_cube_keys(project)
    with tenant_scope(project) as scope:
        keeping.renew_snapshot(scope, cube)

    snapshots.drop([cube])
    keeping.completion.store_all()

    assert not snapshots.holding(cube)


def test_one_account_with_many_large_owners_keeps_nobody_elses_waiting(
    tenant: Tenant, stranger: Tenant
) -> None:
    users = ("kim", "lee", "ann")
    owners = [(tenant, user) for user in users] + [(stranger, "kim")]
    for developer, user in owners:
        write_facts(developer.project, Subject(OwnerKind.END_USER, user), *SAID)
    keys = [list_cube_keys(developer.project, user) for developer, user in owners]

    for (developer, _), cubes in zip(owners, keys, strict=True):
        with tenant_scope(developer.project):
            keeping.prepare_snapshot(cubes)
    keeping.completion.store_all()
    wait_until(lambda: all(snapshots.get(cubes) for cubes in keys))

    read_at = [snapshot.read_at for cubes in keys if (snapshot := snapshots.get(cubes))]
    assert read_at[0] < read_at[3] < read_at[1] < read_at[2]


def test_what_is_searched_again_after_it_was_dropped_is_kept_anew(project: Project) -> None:
    texts(project, "Where do I live?")
    (cube,) = list_cube_keys(project)
    snapshots.drop([cube])

    assert any("Porto" in text for text in texts(project, "Where do I live?"))
    assert len(kept(project))


def test_a_talk_that_goes_on_between_searches_stays_exact(project: Project, api: Api) -> None:
    for number, city in enumerate(["Oslo", "Lima", "Kyoto"]):
        api.add("kim", message("user", f"I moved to {city}."), conversation_id=f"move {number}")
        sentences = texts(project, "Where do I live now?", relativity=0.45)
        assert any(city in text for text in sentences)


def test_what_was_not_committed_changes_nothing(project: Project) -> None:
    texts(project, "Where do I live?")
    before = kept(project)

    with pytest.raises(Reconsidered):
        change_and_reconsider(project, "Porto", text="The user lives in Lisbon.")

    texts(project, "Where do I live?")
    assert kept(project) is before


def test_what_no_search_can_see_leaves_the_snapshot_as_it_is(project: Project) -> None:
    change(project, "nurse", status="archived")
    texts(project, "Where do I live?")
    before = kept(project)

    change(project, "nurse", text="The user works as a baker.")

    texts(project, "Where do I live?")
    assert kept(project).table is before.table


def test_each_of_two_changes_of_one_transaction_is_seen_by_what_follows_it(project: Project) -> None:
    with tenant_scope(project):
        change(project, "Porto", text="The user lives in Lisbon.")
        assert any("Lisbon" in text for text in texts(project, "Where do I live?"))
        change(project, "Lisbon", text="The user lives in Faro.")
        assert any("Faro" in text for text in texts(project, "Where do I live?"))


def test_two_who_write_at_once_do_not_wait_and_are_both_seen(project: Project) -> None:
    texts(project, "Where do I live?")
    with tenant_scope(project):
        change(project, "Porto", text="The user lives in Lisbon.")
        with ThreadPoolExecutor(1) as other:
            other.submit(aside, change, project, "nurse", text="The user works as a baker.").result(
                timeout=120
            )
            sentences = other.submit(aside, texts, project, "Where do I live and work?").result(timeout=120)
            assert any("baker" in text for text in sentences)
            assert any("Porto" in text for text in sentences)

    sentences = texts(project, "Where do I live and work?")
    assert any("baker" in text for text in sentences)
    assert any("Lisbon" in text for text in sentences)


def test_however_often_a_cube_is_written_to_few_notes_of_it_are_kept(project: Project) -> None:
    for city in ["Oslo", "Lima", "Kyoto"]:
        with tenant_scope(project):
            Memory.objects.within(list_cube_keys(project)).filter(text__contains="live").update(title=city)

    assert count_notes(project) == 1


def test_the_notes_of_a_cube_go_with_it(project: Project) -> None:
    (cube,) = list_cube_keys(project)
    with tenant_scope(project):
        MemCube.objects.within(project).filter(pk=cube).delete()
        assert not CubeChange.objects.within(cube).exists()


class Reconsidered(Exception):
    """The transaction is not to be committed."""


def change_and_reconsider(project: Project, about: str, **fields: object) -> None:
    with tenant_scope(project):
        change(project, about, **fields)
        raise Reconsidered


def aside(work, *args, **options):  # type: ignore[no-untyped-def]
    """In another thread, and so by another connection."""
    try:
        return work(*args, **options)
    finally:
        connections.close_all()


def count_notes(project: Project) -> int:
    with tenant_scope(project):
        return CubeChange.objects.within(list_cube_keys(project)).count()


def list_cube_keys(project: Project, user: str = "kim") -> tuple[UUID, ...]:
    with tenant_scope(project):
        cubes = MemCube.objects.within(project).filter(owner_id=user)
        return tuple(cubes.values_list("pk", flat=True))


def kept(project: Project):  # type: ignore[no-untyped-def]
    snapshot = snapshots.get(list_cube_keys(project))
    assert snapshot is not None
    return snapshot
