"""A client's project: its settings are read and changed as they are stored, not as a key was last looked up."""

from __future__ import annotations

from console.interfaces.mem0.parsing import SETTING
from tenancy.projects.projects import change_settings
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0


def get_path(tenant: Tenant) -> str:
    return f"/api/v1/orgs/organizations/{tenant.project.account_id}/projects/{tenant.project_id}/"


def test_what_another_process_changed_is_read_at_once_and_not_lost(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        assert mem0.ok("GET", get_path(tenant))["usecase"] is None  # the key is at hand from now on
        change_settings(tenant.project, SETTING, {"usecase": "tutoring"}, None)

        assert mem0.ok("GET", get_path(tenant))["usecase"] == "tutoring"
        change_settings(tenant.project, SETTING, {"usecase": "cooking"}, None)
        mem0.ok("PATCH", get_path(tenant), {"multilingual": True})

        project = mem0.ok("GET", get_path(tenant))
        assert (project["usecase"], project["multilingual"]) == ("cooking", True)


def test_of_two_templates_that_disagree_on_a_name_the_first_stands_in_the_profile(tenant: Tenant) -> None:
    trees = [{"Home": {"value": "x"}, "Job": {"Title": {"value": "nurse"}}}]
    trees += [{"Home": {"City": {"value": "Porto"}}, "Job": {"value": "y"}, "Pet": {"value": "Mog"}}]
    with tenant.api() as api, Mem0(tenant) as mem0:
        api.add("kim", "I like green tea.")
        for tree in trees:
            made = api.data("add/profile_template", {"name": "One", "metadata": tree})
            api.data("bind/profile_template", {"bind_list": [{"user_id": "kim", "agent_id": None, **made}]})

        profile = mem0.ok("GET", "/v2/entities/user/kim/profile/")["profile"]

        assert profile == {"Home": "x", "Job": {"Title": "nurse"}, "Pet": "Mog"}
