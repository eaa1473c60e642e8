"""Addresses of OAuth: metadata for clients, and the consent page in front of allauth's."""

from __future__ import annotations

from allauth.idp.oidc.views import configuration
from django.urls import path
from django.views.generic import RedirectView

from console.interfaces.oauth import device, views

urlpatterns = [
    path(".well-known/oauth-protected-resource", views.protected_resource, name="oauth-resource"),
    path(".well-known/oauth-protected-resource/mcp", views.protected_resource, name="oauth-resource-mcp"),
    path(".well-known/oauth-authorization-server", configuration, name="oauth-server"),
    path(".well-known/oauth-authorization-server/mcp", configuration, name="oauth-server-mcp"),
    path("identity/o/authorize", views.authorize, name="oauth-authorize"),
    path("identity/o/api/device/code", device.request_code, name="oauth-device-code"),
    path("identity/o/api/token", device.token, name="oauth-token"),
    # In place of allauth's own page, which knows neither projects nor scopes of keys.
    path("identity/o/device", RedirectView.as_view(pattern_name="console:device", query_string=True)),
]
