"""Views that serve signed links to skills and their files, as downloads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from django.db import connection
from django.http import HttpRequest, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from memories.files.file_types import clean_name
from skills.catalogue.archive import Download, open_download, open_session_file
from skills.catalogue.downloads import open_file_link, open_link
from tenancy.api.rendering import build_refusal
from tenancy.errors import CatalogueError, NotFound

# What was uploaded is never run or drawn by a browser that was given the link.
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
}
# Lines are sent together up to this size: for each by itself the change of threads would take longer than its making.
SENT_TOGETHER = 64 * 1024


@require_safe
def serve_skill_file(request: HttpRequest, token: str) -> HttpResponseBase:
    """Serve a skill or file by its link, without a key. 404 for an expired link or a deleted file."""
    try:
        link = open_link(token)
        download = open_download(link)
    except FileNotFoundError:
        return build_refused_response(NotFound("the stored file is gone"))
    except CatalogueError as refusal:
        return build_refused_response(refusal)
    return build_attachment_response(download)


@require_safe
def serve_session_file(request: HttpRequest, token: str) -> HttpResponseBase:
    """Serve a file of a session message by its link. 404 for an expired link or a deleted message."""
    try:
        download = open_session_file(open_file_link(token))
    except CatalogueError as refusal:
        return build_refused_response(refusal)
    return build_attachment_response(download)


def build_attachment_response(download: Download) -> HttpResponseBase:
    """The name came from a client, and may hold signs that neither a header nor a file system can take."""
    disposition = content_disposition_header(as_attachment=True, filename=clean_name(download.name) or "file")
    return StreamingHttpResponse(
        _iterate_pieces(download.content),
        content_type=download.mime,
        headers=HEADERS | {"Content-Disposition": disposition or "attachment"},
    )


async def _iterate_pieces(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Off the event loop, a piece at a time: of a plain iterator the server would first make a list."""
    while piece := await asyncio.to_thread(_read_piece, pieces):
        yield piece


def _read_piece(pieces: Iterator[bytes]) -> bytes:
    """No request ends in this thread, so a connection that the pieces came from is given back here."""
    joined = bytearray()
    try:
        for piece in pieces:
            joined += piece
            if len(joined) >= SENT_TOGETHER:
                break
    finally:
        connection.close()
    return bytes(joined)


def build_refused_response(fault: CatalogueError) -> HttpResponseBase:
    status = 404 if isinstance(fault, NotFound) else fault.status
    wait = {} if fault.retry_after is None else {"Retry-After": str(max(1, round(fault.retry_after)))}
    return JsonResponse(build_refusal(fault.code, fault.text), status=status, headers=HEADERS | wait)
