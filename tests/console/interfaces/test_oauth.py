"""A hosted assistant registers itself, is let in by a member, and reaches one project over MCP with tokens."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connections
from django.utils import timezone

from console.interfaces.oauth.adapter import is_safe_redirect
from tests.support.accounts.oauth import REDIRECT, Application
from tests.support.api_client import Api, Tenant
from tests.support.clients.mcp_client import Assistant
from tests.support.waiting import LIMIT, wait_until


@pytest.fixture
def application(tenant: Tenant) -> Iterator[Application]:
    application = Application(tenant)
    yield application
    application.close()


def test_a_refused_request_leads_to_the_server_that_issues_tokens(application: Application) -> None:
    refused = application.http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    match = re.search(r'resource_metadata="([^"]+)"', refused.headers["WWW-Authenticate"])

    assert match
    resource = application.http.get(urlsplit(match[1]).path).json()
    server = application.metadata()

    assert resource["authorization_servers"] == [server["issuer"]]
    assert resource["resource"] == f"{server['issuer']}/mcp"
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert set(resource["scopes_supported"]) == {"read", "write", "delete", "knowledge"}
    assert {
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "revocation_endpoint",
    } <= set(server)


def test_a_member_lets_an_application_in(application: Application, api: Api) -> None:
    tokens = application.let_in()
    assistant = Assistant(application.tenant.url, tokens["access_token"])

    assistant.data(
        "add_message",
        conversation_first_message="hello",
        messages=[{"role": "user", "content": "I live in Porto."}],
    )

    # The member is the user, where the application names none.
    wait_until(lambda: api.facts(application.tenant.email, "Where does the user live?") != [])


def test_the_consent_page_names_the_application_the_project_and_what_it_may(application: Application) -> None:
    application.register_once()
    application.sign_in()

    page = application.consent_page()

    assert "Pocket helper" in page.text
    assert application.tenant.project_id in page.text
    assert "Search and read memories" in page.text
    assert "http://127.0.0.1:9" in page.headers["Content-Security-Policy"]


def test_who_is_not_signed_in_signs_in_first(application: Application) -> None:
    application.register_once()

    page = application.consent_page()

    assert page.status_code == 302
    assert page.headers["Location"].startswith("/accounts/login/")


def test_a_member_who_refuses_sends_the_application_away(application: Application) -> None:
    application.register_once()
    application.sign_in()

    answer = application.consent(application.consent_page(), action="cancel")

    assert parse_qs(urlsplit(answer.headers["Location"]).query) == {
        "error": ["access_denied"],
        "state": ["s1"],
    }


def test_a_token_may_only_what_was_granted(application: Application) -> None:
    tokens = application.let_in(scopes=["read"])
    assistant = Assistant(application.tenant.url, tokens["access_token"])

    assert assistant.data("get_memories")["memory_detail_list"] == []
    assert "write scope" in assistant.refusal(
        "add_message", conversation_first_message="x", messages=[{"role": "user", "content": "x"}]
    )


def test_a_project_of_somebody_else_cannot_be_granted(application: Application, stranger: Tenant) -> None:
    application.register_once()
    application.sign_in()

    answer = application.consent(application.consent_page(), project=stranger.project_id)

    assert answer.status_code == 200
    assert "Select a valid choice" in answer.text


def test_a_token_is_good_for_mcp_only(application: Application) -> None:
    tokens = application.let_in()

    with application.tenant.api(tokens["access_token"]) as api:
        answers = [
            api.call("search/memory", {"user_id": "kim", "query": "x"}),
            api.get(f"{application.tenant.url}/v1/models"),
            api.get(f"{application.tenant.url}/v1/entities/"),
            api.get(f"{application.tenant.url}/api/v1/agent_skills"),
        ]

    assert [answer.status_code for answer in answers] == [401] * 4


def test_a_refreshed_token_works_and_the_refresh_token_works_once(application: Application) -> None:
    tokens = application.let_in()
    again = {
        "grant_type": "refresh_token",
        "refresh_token": tokens["refresh_token"],
        "client_id": application.client_id,
    }

    fresh = application.http.post("/identity/o/api/token", data=again).json()
    repeated = application.http.post("/identity/o/api/token", data=again)

    assert Assistant(application.tenant.url, fresh["access_token"]).data("list_skills")["items"] == []
    assert repeated.status_code == 400


@pytest.mark.parametrize("how", ["token", "key", "login"])
def test_access_ends_when_it_is_revoked(application: Application, how: str) -> None:
    from allauth.idp.oidc.models import Token

    from tenancy.keys.keys import revoke_key
    from tenancy.models import Membership, OAuthGrant

    tokens = application.let_in()
    grant = OAuthGrant.objects.select_related("key").get(user__email=application.tenant.email)
    if how == "token":
        body = {"token": tokens["access_token"], "client_id": application.client_id}
        application.http.post("/identity/o/api/revoke", data=body).raise_for_status()
        assert not Token.objects.by_value(tokens["access_token"]).exists()
    elif how == "key":
        revoke_key(grant.key)
    else:
        Membership.objects.filter(user=grant.user).delete()

    answer = application.http.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={
            "Authorization": f"Bearer {tokens['access_token']}",
            "Accept": "application/json, text/event-stream",
        },
    )

    assert answer.status_code == 401


def test_a_later_grant_replaces_the_one_before(application: Application) -> None:
    from tenancy.models import ApiKey

    first = application.let_in()
    application.verifier = secrets.token_urlsafe(48)
    second = application.tokens(application.consent(application.consent_page(), scopes=["read"])).json()
    keys = ApiKey.objects.filter(project=application.tenant.project_id, name="Pocket helper (OAuth)")

    assert keys.filter(revoked_at=None).count() == 1
    for tokens in (first, second):  # both speak for the grant that holds now
        assistant = Assistant(application.tenant.url, tokens["access_token"])
        assert "write scope" in assistant.refusal(
            "add_message", conversation_first_message="x", messages=[{"role": "user", "content": "x"}]
        )


def test_a_double_click_grants_once(application: Application) -> None:
    from allauth.idp.oidc.models import Client

    from console.interfaces.oauth.grants import grant_access
    from tenancy.models import ApiKey, OAuthGrant, User

    application.register_once()
    user = User.objects.get(email=application.tenant.email)
    client, project = Client.objects.get(pk=application.client_id), application.tenant.project

    def click() -> None:
        try:
            grant_access(user, client, project, ["read"])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as hands:
        for future in [hands.submit(click) for _ in range(3)]:
            future.result(LIMIT)

    assert OAuthGrant.objects.filter(user=user).count() == 1
    keys = ApiKey.objects.filter(project=project, name="Pocket helper (OAuth)")
    assert keys.filter(revoked_at=None).count() == 1


@pytest.mark.parametrize(
    "changed", [{"code_challenge": None}, {"code_challenge_method": "plain"}, {"code_challenge_method": None}]
)
def test_an_application_without_a_proof_of_its_code_is_refused(
    application: Application, changed: dict[str, Any]
) -> None:
    application.register_once()
    application.sign_in()

    assert application.consent_page(**changed).status_code == 400


@pytest.mark.parametrize("resource", ["https://elsewhere.example/mcp", "not a uri"])
def test_tokens_for_another_resource_are_not_issued(application: Application, resource: str) -> None:
    application.register_once()
    application.sign_in()

    page = application.consent_page(resource=resource)

    assert 'name="request"' not in page.text


def test_a_stolen_code_is_worth_nothing_without_its_proof(application: Application) -> None:
    application.register_once()
    application.sign_in()

    answer = application.tokens(application.consent(application.consent_page()), code_verifier="x" * 50)

    assert answer.status_code == 400


UNSAFE_REDIRECTS = [
    "http://elsewhere.example/callback",
    "javascript:alert(1)",
    "https://*.example/callback",
    "data:text/html,x",
    "https://b.example;sandbox/callback",
    "https://b.example,c.example/callback",
    "pocket://b;sandbox/callback",
]


def test_redirects_that_would_give_the_code_away_are_refused(application: Application) -> None:
    answer = application.register(redirect_uris=[REDIRECT, UNSAFE_REDIRECTS[0]])

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert not any(map(is_safe_redirect, UNSAFE_REDIRECTS))


def test_an_address_that_was_registered_before_writes_no_rule_of_its_own(application: Application) -> None:
    """Into the policy of the consent page: from a release that let such addresses in."""
    from allauth.idp.oidc.models import Client

    application.register().raise_for_status()
    application.sign_in()
    redirect = "https://b.example;sandbox/callback"
    client = Client.objects.get(pk=application.client_id)
    client.set_redirect_uris([redirect])
    client.save()

    page = application.consent_page(redirect_uri=redirect)

    assert "Pocket helper" in page.text
    assert "sandbox" not in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "body", [b"", b"x", b"[]", b'{"redirect_uris": "x"}', b'{"redirect_uris": [], "x": 1}']
)
def test_a_registration_that_is_none_is_refused(application: Application, body: bytes) -> None:
    answer = application.http.post("/identity/o/api/clients", content=body)

    assert answer.status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b'{"redirect_uris": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"redirect_uris": ["http://127.0.0.1:9/"], "client_name": "\\u0000"}',
        b'{"redirect_uris": ["http://127.0.0.1:9/"], "client_name": "\\ud800"}',
        b'{"redirect_uris": ["http://127.0.0.1:9/"], "x": {"\\u0000": 1}}',
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_a_registration_that_cannot_be_stored_is_refused(
    application: Application, body: bytes, kind: str
) -> None:
    answer = application.http.post("/identity/o/api/clients", content=body, headers={"Content-Type": kind})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert answer.json()["error_description"]


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        (
            "POST",
            "api/token",
            {"data": {"grant_type": "refresh_token", "client_id": "\0", "refresh_token": "x"}},
        ),
        (
            "POST",
            "api/token",
            {"data": {"grant_type": "refresh_token", "refresh_token": "x"}, "auth": ("a\0", "x")},
        ),
        ("POST", "api/token", {"params": {"client_id": "\0"}}),
        ("POST", "api/revoke", {"data": {"token": "x", "client_id": "\0"}}),
        ("POST", "api/revoke", {"files": {"token": (None, b"x"), "client_id": (None, b"\0")}}),
        ("GET", "authorize", {"params": {"client_id": "\0", "response_type": "code"}}),
        ("GET", "authorize", {"params": {"client_id": "x", "\0": "x"}}),
    ],
)
def test_a_parameter_that_cannot_be_stored_is_refused(
    application: Application, method: str, path: str, sent: dict[str, Any]
) -> None:
    answer = application.http.request(method, f"/identity/o/{path}", **sent)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert "NUL" in answer.json()["error_description"]


@pytest.mark.parametrize("token", ["x", "mpg-x", "é" * 10, "x" * 5000])
def test_a_token_that_is_none_is_refused(application: Application, token: str) -> None:
    answer = application.http.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={b"Authorization": f"Bearer {token}".encode()},
    )

    assert answer.status_code == 401


def test_registrations_that_nobody_used_and_old_tokens_are_deleted(application: Application) -> None:
    from allauth.idp.oidc.models import Client, Token

    from console.sign_in.oauth_retention import clear_oauth

    tokens = application.let_in()
    used = application.client_id
    application.register().raise_for_status()
    long_ago = timezone.now() - timedelta(days=3)
    Client.objects.filter(pk__in=[used, application.client_id]).update(created_at=long_ago)
    Token.objects.by_value(tokens["access_token"]).update(expires_at=long_ago)

    clear_oauth()

    assert Client.objects.filter(pk=used).exists()
    assert not Client.objects.filter(pk=application.client_id).exists()
    assert not Token.objects.by_value(tokens["access_token"]).exists()
    assert Token.objects.by_value(tokens["refresh_token"]).exists()
