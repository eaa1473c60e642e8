"""The pages of the documentation, open to everybody."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.pages.help.docs.documents import (
    BY_FILE,
    DOCUMENTS,
    SECTIONS,
    describe_documents,
    read_document_text,
    render_document,
)


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """All documents by section."""
    return render(request, "console/help/docs/index.html", {"sections": SECTIONS})


@require_safe
def document(request: HttpRequest, slug: str) -> HttpResponse:
    """One document. Raises Http404 for what is no document for users or operators."""
    if slug not in DOCUMENTS:
        raise Http404
    context = {"sections": SECTIONS, "document": DOCUMENTS[slug], "rendered": render_document(slug)}
    return render(request, "console/help/docs/document.html", context)


@require_safe
def document_text(request: HttpRequest, file: str) -> HttpResponse:
    """The Markdown of one document, under its file's name, so that its links to others lead to theirs."""
    if file not in BY_FILE:
        raise Http404
    return HttpResponse(read_document_text(BY_FILE[file]), content_type="text/markdown; charset=utf-8")


@require_safe
def llms(request: HttpRequest) -> HttpResponse:
    """A list of all documents for language models."""
    addresses = {
        slug: _build_absolute_url(reverse("console:document_text", args=[document.file]))
        for slug, document in DOCUMENTS.items()
    }
    text = describe_documents(
        addresses, _build_absolute_url(reverse("api-docs")), _build_absolute_url(reverse("openapi"))
    )
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def _build_absolute_url(path: str) -> str:
    return settings.PUBLIC_URL.rstrip("/") + path
