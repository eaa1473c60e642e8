"""An application of another maker that asks a member of a project for access to `/mcp`."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from django.conf import settings

from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant

REDIRECT = "http://127.0.0.1:9/callback"


# The application's id by installation.
_registered: dict[str, str] = {}


@dataclass
class Application:
    """An assistant of another maker, and the browser of the member who lets it in."""

    tenant: Tenant
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    client_id: str = ""

    def __post_init__(self) -> None:
        self.browser = httpx.Client(base_url=self.tenant.url, trust_env=False, verify=False, timeout=120)
        self.http = httpx.Client(base_url=self.tenant.url, trust_env=False, verify=False, timeout=120)

    def close(self) -> None:
        self.browser.close()
        self.http.close()

    def register_once(self) -> None:
        """As one application that many people use: registrations of an address are limited."""
        if self.tenant.url not in _registered:
            self.register().raise_for_status()
            _registered[self.tenant.url] = self.client_id
        self.client_id = _registered[self.tenant.url]

    def register(self, **metadata: Any) -> httpx.Response:
        body = {
            "client_name": "Pocket helper",
            "redirect_uris": [REDIRECT],
            "token_endpoint_auth_method": "none",
            **metadata,
        }
        answer = self.http.post(self.metadata()["registration_endpoint"], json=body)
        if answer.is_success:
            self.client_id = answer.json()["client_id"]
        return answer

    def metadata(self) -> Any:
        return self.http.get("/.well-known/oauth-authorization-server").json()

    def sign_in(self) -> None:
        """With a session that began elsewhere: the form, which has tests of its own, hashes the password anew."""
        session = sign_in_owner(self.tenant).cookies[settings.SESSION_COOKIE_NAME]
        self.browser.cookies.set(session.key, session.value)

    def asked(self, **changed: Any) -> dict[str, Any]:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "scope": "read write",
            "state": "s1",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            "resource": f"{public_url(self.http)}/mcp",
            **changed,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def consent_page(self, **changed: Any) -> httpx.Response:
        return self.browser.get("/identity/o/authorize", params=self.asked(**changed))

    def consent(self, page: httpx.Response, **changed: Any) -> httpx.Response:
        form = {
            "csrfmiddlewaretoken": find_csrf_token(page.text),
            "request": re.search(r'name="request" value="([^"]+)"', page.text)[1],  # type: ignore[index]
            "project": self.tenant.project_id,
            "scopes": ["read", "write"],
            "action": "grant",
            **changed,
        }
        return self.browser.post("/identity/o/authorize", data=form, headers={"Referer": self.tenant.url})

    def tokens(self, answer: httpx.Response, **changed: Any) -> httpx.Response:
        assert answer.status_code == 302, answer.text
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        return self.http.post(
            "/identity/o/api/token",
            data={
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": REDIRECT,
                "client_id": self.client_id,
                "code_verifier": self.verifier,
                "resource": f"{public_url(self.http)}/mcp",
                **changed,
            },
        )

    def let_in(self, **changed: Any) -> dict[str, Any]:
        self.register_once()
        self.sign_in()
        answer = self.tokens(self.consent(self.consent_page(), **changed))
        assert answer.is_success, answer.text
        return dict(answer.json())


def find_csrf_token(page: str) -> str:
    match = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert match, page
    return match[1]


def public_url(http: httpx.Client) -> str:
    metadata = http.get("/.well-known/oauth-protected-resource/mcp").json()
    return str(metadata["resource"]).removesuffix("/mcp")
