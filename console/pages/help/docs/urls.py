"""Addresses of the documentation. That of the API reference is in `console/urls.py`, in front of these."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.help.docs import views

docs_pages: list[URLPattern | URLResolver] = [
    path("docs/", views.docs, name="docs"),
    path("docs/<slug:slug>/", views.document, name="document"),
    path("docs/<path:file>.md", views.document_text, name="document_text"),
    path("llms.txt", views.llms, name="llms"),
]
