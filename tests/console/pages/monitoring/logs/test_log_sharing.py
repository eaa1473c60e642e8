"""Requests shared without what was said: with members, and by public links that an owner allows."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import LogShare, Role
from tenancy.projects.log_sharing import allow_links
from tenancy.requests.delete_expired import clear_request_logs
from tests.support.accounts.people import add_member, browser, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.tasks.request_log import store_rows

ROW = {
    "request_id": "shown",
    "request_body": '{"user_id": "kim-private", "query": "a private question"}',
    "response_body": '{"code": 40002, "message": "private answer"}',
    "subject_id": "kim-private",
    "subjects": ["end_user:kim-private"],
    "code": 40002,
    "http_status": 400,
    "trace": [{"stage": "embed", "ms": 3.0, "at": 0.0, "note": {"model": "private-model"}}],
}


def get_path(tenant: Tenant) -> str:
    return f"/p/{tenant.project_id}/logs/shown/"


def shared(tenant: Tenant, client: Client | None = None) -> str:
    """The path of the public link that a member creates."""
    store_rows(tenant, ROW)
    allow_links(tenant.project, get_owner(tenant), allowed=True)
    member = client or sign_in_owner(tenant)
    member.post(get_path(tenant) + "share/")
    page = html.unescape(member.get(get_path(tenant)).content.decode())
    return re.findall(r'value="https?://[^/]+(/shared/requests/[^"]+)"', page)[0]


def test_anybody_with_the_link_sees_the_request_without_words_and_names(tenant: Tenant) -> None:
    path = shared(tenant)

    answer = browser().get(path)

    page = answer.content.decode()
    assert answer.status_code == 200
    assert "/search/memory" in page
    assert "Required field cannot be empty" in page
    assert "private" not in page
    assert answer["X-Robots-Tag"].startswith("noindex")
    assert 'name="robots" content="noindex' in page
    assert answer["Cache-Control"] == "no-store"
    assert str(tenant.project_id) not in page


def test_links_are_off_until_an_owner_allows_them(tenant: Tenant) -> None:
    store_rows(tenant, ROW)
    admin = sign_in(add_member(tenant.project.account, Role.ADMIN))
    switch = f"/p/{tenant.project_id}/settings/sharing/"

    assert "Public links are off." in admin.get(get_path(tenant)).content.decode()
    assert admin.post(get_path(tenant) + "share/").status_code == 403
    assert admin.post(switch, {"sharing-public_links": "on"}).status_code == 403
    assert sign_in_owner(tenant).post(switch, {"sharing-public_links": "on"}).status_code == 302
    assert browser().get(shared(tenant, admin)).status_code == 200


@pytest.mark.parametrize("end", ["revoked", "switched off", "expired", "log deleted", "other token"])
def test_a_link_that_ended_is_an_unknown_page(tenant: Tenant, end: str) -> None:
    path = shared(tenant)
    client = sign_in_owner(tenant)
    if end == "revoked":
        client.post(get_path(tenant) + "share/revoke/")
    if end == "switched off":
        client.post(f"/p/{tenant.project_id}/settings/sharing/", {})
        allow_links(tenant.project, get_owner(tenant), allowed=True)
    with tenant_scope(tenant.project):
        if end == "expired":
            LogShare.objects.within(tenant.project).update(expires_at=timezone.now())
        if end == "log deleted":
            from tenancy.models import RequestLog

            RequestLog.objects.within(tenant.project).filter(request_id="shown").delete()
    if end == "other token":
        path = path[:-3] + "AA/"

    assert browser().get(path).status_code == 404


def test_links_past_their_time_are_deleted(tenant: Tenant) -> None:
    shared(tenant)
    with tenant_scope(tenant.project):
        LogShare.objects.within(tenant.project).update(expires_at=timezone.now() - timedelta(minutes=1))

    clear_request_logs(type(tenant.project).objects.filter(pk=tenant.project_id))

    with tenant_scope(tenant.project):
        assert not LogShare.objects.within(tenant.project).exists()


def test_members_have_a_page_without_words_too(tenant: Tenant, stranger: Tenant) -> None:
    store_rows(tenant, ROW)
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))

    page = viewer.get(get_path(tenant) + "redacted/")

    assert page.status_code == 200
    assert "private" not in page.content.decode()
    assert viewer.post(get_path(tenant) + "share/").status_code == 403
    assert sign_in_owner(stranger).get(get_path(tenant) + "redacted/").status_code == 404
