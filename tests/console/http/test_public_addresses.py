"""Every address that is served without a key and without signing in: named here, with what a stranger gets there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.urls import get_resolver

from console.embedded.stack import Stack
from tenancy.api.base import ContractView

# By its pattern: an address to ask for, the status, and what the answer holds or where it leads.
PUBLIC: dict[str, tuple[str, int, str]] = {
    "api/docs/": ("/api/docs/", 200, "Engram API"),
    "docs/api/": ("/docs/api/", 200, "Engram API"),
    "docs/": ("/docs/", 200, "Documentation"),
    "docs/<slug:slug>/": ("/docs/made-up/", 404, "Page not found"),
    "docs/<path:file>.md": ("/docs/limits.md", 200, "# Limits"),
    "llms.txt": ("/llms.txt", 200, "/docs/api.md"),
    "openapi.json": ("/openapi.json", 200, '"openapi": "3.1.0"'),
    "^api(/|$)": ("/api/nowhere", 404, "Unknown API address"),
    "^(?:(?:api/mem0|v[23])(?:/|$)|v1$)": ("/v3/nowhere", 404, "Unknown API address"),
    "material/<str:token>": ("/material/made-up", 404, "this link is not valid"),
    "material/message/<str:token>": ("/material/message/made-up", 404, "this link is not valid"),
    "shared/requests/<str:token>/": ("/shared/requests/made-up/", 404, "Page not found"),
    "stripe/events": ("/stripe/events", 405, ""),
    "readyz": ("/readyz", 200, '"database": "ok"'),
    # OAuth: metadata, keys, and addresses that want a client's credentials in a POST.
    **{
        f".well-known/{name}": (f"/.well-known/{name}", 200, holds)
        for name, holds in (
            ("jwks.json", '"keys"'),
            ("openid-configuration", '"issuer"'),
            ("oauth-authorization-server", '"issuer"'),
            ("oauth-authorization-server/mcp", '"issuer"'),
            ("oauth-protected-resource", '"resource"'),
            ("oauth-protected-resource/mcp", '"resource"'),
        )
    },
    **{
        f"identity/o/api/{name}": (f"/identity/o/api/{name}", 405, "")
        for name in ("clients", "device/code", "revoke", "token")
    },
    "identity/o/api/userinfo": ("/identity/o/api/userinfo", 401, "invalid_token"),
    "identity/o/authorize": ("/identity/o/authorize", 400, "Access not possible"),
    "identity/o/device": ("/identity/o/device", 302, "/device/"),
    "identity/o/logout": ("/identity/o/logout", 302, "/"),
    ".well-known/security.txt": ("/.well-known/security.txt", 200, "Contact: "),
    "accounts/login/": ("/accounts/login/", 200, "Sign in to Engram"),
    "accounts/logout/": ("/accounts/logout/", 302, "/"),
    "accounts/inactive/": ("/accounts/inactive/", 200, "Login disabled"),
    "accounts/signup/": ("/accounts/signup/", 200, "Create your account"),
    "accounts/confirm-email/": ("/accounts/confirm-email/", 200, "Check your mail"),
    "accounts/password/reset/": ("/accounts/password/reset/", 200, "Reset your password"),
    "accounts/^confirm-email/(?P<key>[-:\\w]+)/$": (
        "/accounts/confirm-email/made-up/",
        200,
        "This link no longer works",
    ),
    "accounts/password/reset/key/done/": ("/accounts/password/reset/key/done/", 200, "Password changed"),
    "accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": (
        "/accounts/password/reset/key/1-made-up/",
        200,
        "This link no longer works",
    ),
    "accounts/password/reset/done/": ("/accounts/password/reset/done/", 200, "Check your mail"),
    "accounts/3rdparty/login/cancelled/": ("/accounts/3rdparty/login/cancelled/", 200, "Sign-in cancelled"),
    "accounts/3rdparty/login/error/": ("/accounts/3rdparty/login/error/", 401, "Third-Party Login Failure"),
    "accounts/social/login/cancelled/": (
        "/accounts/social/login/cancelled/",
        301,
        "/accounts/3rdparty/login/cancelled/",
    ),
    "accounts/social/login/error/": ("/accounts/social/login/error/", 301, "/accounts/3rdparty/login/error/"),
    "accounts/social/signup/": ("/accounts/social/signup/", 301, "/accounts/3rdparty/signup/"),
    "accounts/social/connections/": ("/accounts/social/connections/", 301, "/accounts/3rdparty/"),
    "": ("/", 200, "Your AI application, with a memory."),
    "pricing/": ("/pricing/", 200, "Plans"),
    "invite/<str:token>/": ("/invite/made-up/", 404, "This link is not valid"),
    "language/": ("/language/", 302, "/"),
    "console/_styleguide/": ("/console/_styleguide/", 404, "Page not found"),
    "files/<str:signed>/": ("/files/made-up/", 404, "Page not found"),
}
# Those that lead to the sign-in page.
ENTRANCES: dict[str, str] = {
    "accounts/2fa/totp/deactivate/": "/accounts/2fa/totp/deactivate/",
    "accounts/2fa/webauthn/keys/<int:pk>/remove/": "/accounts/2fa/webauthn/keys/987654321/remove/",
    "accounts/reauthenticate/": "/accounts/reauthenticate/",
    "accounts/email/": "/accounts/email/",
    "accounts/password/change/": "/accounts/password/change/",
    "accounts/password/set/": "/accounts/password/set/",
    "accounts/login/code/confirm/": "/accounts/login/code/confirm/",
    "accounts/2fa/": "/accounts/2fa/",
    "accounts/2fa/authenticate/": "/accounts/2fa/authenticate/",
    "accounts/2fa/reauthenticate/": "/accounts/2fa/reauthenticate/",
    "accounts/2fa/totp/activate/": "/accounts/2fa/totp/activate/",
    "accounts/2fa/recovery-codes/": "/accounts/2fa/recovery-codes/",
    "accounts/2fa/recovery-codes/generate/": "/accounts/2fa/recovery-codes/generate/",
    "accounts/2fa/recovery-codes/download/": "/accounts/2fa/recovery-codes/download/",
    "accounts/2fa/webauthn/": "/accounts/2fa/webauthn/",
    "accounts/2fa/webauthn/add/": "/accounts/2fa/webauthn/add/",
    "accounts/2fa/webauthn/reauthenticate/": "/accounts/2fa/webauthn/reauthenticate/",
    "accounts/2fa/webauthn/keys/<int:pk>/edit/": "/accounts/2fa/webauthn/keys/987654321/edit/",
    "accounts/2fa/webauthn/login/": "/accounts/2fa/webauthn/login/",
    "accounts/3rdparty/signup/": "/accounts/3rdparty/signup/",
    "accounts/3rdparty/": "/accounts/3rdparty/",
    "accounts/sessions/": "/accounts/sessions/",
    "home/": "/home/",
}
# The addresses of another product's dashboard, which lead to ours.
ENTRANCES |= {
    f"{language}{rest}": f"/{language}{rest}".replace("<slug:base_id>", "made-up")
    for language in ("", "en/", "cn/")
    for rest in (
        *(
            f"{page}{slash}"
            for page in ("quickstart", "apikeys", "memoryList", "projects")
            for slash in ("", "/")
        ),
        *("knowledgeBase", "knowledgeBase/", "knowledgeBase/<slug:base_id>", "knowledgeBase/<slug:base_id>/"),
        *("skill", "skill/"),
    )
}


def needs_key(view: Any) -> bool:
    return issubclass(getattr(view, "cls", object), ContractView)


def patterns(routes: Any, before: str = "") -> Iterator[str]:
    """All but those of keys, of operators, and of pages that say themselves who may see them."""
    for route in routes:
        whole = before + str(route.pattern)
        if whole.startswith(("api/openmem/v1/", "^api/v1", "admin/")):
            continue
        if hasattr(route, "url_patterns"):
            yield from patterns(route.url_patterns, whole)
        elif getattr(route.callback, "needs", None) is None and not needs_key(route.callback):
            yield whole


def test_every_public_address_is_named_here() -> None:
    assert set(patterns(get_resolver().url_patterns)) == {*PUBLIC, *ENTRANCES}


@pytest.fixture(scope="module")
def stranger(stack: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stack.url, timeout=120, trust_env=False, verify=False) as client:
        yield client


def visit(stranger: httpx.Client, path: str) -> httpx.Response:
    """As somebody who was never here before."""
    stranger.cookies.clear()
    return stranger.get(path)


def test_a_stranger_is_told_that_the_process_lives(stranger: httpx.Client) -> None:
    answer = visit(stranger, "/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_stranger_gets_what_is_public_and_nothing_else(stranger: httpx.Client) -> None:
    for path, status, expected in PUBLIC.values():
        answer = visit(stranger, path)
        assert answer.status_code == status, (path, answer.text[:300])
        assert expected in (answer.headers["location"] if answer.is_redirect else answer.text), path


def test_a_stranger_is_led_to_the_sign_in_page(stranger: httpx.Client) -> None:
    for path in ENTRANCES.values():
        answer = visit(stranger, path)
        assert answer.status_code == 302, path
        assert answer.headers["location"].partition("?")[0] == "/accounts/login/", path
