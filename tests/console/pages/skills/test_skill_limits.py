"""What the pages of skills refuse: more than the plan stores, and versions that are not kept."""

from __future__ import annotations

import re
from typing import cast

from django.http import HttpResponse

from memories.models import MemCube, Memory
from memories.values import MemoryKind
from skills.spaces.spaces import create_space, exclude_skill, include_skill, list_skills
from skills.values import SkillState
from tenancy.isolation.scoping import tenant_scope
from tenancy.storage.counts import count_stored_bytes
from tests.support.accounts.people import sign_in_owner
from tests.support.accounts.plans import give_plan
from tests.support.accounts.storage import get_account_id
from tests.support.api_client import Api, Tenant
from tests.support.console.skill_pages import list_project_skills, made_skill, skill_text
from tests.support.skills.travellers import INTENSE, tell, wait_until_generated


def test_two_skills_are_not_merged_where_the_plan_has_no_room_for_the_files_of_both(tenant: Tenant) -> None:
    give_plan(tenant, storage_megabytes=1)
    notes = {f"notes-{number}.txt": "x" * 99_000 for number in range(6)}
    stays, goes = made_skill(tenant, "Greeting"), made_skill(tenant, "Farewell", files=notes)
    before = count_stored_bytes(get_account_id(tenant))
    sent = {"with": str(goes.pk), "files": "yes", "seen": "1", "text": skill_text("Greeting and farewell")}

    answer = sign_in_owner(tenant).post(f"/p/{tenant.project_id}/skills/{stays.pk}/merge/", sent)

    assert answer.status_code == 422
    assert "would be stored" in answer.content.decode()
    skills = {skill.title: (skill.version, skill.state) for skill in list_project_skills(tenant)}
    assert skills == {"Greeting": (1, SkillState.ACTIVE), "Farewell": (1, SkillState.ACTIVE)}
    assert count_stored_bytes(get_account_id(tenant)) == before


def test_a_version_that_was_deleted_with_a_memory_is_neither_found_nor_offered(
    tenant: Tenant, api: Api
) -> None:
    tell(tenant, api, "kim", INTENSE)
    with tenant_scope(tenant.project):
        rows = Memory.objects.within(MemCube.objects.within(tenant.project)).exclude(kind=MemoryKind.SKILL)
        unwanted = [str(row.pk) for row in rows if "cultural" in row.text]
    api.data("delete/memory", {"memory_ids": unwanted})
    wait_until_generated(tenant)
    (skill,) = list_project_skills(tenant)
    client, page = sign_in_owner(tenant), f"/p/{tenant.project_id}/skills/{skill.pk}/"

    old, versions = client.get(f"{page}?version=1"), client.get(f"{page}?tab=versions&old=1").content.decode()

    assert skill.version == 2
    assert old.status_code == 404
    assert "<option" not in versions
    assert re.search(r'Versions <span class="count">1</span>', versions)
    assert set(re.findall(r"Version (\d)", versions)) == {"2"}
    assert client.get(page).status_code == 200


def test_a_skill_is_not_given_the_name_of_another_one_of_its_learning_space(tenant: Tenant) -> None:
    changed, other = made_skill(tenant, "Greeting"), made_skill(tenant, "Farewell")
    apart = made_skill(tenant, "Farewell")
    space = create_space(tenant.project, None, None)
    for skill in (changed, other):
        include_skill(tenant.project, space.pk, skill.pk)
    client, page = sign_in_owner(tenant), f"/p/{tenant.project_id}/skills/{changed.pk}/"

    def rename(name: str, seen: int) -> HttpResponse:
        sent = {"text": skill_text(name), "seen": str(seen), "reason": ""}
        return cast(HttpResponse, client.post(f"{page}edit/", sent))

    refused = rename("Farewell", seen=1)
    assert refused.status_code == 422
    assert "learning space of this skill has another skill of that name" in refused.content.decode()
    assert rename("Welcome", seen=1).status_code == 302
    exclude_skill(tenant.project, space.pk, other.pk)
    assert rename("Farewell", seen=2).status_code == 302
    assert rename("Hello", seen=3).status_code == 302
    include_skill(tenant.project, space.pk, apart.pk)
    restored = client.post(f"{page}versions/3/restore/", {})
    assert "learning space of this skill has another skill of that name" in restored.content.decode()
    names = [skill.name for skill in list_skills(tenant.project, space.pk).rows]
    assert sorted(names[2:]) == ["Farewell", "Hello"]


NUMBERS = {
    "hexadecimal": "0x" + "f" * 4_000,
    "to base sixty": "1" + ":59" * 2_000,
    "octal": "0" + "7" * 6_000,
    "decimal": "9" * 4_300,
    "infinite": ".inf",
    "none": ".nan",
}


def test_a_skill_with_a_number_of_any_length_is_read_and_edited(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    for kind, number in NUMBERS.items():
        text = f"---\nname: visits {kind}\ndescription: Visits\nx: {number}\n---\n\n# Visits\n"
        skill = made_skill(tenant, text=text)
        page = f"/p/{tenant.project_id}/skills/{skill.pk}/"
        assert [client.get(page + part).status_code for part in ("", "edit/")] == [200, 200], kind
        edited = {"text": text + "Ring twice.\n", "seen": "1", "reason": ""}
        assert client.post(page + "preview/", edited).status_code == 200, kind
        assert client.post(page + "edit/", edited).status_code == 302, kind
