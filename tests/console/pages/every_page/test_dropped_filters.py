"""Filters of a list that are not valid are named on it and left out, in every list."""

from __future__ import annotations

import html

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


def test_a_filter_that_is_not_valid_is_named_and_left_out(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    client, account = sign_in_owner(tenant), tenant.project.account_id

    def shown(path: str, value: str) -> str:
        path = path.format(project=tenant.project_id, account=account, value=value)
        answer = client.get(path)
        assert answer.status_code == 200
        return html.unescape(answer.content.decode())

    for name, path in LISTS.items():
        dropped, usual = shown(path, "made-up"), shown(path, "")

        assert SAID in dropped, name
        assert "made-up" in dropped.partition(SAID)[2].partition("</p>")[0]
        assert "Nothing matches" not in dropped
        assert SAID not in usual
