"""Skills of an end user go with everything else that is known of that person."""

from __future__ import annotations

from memories.cubes.access import provide_cube
from memories.lifecycle.erase_subject import erase_subject
from memories.models import Memory
from memories.values import MemoryKind, OwnerKind, Subject
from skills.catalogue.write import NewSkill, create_skill, embed_skill, parse_skill_text
from skills.models import Skill
from skills.packages.files import NewFile
from skills.packages.ownership import SkillOwner
from skills.values import SkillOrigin
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.skills.packages import SKILL_MD


def store_skill(project: Project, user: str) -> Skill:
    text = parse_skill_text(SKILL_MD)
    vector = embed_skill(text)
    with tenant_scope(project):
        owner = SkillOwner.of_cube(provide_cube(project, Subject(OwnerKind.END_USER, user)))
        files = [NewFile.of_text("SKILL.md", SKILL_MD)]
        return create_skill(NewSkill(owner, text, files, SkillOrigin.GENERATED, "worker", "grown"), vector)


def test_a_deleted_users_skills_are_gone_and_nobody_elses(tenant: Tenant) -> None:
    project = tenant.project
    kims, lous = store_skill(project, "kim"), store_skill(project, "lou")

    erase_subject(project, Subject(OwnerKind.END_USER, "kim"))

    with tenant_scope(project):
        left = set(Skill.objects.within(project.account_id).values_list("pk", flat=True))
        memories = Memory.objects.within([kims.cube_id, lous.cube_id]).filter(kind=MemoryKind.SKILL)
        assert set(memories.values_list("pk", flat=True)) == {lous.memory_id}
    assert left == {lous.pk}


def test_the_skill_of_one_user_is_not_recalled_for_another(tenant: Tenant) -> None:
    store_skill(tenant.project, "kim")

    with tenant.api() as api:
        asked = {"query": "A customer wants to return headphones", "include_skill": True}
        kims = api.data("search/memory", {"user_id": "kim", **asked})["skill_detail_list"]
        lous = api.data("search/memory", {"user_id": "lou", **asked})["skill_detail_list"]

    assert [item["skill_value"]["name"] for item in kims] == ["Customer Return Processing"]
    assert lous == []
