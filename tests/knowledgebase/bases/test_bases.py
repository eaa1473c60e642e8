"""Knowledge bases belong to the account: linked to projects, limited by the plan, and outliving each project."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connections

from knowledgebase.bases.bases import (
    create_base,
    delete_base,
    edit_base,
    link_base,
    list_account_bases,
    list_linked_bases,
    load_base,
    lock_base,
    unlink_base,
)
from knowledgebase.bases.limits import GIGABYTE, get_bytes_allowed, release_space, reserve_space
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.uploads.add_files import FileUpload, Uploader, add_files
from knowledgebase.values import FileState, FileType
from memories.files import storage
from memories.models import CubeGrant, Task
from memories.values import TaskKind
from tenancy.errors import CatalogueError, KnowledgeBaseNotLinked, KnowledgeBaseUnknown, PlanLimitReached
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import create_key
from tenancy.models import Plan, Project, User
from tests.support.api_client import Api, Tenant
from tests.support.knowledge.knowledge import fetch_files, filled_base, new_base, upload, wait_for_files
from tests.support.tasks.deletions import delete_and_wait

POLICY = b"# Travel\n\nA night in a hotel may cost 120 euros.\n"


@pytest.fixture
def second(tenant: Tenant) -> Project:
    return Project.objects.create(account=tenant.project.account, name="second")


@pytest.fixture
def seconds_api(tenant: Tenant, second: Project) -> Iterator[Api]:
    with tenant.api(create_key(second, "second").plaintext) as client:
        yield client


def names(project: Project) -> list[str]:
    with tenant_scope(project):
        return sorted(base.name for base in list_linked_bases(project))


def linked_projects(base: KnowledgeBase) -> list[UUID]:
    """Read in the account's scope: a project sees only its own grants."""
    with tenant_scope(Scope(base.account_id, None)):
        grants = CubeGrant.objects.within(Project.objects.filter(account=base.account_id))
        return list(grants.filter(cube=base.cube_id).values_list("project", flat=True))


def hotels(api: Api, base: str) -> list[str]:
    facts = api.facts("kim", "What may a hotel cost?", knowledgebase_ids=[base], relativity=0)
    return [fact for fact in facts if "120" in fact]


def test_a_base_is_linked_to_the_project_that_makes_it_and_to_no_other(
    tenant: Tenant, second: Project
) -> None:
    base = create_base(tenant.project, "Policies", "Ours", User.objects.get(email=tenant.email))

    assert load_base(tenant.project, base.public_id) == base
    assert linked_projects(base) == [tenant.project.pk]
    assert (names(tenant.project), names(second)) == (["Policies"], [])
    with pytest.raises(KnowledgeBaseNotLinked):
        load_base(second, base.public_id)


def test_a_linked_base_is_searched_and_an_unlinked_one_is_not(
    tenant: Tenant, api: Api, second: Project, seconds_api: Api
) -> None:
    base = filled_base(api, {"travel.md": POLICY})

    link_base(second, load_base(tenant.project, base))
    link_base(second, load_base(tenant.project, base))  # once is enough
    assert hotels(seconds_api, base)
    assert len(linked_projects(load_base(second, base))) == 2

    unlink_base(second, load_base(second, base))
    refused = seconds_api.call("search/memory", {"user_id": "kim", "query": "x", "knowledgebase_ids": [base]})
    assert refused.json()["code"] == 50123
    assert hotels(api, base)
    with pytest.raises(KnowledgeBaseNotLinked):
        unlink_base(second, load_base(tenant.project, base))


def test_a_base_of_another_account_cannot_be_linked(tenant: Tenant, stranger: Tenant) -> None:
    base = create_base(tenant.project, "Policies")

    with pytest.raises(KnowledgeBaseUnknown):
        link_base(stranger.project, base)
    with pytest.raises(KnowledgeBaseNotLinked):
        unlink_base(stranger.project, base)
    assert len(linked_projects(base)) == 1


def test_a_base_has_another_name_afterwards(tenant: Tenant) -> None:
    base = create_base(tenant.project, "Policies")

    edit_base(base, "Rules", "For all")

    again = load_base(tenant.project, base.public_id)
    assert (again.name, again.description, base.name) == ("Rules", "For all", "Rules")


def test_a_deleted_base_is_gone_for_every_project_at_once_and_then_wholly(
    tenant: Tenant, api: Api, second: Project, seconds_api: Api
) -> None:
    name = filled_base(api, {"travel.md": POLICY})
    base = load_base(tenant.project, name)
    link_base(second, base)

    delete_base(tenant.project, base)

    for project, client in ((tenant.project, api), (second, seconds_api)):
        asked = {"user_id": "kim", "query": "hotel", "knowledgebase_ids": [name]}
        assert client.call("search/memory", asked).json()["code"] == 50123
        assert names(project) == []
        with pytest.raises(KnowledgeBaseUnknown):
            load_base(project, name)
        with pytest.raises(KnowledgeBaseUnknown):
            link_base(project, base)
    with pytest.raises(KnowledgeBaseUnknown):
        delete_base(tenant.project, base)
    task = Task.objects.within(tenant.project).get(kind=TaskKind.PURGE)
    assert api.wait_until_done(str(task.pk)) == "completed"
    with tenant_scope(tenant.project):
        assert not KnowledgeBase.objects.within(tenant.project.account).exists()
        assert not KnowledgeFile.objects.within(tenant.project.account).exists()
    assert not [
        folder for folder in storage.list_folders("knowledge") if folder.holder == base.pk and folder.keys
    ]


def test_a_deleted_base_makes_room_for_another(tenant: Tenant) -> None:
    account = tenant.project.account
    account.plan = Plan.objects.create(
        code=uuid4().hex[:12],
        name="One",
        rank=91,
        knowledge_bases=1,
        knowledge_base_gigabytes=1,
        requests_per_second=50,
    )
    account.save()
    base = create_base(tenant.project, "Policies")
    with pytest.raises(PlanLimitReached, match="1 knowledge bases"):
        create_base(tenant.project, "More")

    delete_base(tenant.project, base)

    create_base(tenant.project, "More")


def test_a_smaller_plan_deletes_nothing_and_takes_nothing_more(tenant: Tenant, api: Api) -> None:
    name = filled_base(api, {"travel.md": POLICY})
    account = tenant.project.account
    account.plan = Plan.objects.create(
        code=uuid4().hex[:12],
        name="None",
        rank=92,
        knowledge_bases=0,
        knowledge_base_gigabytes=0,
        requests_per_second=500,
    )
    account.save()

    body = {"knowledgebase_id": name, "file": [{"content": "https://example.org/a.md"}]}
    for path, sent in (
        ("add/knowledgebase-file", body),
        ("create/knowledgebase", {"knowledgebase_name": "x"}),
    ):
        answer = api.call(path, sent)
        assert (answer.status_code, answer.json()["code"]) == (400, 40304)
        assert "delete" in answer.json()["message"]
    assert hotels(api, name)
    assert len(fetch_files(api, name)) == 1


def test_bases_and_their_files_outlive_a_project(
    tenant: Tenant, api: Api, second: Project, seconds_api: Api
) -> None:
    linked, alone = (filled_base(api, {"travel.md": POLICY}, name) for name in ("linked", "alone"))
    link_base(second, load_base(tenant.project, linked))
    other = load_base(tenant.project, alone)

    delete_and_wait(tenant.project, User.objects.get(email=tenant.email))

    assert hotels(seconds_api, linked)
    (file,) = fetch_files(seconds_api, linked)
    assert file["status"] == "completed"
    with tenant_scope(second):
        row = KnowledgeFile.objects.within(second.account_id).get(base__public_id=linked)
        assert row.through is None
        with storage.open_stored(row.storage_key) as content:
            assert content.read() == POLICY
    assert linked_projects(other) == []
    with tenant_scope(second.account):
        assert {base.name for base in list_account_bases(second.account)} == {"linked", "alone"}
    link_base(second, other)
    assert hotels(seconds_api, alone)


def test_the_bytes_of_a_base_are_counted(tenant: Tenant, api: Api) -> None:
    name = filled_base(api, {"travel.md": POLICY})

    assert load_base(tenant.project, name).bytes_used == len(POLICY)


def test_no_more_than_allowed_is_stored_at_the_same_time(tenant: Tenant) -> None:
    base = create_base(tenant.project, "Policies")
    allowed = get_bytes_allowed(tenant.project.account_id)
    part = allowed // 4 + 1

    def take(_: int) -> bool:
        try:
            with tenant_scope(tenant.project):
                reserve_space(lock_base(base), part)
        except PlanLimitReached:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(8))) == 3
    with tenant_scope(tenant.project):
        assert lock_base(base).bytes_used == 3 * part
        release_space(lock_base(base), 3 * part)
        assert lock_base(base).bytes_used == 0
    assert allowed % GIGABYTE == 0


def stored(base: KnowledgeBase, content: bytes, name: str) -> storage.StoredFile:
    return storage.store_file(base, "knowledge", [content], name)


def bring(tenant: Tenant, base: KnowledgeBase, *uploads: FileUpload) -> list[KnowledgeFile]:
    return add_files(tenant.project, base, uploads, Uploader(key_hint="mpg-…"))


def document(base: KnowledgeBase, content: bytes, name: str = "") -> FileUpload:
    return FileUpload(name, FileType.DOCUMENT, stored(base, content, name), "")


def test_the_same_name_is_a_new_version_of_the_same_type(tenant: Tenant) -> None:
    base = create_base(tenant.project, "Policies")
    (first,) = bring(tenant, base, document(base, POLICY, "a.md"))
    skill = FileUpload("a.md", FileType.SKILL, stored(base, POLICY + b"skill", "a.md"), "")

    (second, other, third) = bring(
        tenant, base, document(base, POLICY + b"2", "a.md"), skill, document(base, POLICY + b"3", "a.md")
    )

    assert (second.replaces, other.replaces, third.replaces) == (first, None, second)


def test_files_without_a_name_replace_none(tenant: Tenant) -> None:
    base = create_base(tenant.project, "Policies")

    files = bring(tenant, base, document(base, POLICY), document(base, POLICY + b"2"))

    assert [file.replaces_id for file in files] == [None, None]


def test_an_address_is_a_new_version_of_what_came_from_it_and_not_of_what_is_called_alike(
    tenant: Tenant,
) -> None:
    base = create_base(tenant.project, "Policies")
    urls = ["https://example.org/a/readme.md", "https://example.org/b/readme.md"]

    def fetched(url: str, name: str = "") -> FileUpload:
        return FileUpload(name, FileType.DOCUMENT, None, url)

    first, other, again = bring(tenant, base, *map(fetched, [*urls, urls[0]]))
    (named,) = bring(tenant, base, fetched("https://example.org/c", "readme.md"))

    assert [file.name for file in (first, other, again, named)] == ["readme.md"] * 4
    assert (other.replaces, again.replaces, named.replaces) == (None, first, None)


def test_what_a_newer_version_is_about_to_replace_is_no_reason_to_drop_an_upload(tenant: Tenant) -> None:
    base = create_base(tenant.project, "Policies")
    (first,) = bring(tenant, base, document(base, POLICY, "a.md"))
    (second,) = bring(tenant, base, document(base, POLICY + b"2", "a.md"))
    with tenant_scope(tenant.project):
        KnowledgeFile.objects.within(base.account_id).filter(pk=second.pk).update(state=FileState.PARSING)

    (third,) = bring(tenant, base, document(base, POLICY, "a.md"))

    assert third.pk not in {first.pk, second.pk}
    assert third.replaces == second


def test_a_failed_file_that_comes_again_is_processed_again(tenant: Tenant, api: Api) -> None:
    base = new_base(api)
    (item,) = upload(api, base, {"broken.pdf": b"%PDF-1.4 of nothing"})
    assert wait_for_files(api, base)[0]["status"] == "failed"

    (again,) = upload(api, base, {"broken.pdf": b"%PDF-1.4 of nothing"})

    assert (again["id"], again["status"]) == (item["id"], "running")
    assert wait_for_files(api, base)[0]["status"] == "failed"
    with tenant_scope(tenant.project):
        assert KnowledgeFile.objects.within(tenant.project.account).get().runs == 2


def test_nothing_is_added_to_a_base_that_was_taken_away_meanwhile(tenant: Tenant) -> None:
    base = create_base(tenant.project, "Policies")
    upload_of_it = document(base, POLICY, "a.md")
    unlink_base(tenant.project, base)

    with pytest.raises(CatalogueError) as refusal:
        bring(tenant, base, upload_of_it)
    assert refusal.type is KnowledgeBaseNotLinked
    delete_base(tenant.project, base)
    with pytest.raises(KnowledgeBaseUnknown):
        bring(tenant, base, upload_of_it)
