"""Addresses of the console API, with and without a trailing slash."""

from __future__ import annotations

from django.urls import re_path

from tenancy.api.console import views

urlpatterns = [
    re_path(r"^keys/?$", views.KeysView.as_view(), name="console/keys"),
    re_path(r"^keys/(?P<key_id>[^/]+)/?$", views.OneKeyView.as_view(), name="console/keys/{id}"),
    re_path(r"^usage/?$", views.UsageView.as_view(), name="console/usage"),
    re_path(r"^logs/?$", views.LogsView.as_view(), name=views.LOGS),
    re_path(r"^logs/(?P<request_id>[^/]+)/?$", views.OneLogView.as_view(), name="console/logs/{id}"),
]
