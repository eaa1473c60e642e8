"""Addresses below a project's `logs/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.monitoring.logs import download, log, logs, sharing

log_pages: list[URLPattern | URLResolver] = [
    path("", logs.logs, name="logs"),
    path("download/<slug:form>/", download.logs_download, name="logs_download"),
    path("<slug:request_id>/", log.log, name="log"),
    path("<slug:request_id>/redacted/", sharing.log_redacted, name="log_redacted"),
    path("<slug:request_id>/share/", sharing.log_share, name="log_share"),
    path("<slug:request_id>/share/revoke/", sharing.log_share_revoke, name="log_share_revoke"),
]
