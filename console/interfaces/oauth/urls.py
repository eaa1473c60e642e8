"""Addresses of OAuth: metadata for clients, and the consent page in front of allauth's."""

from __future__ import annotations

from allauth.idp.oidc.views import configuration
from django.urls import path

from console.interfaces.oauth import views

urlpatterns = [
    path(".well-known/oauth-protected-resource", views.protected_resource, name="oauth-resource"),
    path(".well-known/oauth-protected-resource/mcp", views.protected_resource, name="oauth-resource-mcp"),
    path(".well-known/oauth-authorization-server", configuration, name="oauth-server"),
    path(".well-known/oauth-authorization-server/mcp", configuration, name="oauth-server-mcp"),
    path("identity/o/authorize", views.authorize, name="oauth-authorize"),
]
