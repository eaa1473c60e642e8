"""Actions on a session: configs, download, deletion."""

from __future__ import annotations

import json
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, redirect_with_message, show_dialog
from console.pages.spaces.session import build_configs_context, build_session_url, get_session, shown_session
from console.pages.spaces.space_context import JsonField
from skills.api.answers import build_raw_messages
from skills.catalogue.archive import Download, read_archive_pieces
from skills.catalogue.download_views import build_attachment_response, build_refused_response
from skills.message_formats import ACONTEXT, WRITERS
from skills.paging import PageWindow
from skills.sessions.messages import MessagePage, read_messages
from skills.sessions.session_message_files import with_files
from skills.sessions.sessions import delete_session, replace_configs
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.models import Project

# A longer session is fetched page by page with the API.
MOST_MESSAGES = 5_000
MOST_BYTES = 256 * 1024 * 1024


class ConfigsForm(forms.Form):
    configs = JsonField(label=gettext_lazy("Configs"))


@project_view("change_spaces")
@require_POST
def session_configs(request: HttpRequest, project: Project, session_id: UUID) -> HttpResponse:
    opened = get_session(project, session_id)
    form = ConfigsForm(request.POST)
    if not form.is_valid():
        context = build_configs_context(request, project, opened)
        context |= {"form": form, "text": request.POST.get("configs", "")}
        return shown_session(request, project, opened, tab="configs", more=context, status=422)
    replace_configs(project, opened.public_id, form.cleaned_data["configs"])
    record_event(project.account, get_person(request), "session.edited", opened, project=project)
    address = build_session_url(project, opened, "configs")
    return redirect_with_message(request, _("Saved."), address)


@project_view("read_words")
@require_safe
def session_download(request: HttpRequest, project: Project, session_id: UUID) -> HttpResponseBase:
    """The messages in the shape of a provider, as a file: the first 5,000 of them, and no more than 256 MB."""
    form = request.GET.get("format", "openai")
    if form != ACONTEXT and form not in WRITERS:
        raise Http404
    opened = get_session(project, session_id)
    try:
        content = _write_json_file(project, opened.public_id, form)
    except CatalogueError as refusal:
        return build_refused_response(refusal)
    name = f"session-{opened.public_id}-{form}.json"
    return build_attachment_response(Download(name, "application/json", read_archive_pieces(content)))


def _write_json_file(project: Project, session_id: UUID, form: str) -> IO[bytes]:
    """The messages as a JSON list, on disk, at its beginning: no more of them in memory than one page holds."""
    content = TemporaryFile()  # noqa: SIM115  # closed by the response
    content.write(b"[")
    count = 0
    window: PageWindow | None = PageWindow()
    while window is not None:
        page = read_messages(project, session_id, window)
        for item in _iterate_items(page, form):
            text = json.dumps(item, indent=2, ensure_ascii=False)
            content.write(f"{',' if content.tell() > 1 else ''}\n{text}".encode())
        count += len(page.messages)
        goes_on = page.slice.next is not None and count < MOST_MESSAGES and content.tell() < MOST_BYTES
        window = PageWindow(after=page.slice.next) if goes_on else None
    content.write(b"\n]\n")
    content.seek(0)
    return content


def _iterate_items(page: MessagePage, form: str) -> Iterator[Any]:
    before = page.before
    for row in page.messages:
        message = with_files(row, with_uploads=form != ACONTEXT)
        yield from build_raw_messages([message], before) if form == ACONTEXT else WRITERS[form](message)
        before = row.pk


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def session_delete(request: HttpRequest, project: Project, session_id: UUID) -> HttpResponse:
    opened = get_session(project, session_id)
    back = reverse("console:sessions", args=[project.pk])
    if request.method == "POST":
        record_event(project.account, get_person(request), "session.deleted", opened, project=project)
        delete_session(project, opened.public_id)
        return redirect_with_message(request, _("The session is deleted."), back)
    dialog = Dialog(
        template="console/spaces/sessions/_delete_dialog.html",
        title=_("Delete this session?"),
        verb=_("Delete session"),
        action=reverse("console:session_delete", args=[project.pk, opened.public_id]),
        back=build_session_url(project, opened),
        is_danger=True,
    )
    return show_dialog(request, dialog, {"session": opened})
