"""axe-core on every page, filled, in both themes: nothing serious or critical.

One page of the browser loads each address once. The frame around the pages is looked at on the first of each area.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page

from console.embedded.stack import Stack
from tests.support.api_client import Api, Tenant
from tests.support.console.axe import Axe, source
from tests.support.console.browser import new_profile, sign_in
from tests.support.console.skill_pages import made_skill, space_with, talked, with_tasks
from tests.support.knowledge.knowledge import new_base
from tests.support.tenants import make_tenant

AREAS: dict[str, list[str]] = {
    "public": ["/", "/pricing/", "/docs/", "/docs/limits/"],
    "api": ["/docs/api/"],
    "project": [
        "P/",
        "P/quickstart/",
        "P/api-keys/",
        "P/api-keys/new/",
        "P/playground/",
        "P/settings/",
        "P/settings/#lifecycle",
        "P/settings/#provider",
    ],
    "memory": [
        "P/memories/",
        "P/memories/?open=MEMORY",
        "P/memories/trash/",
        "P/users/",
        "P/users/kim/",
        "P/users/kim/?tab=timeline",
        "P/conversations/",
        "P/health/",
    ],
    "monitoring": ["P/logs/", "P/tasks/", "A/usage/", "A/limits/", "A/audit/"],
    "skills": [
        "P/skills/",
        "P/skills/SKILL/",
        "P/spaces/",
        "P/spaces/SPACE/",
        "P/sessions/",
        "P/sessions/SESSION/",
    ],
    "knowledge": ["P/knowledge/", "P/knowledge/BASE/", "P/knowledge/BASE/?tab=settings"],
    "account": ["A/", "A/members/", "A/billing/", "A/settings/", "A/deletions/", "/me/", "/accounts/2fa/"],
}


@dataclass(frozen=True, slots=True)
class Filled:
    page: Page
    places: dict[str, str]
    axe: Axe

    def address(self, path: str) -> str:
        for name, value in self.places.items():
            path = path.replace(name, value)
        return path


@pytest.fixture(scope="module")
def filled(chromium_browser: Browser, console_url: str, stack: Stack) -> Iterator[Filled]:
    tenant = make_tenant(stack)
    with tenant.api() as api:
        places = _fill(tenant, api)
    with new_profile(chromium_browser, console_url, color_scheme="light", reduced_motion="reduce") as context:
        context.add_init_script(source())
        page = context.new_page()
        sign_in(page, tenant)
        yield Filled(page, places, Axe())


def _fill(tenant: Tenant, api: Api) -> dict[str, str]:
    api.add("kim", "I live in Lisbon. I like green tea.", {"role": "assistant", "content": "Noted."})
    api.search("kim", "Where do I live?")
    session = talked(tenant, "kim")
    with_tasks(tenant, session)
    return {
        "MEMORY": api.listed("kim")["memory_detail_list"][0]["id"],
        "SKILL": str(made_skill(tenant, "Weekend trips").pk),
        "SPACE": str(space_with(tenant, session, "Trips").pk),
        "SESSION": str(session.public_id),
        "BASE": new_base(api, "Policies", "What applies to all departments."),
        "P/": f"/p/{tenant.project_id}/",
        "A/": f"/a/{tenant.project.account_id}/",
    }


@pytest.mark.parametrize("area", AREAS)
def test_pages_have_no_serious_finding_in_either_theme(filled: Filled, area: str) -> None:
    problems, page = [], filled.page
    for number, path in enumerate(AREAS[area]):
        answer = page.goto(filled.address(path))
        # None where the fragment alone differs, which shows another part of the page.
        assert answer is None or answer.status == 200, path
        findings = filled.axe.grave_findings(page, without_frame=number > 0)
        problems += [f"{path} {finding}" for finding in findings]
    assert problems == []
