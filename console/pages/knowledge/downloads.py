"""Serve stored files by signed URLs of a few minutes: always as attachments, never inline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from console.pages.knowledge.base_context import find_base
from console.pages.knowledge.files import find_file
from console.pages.shell.access import project_view
from knowledgebase.models import KnowledgeFile
from memories.files import storage
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

SALT = "console.knowledge.download"
VALID_SECONDS = 15 * 60


@project_view("read_words")
@require_safe
def knowledge_file_download(
    request: HttpRequest, project: Project, base_id: str, file_id: str
) -> HttpResponse:
    file = find_file(find_base(project, base_id), file_id)
    if not file.storage_key:
        raise Http404
    signed = signing.dumps([str(project.pk), base_id, str(file.pk)], salt=SALT)
    response = HttpResponseRedirect(reverse("console:download", args=[signed]))
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def download(request: HttpRequest, signed: str) -> StreamingHttpResponse:
    """Serve the file to anyone with a valid address, while the base is linked to the project that signed it."""
    file = _get_signed_file(signed)
    if not storage.get_storage().exists(file.storage_key):
        raise Http404
    response = StreamingHttpResponse(_read_pieces(file.storage_key), content_type="application/octet-stream")
    response["Content-Length"] = str(file.size)
    response["Content-Disposition"] = (
        content_disposition_header(as_attachment=True, filename=file.name or str(file.pk)) or "attachment"
    )
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def _get_signed_file(signed: str) -> KnowledgeFile:
    try:
        project_id, base_id, file_id = signing.loads(signed, salt=SALT, max_age=VALID_SECONDS)
    except signing.BadSignature:
        raise Http404 from None
    project = Project.objects.here().select_related("account__plan").filter(pk=project_id).first()
    if project is None:
        raise Http404
    with tenant_scope(project):
        return find_file(find_base(project, base_id), file_id)


async def _read_pieces(key: str) -> AsyncIterator[bytes]:
    """Off the event loop, a piece at a time: the server holds no file whole."""
    with ExitStack() as opened:
        content = await asyncio.to_thread(opened.enter_context, storage.open_stored(key))
        while piece := await asyncio.to_thread(content.read, storage.PIECE):
            yield piece
