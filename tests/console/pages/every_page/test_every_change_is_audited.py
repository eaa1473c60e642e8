"""Every address of the console that changes something writes one entry into the audit log, and no more.

A page that is new and can be posted to fails here until its line says how it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.embedded.stack import Stack
from console.pages.account.audit.audit_actions import FACTS
from memories.models import MemCube
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, User
from tests.support.accounts.people import new_person, sign_in, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.acts import (
    ALL,
    KEY,
    PROVIDER,
    Body,
    Scene,
    of_accepting,
    of_archived,
    of_asking,
    of_associating,
    of_base,
    of_changed_skill,
    of_conversation,
    of_copy,
    of_correction,
    of_edited_memory,
    of_end_user,
    of_excluding,
    of_feedback,
    of_file,
    of_including,
    of_invitation,
    of_key,
    of_learning,
    of_leaving,
    of_linking,
    of_machine,
    of_many_skills,
    of_member,
    of_memories,
    of_memory,
    of_named,
    of_no_longer_asking,
    of_other_project,
    of_package,
    of_person,
    of_provider,
    of_sample_data,
    of_section,
    of_session,
    of_session_elsewhere,
    of_skill,
    of_space,
    of_transfer,
    of_trashed,
    of_two_skills,
    of_unlinking,
    of_upload,
)
from tests.support.console.addresses import Address
from tests.support.console.bulk_acts import of_job, of_job_over, of_task, of_view
from tests.support.console.review_acts import of_marked_search, of_pair, of_recall_test, of_shared_request
from tests.support.console.skill_pages import skill_text
from tests.support.tenants import make_tenant

ACTS: dict[str, Callable[[Scene], Body]] = {
    "quickstart_key": lambda _: {},
    "quickstart_run_add": lambda _: {},
    "quickstart_run_search": lambda _: {},
    "api_key_new": lambda _: KEY,
    "api_keys_revoke_all": of_named("project"),
    "api_key_edit": of_key(KEY),
    "api_key_rotate": of_key({"overlap": "1h"}),
    "api_key_end_overlap": of_key({}),
    "api_key_revoke": of_key({"confirmed": "yes"}),
    "api_key_leaked": of_key({"confirmed": "yes"}),
    "bulk_order": of_memories,
    "bulk_cancel": of_job,
    "bulk_undo": of_job_over,
    "view_save": lambda _: {"name": "Cities", "filter": "q=city"},
    "view_delete": of_view,
    "memory_delete": of_memory({"confirmed": "yes"}),
    "memory_edit": of_memory({"text": "The user lives in Porto.", "seen": "1"}),
    "memory_restore_version": of_edited_memory,
    "memory_status": of_memory({"confirmed": "yes"}, move="freeze"),
    "knowledge_new": lambda _: {"name": "Manuals"},
    "knowledge_associate": of_associating,
    "knowledge_edit": of_base({"name": "Rules", "description": "All of them."}),
    "knowledge_upload": of_upload,
    "knowledge_address": of_base({"url": "https://files.example.invalid/a.pdf"}),
    "knowledge_tell": of_base({"words": "Parking is paid for by the driver."}),
    "knowledge_file_again": of_file,
    "knowledge_file_delete": of_file,
    "knowledge_link": of_linking,
    "knowledge_unlink": of_unlinking,
    "knowledge_delete": of_base({"typed": "Policies"}),
    "settings_section": of_section,
    "health_keep": of_pair,
    "health_unkeep": of_pair,
    "log_share": of_shared_request,
    "recall_test_new": of_marked_search,
    "recall_test_delete": of_recall_test,
    "log_share_revoke": of_shared_request,
    "task_retry": of_task("failed"),
    "tasks_retry": of_task("failed"),
    "task_cancel": of_task("queued"),
    "trash_restore": of_trashed({}),
    "trash_purge": of_trashed({"typed": "1"}),
    "project_new": lambda _: {"name": "staging"},
    "project_edit": of_other_project({"name": "production"}),
    "project_archive": of_other_project({}),
    "sample_remove": of_sample_data,
    "project_restore": of_archived,
    "project_delete": of_other_project({"typed": ""}),
    "model_provider": lambda _: PROVIDER,
    "model_provider_delete": of_provider,
    "member_leave": of_member({}),
    "member_roles": of_member({"role": "viewer"}),
    "member_remove": of_member({"revoke_keys": "yes"}),
    "account_transfer": of_transfer,
    "second_factor_ask": of_asking,
    "second_factor_stop": of_no_longer_asking,
    "account_settings": lambda _: {"name": "Acme Labs"},
    "usage": lambda _: {"thresholds": ["50"]},
    "account_delete": of_named("account"),
    "audit_verify": lambda _: {},
    "audit_export": lambda _: {"format": "jsonl"},
    "invitation_new": lambda _: {"emails": f"{uuid4().hex}@example.org", "role": "viewer", "days": "7"},
    "invitation_again": of_invitation,
    "invitation_revoke": of_invitation,
    "me": lambda _: {"first_name": "Ana", "last_name": "Silva"},
    "sessions_end": lambda _: {},
    "session_end": of_session_elsewhere,
    "skill_edit": of_skill({"text": skill_text("Farewell"), "seen": "1"}),
    "skill_move": of_skill({}, move="archive"),
    "skill_delete": of_skill({}),
    "space_new": lambda _: {"user": "kim", "meta": "{}"},
    "space_delete": of_space({}),
    "space_learn": of_learning,
    "space_include": of_including,
    "space_exclude": of_excluding,
    "session_new": lambda _: {"user": "kim", "tracks": "on"},
    "session_delete": of_session({}),
    "session_configs": of_session({"configs": '{"language": "en"}'}),
    "space_edit": of_space({"meta": '{"team": "travel"}'}),
    "space_meta": of_space({"meta": '{"team": "travel"}'}),
    "spaces_person_delete": of_person,
    "user_delete": of_end_user,
    "conversation_memories_delete": of_conversation,
    "conversation_feedback": of_feedback,
    "conversation_reextract": of_conversation,
    "skill_upload": of_package,
    "skills_bulk": of_many_skills,
    "skill_restore": of_changed_skill,
    "skill_merge": of_two_skills,
    "skill_copy": of_copy,
    "settings_skills": lambda _: {"skills-approval": "on"},
    "reextraction": lambda _: {"reextract-mode": "apply"},
    "settings_tasks": lambda _: {"tasks-task_success_criteria": "The customer says thank you."},
    "knowledge_revert": of_correction,
    "invitation": of_accepting,
    "login_delete": of_leaving,
    "device": of_machine,
}
# Posted to without changing anything: a choice of language, a preview, a question to a model, a search.
NOTHING = {
    "set_language",
    "skill_preview",
    "model_provider_try",
    "playground",
    "playground_stream",
    "recall_tests_run",
}
# Their stories are longer than a post: the tests of their pages look for the entry.
ELSEWHERE = {
    "billing_choose",
    "billing_cancel",
    "billing_resume",
    "billing_portal",
    "plan_application_cancel",
    "sample_add",
}


# Their scenes stand beside each other in one account: an account for each would cost more than the change.
SIDE_BY_SIDE = """
    quickstart_key api_key_new api_key_edit api_key_rotate api_key_end_overlap api_key_revoke
    api_key_leaked view_save settings_section settings_skills settings_tasks project_new model_provider
    member_roles member_remove member_leave account_settings usage audit_verify audit_export invitation
    invitation_new invitation_again invitation_revoke login_delete me sessions_end session_end
    session_new session_delete session_configs skill_edit skill_move skill_delete skill_restore
    skill_merge skills_bulk space_new space_delete space_learn space_include space_exclude space_edit
    space_meta device
""".split()


@pytest.fixture(scope="module")
def shared(stack: Stack) -> Tenant:
    return make_tenant(stack)


@pytest.fixture
def scene(request: pytest.FixtureRequest, name: str) -> Scene:
    return Scene(request.getfixturevalue("shared" if name in SIDE_BY_SIDE else "tenant"))


def entries(scene: Scene) -> int:
    """Those of people and keys: what a worker goes on to do with the change has entries of its own."""
    with tenant_scope(scene.account):
        return int(AuditEvent.objects.within(scene.account).exclude(actor_kind="worker").count())


@pytest.mark.parametrize("name", ACTS)
def test_it_writes_one_entry(scene: Scene, name: str) -> None:
    client = scene.client()
    body = ACTS[name](scene)
    if name == "member_leave":
        client = sign_in(User.objects.get(pk=scene.known["member_id"]))
    if "acting" in scene.known:
        client = sign_in(scene.known["acting"])
    before = entries(scene)

    answer = client.post(ALL[name].path(**scene.known), body)

    assert answer.status_code in {200, 302}, answer.content.decode()[:2_000]
    assert entries(scene) == before + 1
    with tenant_scope(scene.account):
        written = AuditEvent.objects.within(scene.account).exclude(actor_kind="worker").latest("created_at")
    assert written.detail.keys() - {"before", "after"} <= FACTS.keys()  # each has words on the audit page


def test_every_address_that_can_be_posted_to_is_listed(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    listed = ACTS.keys() | NOTHING | ELSEWHERE

    names = {
        address.name
        for address in ALL.values()
        if address.name not in listed and takes_posts(address, client, tenant)
    }

    assert names == set()
    assert ALL.keys() >= listed


def takes_posts(address: Address, client: Client, tenant: Tenant) -> bool:
    """Asked with an empty form about made-up objects, so that nothing happens."""
    known: dict[str, Any] = {"account_id": tenant.project.account_id}
    if "account_id" not in address.parameters:
        known["project_id"] = tenant.project.pk
    return client.post(address.path(**known)).status_code != 405


def test_accepting_an_invitation_and_deleting_a_login_are_one_entry_each(tenant: Tenant) -> None:
    scene, person = Scene(tenant), new_person()
    token = scene.with_invitation(person.email)
    theirs = sign_in(person)
    before = entries(scene)

    theirs.post(f"/invite/{token}/")
    joined = entries(scene)
    theirs.post("/me/delete/", {"typed": person.email})

    assert (joined, entries(scene)) == (before + 1, before + 2)


def test_no_entry_holds_what_somebody_said(tenant: Tenant) -> None:
    scene = Scene(tenant)
    client = scene.client()
    client.post(
        ALL["memory_delete"].path(**{**scene.known, "memory_id": scene.with_memory()}), {"confirmed": "yes"}
    )

    with tenant_scope(scene.account):
        details = [str(event.detail) for event in AuditEvent.objects.within(scene.account)]
        left = MemCube.objects.within(scene.project).count()
    assert left
    assert not any("Lisbon" in detail for detail in details)
