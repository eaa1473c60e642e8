"""Skills that teams write themselves: uploaded into a knowledge base, recalled with everything else, taken away."""

from __future__ import annotations

import io
import zipfile
from typing import Any
from uuid import UUID

import httpx
import pytest

from knowledgebase.bases.bases import load_base
from knowledgebase.models import KnowledgeBase
from memories.files import storage
from skills.catalogue.downloads import build_signed_url
from skills.models import Skill
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.expect import refused
from tests.support.knowledge.knowledge import fetch_file, new_base, upload, wait_for_files
from tests.support.servers.file_server import FileServer, send
from tests.support.skills.packages import SKILL_MD, build_package, zipped
from tests.support.waiting import LIMIT, wait_until

LAMPS = b"---\nname: Lamps\ndescription: How to polish brass lamps\n---\n\nRub them with a soft cloth.\n"
QUESTION = "The user wants to return headphones bought three days ago"


def skills(api: Api, base: str, query: str = QUESTION, **options: Any) -> list[dict[str, Any]]:
    body = {"user_id": "kim", "query": query, "knowledgebase_ids": [base], "include_skill": True, **options}
    return list(api.data("search/memory", body)["skill_detail_list"])


def base_with(api: Api, files: dict[str, bytes]) -> str:
    base = new_base(api, "Service")
    upload(api, base, files, type="skill")
    (ended,) = wait_for_files(api, base)
    assert ended["status"] == "completed", ended
    return base


def test_an_uploaded_skill_is_recalled_with_its_sections_and_a_link(api: Api) -> None:
    base = base_with(api, {"customer-return-sop.md": SKILL_MD.encode()})

    (skill,) = skills(api, base)

    assert skill["relativity"] >= 0.45
    assert skill["skill_type"] == "SkillMemory"
    value = skill["skill_value"]
    assert value["name"] == "Customer Return Processing"
    assert "Offer pickup first" in value["procedure"]
    assert value["experience"] == ["Fresh food is not taken back"]
    assert value["preference"] == ["Refund to the card that paid"]
    answer = httpx.get(skill["skill_url"], follow_redirects=False, timeout=LIMIT)
    assert (answer.status_code, answer.text) == (200, SKILL_MD)
    assert 'filename="SKILL.md"' in answer.headers["content-disposition"]
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_nobody_gets_skills_who_did_not_ask_for_them(api: Api) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})

    assert skills(api, base, include_skill=False) == []
    assert skills(api, base, skill_limit_number=0) == []


def test_a_question_about_something_else_brings_no_skill(api: Api) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})

    assert skills(api, base, "What is the weather like on Mars?") == []


def test_a_package_is_taken_away_as_an_archive_of_its_files(api: Api) -> None:
    base = base_with(
        api, {"returns.zip": build_package({"scripts/check.py": "print(1)", "assets/a.bin": b"\0\xff"})}
    )

    (skill,) = skills(api, base)

    archive = zipfile.ZipFile(io.BytesIO(httpx.get(skill["skill_url"], timeout=LIMIT).content))
    assert archive.namelist() == ["SKILL.md", "assets/a.bin", "scripts/check.py"]
    assert archive.read("assets/a.bin") == b"\0\xff"


def test_a_later_package_of_the_same_name_is_the_next_version(api: Api, developer: Tenant) -> None:
    base = base_with(api, {"returns.zip": build_package({"old.txt": "old"})})
    before = skills(api, base)[0]["skill_id"]

    upload(
        api,
        base,
        {"returns.zip": zipped({"SKILL.md": SKILL_MD.replace("pickup", "a courier")})},
        type="skill",
    )
    wait_for_files(api, base)

    (memory,) = skills(api, base)
    assert memory["skill_id"] == before
    assert "Offer a courier first" in memory["skill_value"]["procedure"]
    with tenant_scope(developer.project):
        skill = Skill.objects.within(developer.project.account_id).get(pk=before)
        kept = [(file.path, file.since, file.until) for file in skill.files.all()]
    assert skill.version == 2
    assert sorted(kept) == [("SKILL.md", 1, 1), ("SKILL.md", 2, None), ("old.txt", 1, 1)]


def test_the_next_version_of_a_package_may_spell_its_skill_md_otherwise(api: Api) -> None:
    base = base_with(api, {"returns.zip": build_package({"old.txt": "old"})})

    upload(
        api,
        base,
        {"returns.zip": zipped({"skill.md": SKILL_MD.replace("pickup", "a courier")})},
        type="skill",
    )
    (ended,) = wait_for_files(api, base)

    assert (ended["status"], ended["reason"]) == ("completed", "")
    (skill,) = skills(api, base)
    assert "Offer a courier first" in skill["skill_value"]["procedure"]
    assert (
        'filename="SKILL.md"' in httpx.get(skill["skill_url"], timeout=LIMIT).headers["content-disposition"]
    )


def test_a_deleted_file_takes_its_skill_along(api: Api) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})
    (skill,) = skills(api, base)
    (file,) = wait_for_files(api, base)

    api.data("delete/knowledgebase-file", {"file_ids": [file["id"]]})

    assert skills(api, base) == []
    assert httpx.get(skill["skill_url"], timeout=LIMIT).status_code == 404


def test_a_skill_of_a_base_is_not_deleted_as_a_memory(api: Api) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})
    (skill,) = skills(api, base)
    api.add("kim", "I live in Lisbon.")
    (fact,) = api.search("kim", "Where does the user live?")["memory_detail_list"]

    refused(
        api.call("delete/memory", {"memory_ids": [fact["id"], skill["id"]]}),
        40000,
        "delete that file",
        status=409,
    )

    assert [result["id"] for result in skills(api, base)] == [skill["id"]]
    assert api.search("kim", "Where does the user live?")["memory_detail_list"] != []


def test_processing_a_file_again_restores_the_skill_that_a_member_deleted_from_searches(
    api: Api, developer: Tenant
) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})
    (skill,), (file,) = skills(api, base), wait_for_files(api, base)
    console, project = sign_in_owner(developer), f"/p/{developer.project_id}"
    assert console.post(f"{project}/memories/{UUID(skill['id'])}/delete/").status_code == 302
    assert skills(api, base) == []

    assert console.post(f"{project}/knowledge/{base}/files/{file['id']}/again/").status_code == 302
    wait_for_files(api, base)

    assert [result["skill_id"] for result in skills(api, base)] == [skill["skill_id"]]


def test_what_a_package_unpacks_to_counts_against_the_plan(api: Api, developer: Tenant) -> None:
    base = base_with(api, {"returns.zip": build_package({"assets/zeros.bin": b"\0" * 5_000_000})})
    assert bytes_used(developer, base) > 5_000_000

    (file,) = wait_for_files(api, base)
    api.data("delete/knowledgebase-file", {"file_ids": [file["id"]]})

    assert bytes_used(developer, base) == 0


def test_an_address_that_now_serves_the_skill_of_another_file_loses_its_own(
    api: Api, developer: Tenant, files: FileServer
) -> None:
    served = [SKILL_MD.encode()]
    url = files.does("returns.md", lambda request: send(request, 200, served[0]))
    base = new_base(api, "Service")
    upload(api, base, {"": url, "lamps.md": LAMPS}, type="skill")
    wait_for_files(api, base)

    served[0] = LAMPS
    upload(api, base, {"": url}, type="skill")
    ended = wait_for_files(api, base)

    assert [(file["name"], file["status"]) for file in ended] == [
        ("returns.md", "completed"),
        ("lamps.md", "completed"),
    ]
    assert skills(api, base) == []
    assert [skill["skill_value"]["name"] for skill in skills(api, base, "Polish brass lamps")] == ["Lamps"]
    api.data("delete/knowledgebase-file", {"file_ids": [file["id"] for file in ended]})
    assert bytes_used(developer, base) == 0


def bytes_used(developer: Tenant, base: str) -> int:
    with tenant_scope(developer.project):
        return int(KnowledgeBase.objects.within(developer.project.account_id).get(public_id=base).bytes_used)


def test_a_link_opens_nothing_once_the_base_is_unlinked(api: Api) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})
    (skill,) = skills(api, base)

    api.data("delete/knowledgebase", {"knowledgebase_id": base})

    assert httpx.get(skill["skill_url"], timeout=LIMIT).status_code == 404


def test_a_deleted_base_leaves_no_stored_file_of_its_skills(api: Api, developer: Tenant) -> None:
    base = base_with(api, {"returns.zip": build_package({"assets/a.bin": b"\0\xff"})})
    cube = load_base(developer.project, base).cube_id

    def list_stored_keys() -> list[str]:
        return [
            key for folder in storage.list_folders("skills") if folder.holder == cube for key in folder.keys
        ]

    assert len(list_stored_keys()) == 1

    answer = sign_in_owner(developer).post(
        f"/p/{developer.project_id}/knowledge/{base}/delete/", {"typed": "Service"}
    )

    assert answer.status_code == 302
    wait_until(lambda: list_stored_keys() == [])


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("returns.zip", build_package({"../evil": "x"}), "leave out `..`"),
        ("returns.zip", zipped({"a/SKILL.md": SKILL_MD, "b": "b"}), "first level"),
        ("returns.md", b"# Returns\n\nNo front matter here.", "name"),
    ],
)
def test_a_bad_package_fails_with_the_rule_that_it_breaks(
    api: Api, name: str, content: bytes, rule: str
) -> None:
    base = new_base(api, "Service")
    (sent,) = upload(api, base, {name: content}, type="skill")
    wait_for_files(api, base)

    ended = fetch_file(api, sent["id"])
    assert ended["status"] == "failed"
    assert rule in ended["reason"]
    assert skills(api, base) == []


def test_a_link_that_nobody_signed_or_that_is_over_opens_nothing(api: Api, developer: Tenant) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})
    (memory,) = skills(api, base)
    with tenant_scope(developer.project):
        skill = Skill.objects.within(developer.project.account_id).get(pk=memory["skill_id"])
    url = memory["skill_url"]

    for forged in (
        url[:-2] + "xx",
        build_signed_url(skill, "../SKILL.md", through=developer.project.pk),
        url.rpartition("/")[0] + "/x",
    ):
        answer = httpx.get(forged, timeout=LIMIT)
        assert (answer.status_code, answer.json()["code"]) == (404, 40001)


def test_another_account_never_sees_the_skill(api: Api, strangers_api: Api) -> None:
    base = base_with(api, {"returns.md": SKILL_MD.encode()})

    answer = strangers_api.call(
        "search/memory",
        {"user_id": "kim", "query": QUESTION, "knowledgebase_ids": [base], "include_skill": True},
    )

    assert answer.json()["code"] == 50123
