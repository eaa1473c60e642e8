"""Read from the environment who may create a login, and which providers people sign in with."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from console.configuration import environment


class SignUp(StrEnum):
    """Choices of who may create a login: anyone, invited people, or nobody."""

    OPEN = "open"
    INVITED = "invited"
    CLOSED = "closed"


def sign_up() -> SignUp:
    choice = environment.read_text("SIGNUP", SignUp.OPEN).strip().lower()
    if choice not in set(SignUp):
        raise ImproperlyConfigured(f"SIGNUP must be open, invited or closed, not {choice!r}.")
    return SignUp(choice)


def read_social_providers() -> dict[str, Any]:
    """Providers that people may sign in with: those whose client id and secret are set, in allauth's form."""
    providers = {}
    for name in ("github", "google"):
        client_id, client_secret = (
            environment.read_text(f"{name.upper()}_CLIENT_ID"),
            environment.read_text(f"{name.upper()}_CLIENT_SECRET"),
        )
        if bool(client_id) != bool(client_secret):
            raise ImproperlyConfigured(
                f"{name.upper()}_CLIENT_ID and {name.upper()}_CLIENT_SECRET go together."
            )
        if client_id:
            app = {"client_id": client_id, "secret": client_secret, "key": ""}
            providers[name] = {"APPS": [app]} | _SOCIAL[name]()
    return providers


def list_social_origins() -> list[str]:
    """List where their sign-in pages are."""
    origins = {
        "github": _read_github_enterprise_url() or "https://github.com",
        "google": "https://accounts.google.com",
    }
    return [origins[name] for name in read_social_providers()]


def _read_github_enterprise_url() -> str:
    return environment.read_url("GITHUB_URL", "", {"", "http", "https"}).rstrip("/")


def _build_github_settings() -> dict[str, Any]:
    enterprise = _read_github_enterprise_url()
    return {"SCOPE": ["user:email"]} | ({"GITHUB_URL": enterprise} if enterprise else {})


def _build_google_settings() -> dict[str, Any]:
    return {"SCOPE": ["profile", "email"], "OAUTH_PKCE_ENABLED": True}


_SOCIAL: dict[str, Callable[[], dict[str, Any]]] = {
    "github": _build_github_settings,
    "google": _build_google_settings,
}
