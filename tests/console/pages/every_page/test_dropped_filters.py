"""Filters of a list that are not valid are named on it and left out, in every list."""

from __future__ import annotations

import html

import pytest

from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant

LISTS = {
    "memories": "/p/{project}/memories/?owner={value}",
    "users": "/p/{project}/users/?sort={value}",
    "conversations": "/p/{project}/conversations/?range={value}",
    "skills": "/p/{project}/skills/?state={value}",
    "logs": "/p/{project}/logs/?outcome={value}",
    "tasks": "/p/{project}/tasks/?status={value}",
    "audit": "/a/{account}/audit/?kind={value}",
}
SAID = "These filters are not valid and were left out:"


@pytest.mark.parametrize("name", LISTS)
def test_a_filter_that_is_not_valid_is_named_and_left_out(tenant: Tenant, api: Api, name: str) -> None:
    api.add("kim", "I live in Lisbon.")
    client, account = sign_in_owner(tenant), tenant.project.account_id

    def shown(value: str) -> str:
        path = LISTS[name].format(project=tenant.project_id, account=account, value=value)
        answer = client.get(path)
        assert answer.status_code == 200
        return html.unescape(answer.content.decode())

    dropped, usual = shown("made-up"), shown("")

    assert SAID in dropped
    assert "made-up" in dropped.partition(SAID)[2].partition("</p>")[0]
    assert "Nothing matches" not in dropped
    assert SAID not in usual
