"""Which applications may register, for which resource, and how the server describes itself."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.models import Client
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import JsonResponse
from django.utils.translation import gettext as _

from console.interfaces.oauth.resource import get_resource_uri
from console.interfaces.oauth.scopes import IGNORED_SCOPES, SCOPES

GRANT_TYPES = ("authorization_code", "refresh_token")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
MOST_REDIRECTS, LONGEST_URI = 10, 500
# The consent page names the place in its content security policy, where other signs could end what is said of it.
PLACE = re.compile(r"[A-Za-z0-9._:\[\]-]*")


class OAuthAdapter(DefaultOIDCAdapter):
    scope_display = SCOPES

    def get_issuer(self) -> str:
        return settings.PUBLIC_URL

    def validate_resource_uris(self, *, uris: list[str], **_kwargs: Any) -> None:
        """Raises `ValidationError` for a resource that is not this installation's MCP endpoint."""
        for uri in uris:
            if uri.rstrip("/") not in {get_resource_uri(), settings.PUBLIC_URL}:
                raise ValidationError(
                    _("Tokens are issued for %(resource)s only.") % {"resource": get_resource_uri()}
                )

    def validate_client_registration(self, *, client: Client, **_kwargs: Any) -> None:
        """Every application gets the code flow and our scopes, whatever it asks for.

        Raises `ImmediateHttpResponse` with the error of RFC 7591 for redirects that would send a code in clear.
        """
        redirects = client.get_redirect_uris()
        if len(redirects) > MOST_REDIRECTS or any(not is_safe_redirect(uri) for uri in redirects):
            description = _(
                "Redirects must use https, a loopback address or a scheme of your application; hosts have ASCII"
                " letters, digits, dots and hyphens only."
            )
            error = {"error": "invalid_redirect_uri", "error_description": description}
            raise ImmediateHttpResponse(JsonResponse(error, status=400))
        client.set_grant_types(list(GRANT_TYPES))
        client.set_response_types(["code"])
        client.set_scopes([*SCOPES, *IGNORED_SCOPES])
        client.set_default_scopes(list(SCOPES))

    def populate_server_metadata(self, data: dict[str, Any]) -> None:
        """RFC 8414: only what is served here; there are no id tokens."""
        for name in ("jwks_uri", "userinfo_endpoint", "end_session_endpoint", "subject_types_supported"):
            data.pop(name, None)
        data.pop("id_token_signing_alg_values_supported", None)
        data.pop("device_authorization_endpoint", None)
        data["scopes_supported"] = list(SCOPES)
        data["response_types_supported"] = ["code"]
        data["grant_types_supported"] = list(GRANT_TYPES)
        data["service_documentation"] = f"{settings.PUBLIC_URL}/docs/"


def is_safe_redirect(uri: str) -> bool:
    """Return whether a code that is sent there stays with the application: by TLS, on its machine, or by its own
    scheme."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return False
    if len(uri) > LONGEST_URI or parts.fragment or "*" in uri or not PLACE.fullmatch(parts.netloc):
        return False
    if parts.scheme == "http":
        return host in LOOPBACK
    if parts.scheme == "https":
        return bool(host)
    return parts.scheme not in {"", "javascript", "data", "file", "vbscript", "about", "blob"}
