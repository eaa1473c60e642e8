"""Addresses of a project's overview, which are those of the project itself."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.monitoring.overview import overview

overview_pages: list[URLPattern | URLResolver] = [
    path("", overview.overview, name="overview"),
    path("overview/health/", overview.overview_health, name="overview_health"),
    path("start/", overview.start, name="start"),
]
