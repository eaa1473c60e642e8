"""What a member does with a session: configs, download, deletion."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.pages.access import person, project_view
from console.pages.dialogs import Dialog, ask, lead_to
from console.pages.spaces.session import configs_context, opened_session, session_url, shown_session
from console.pages.spaces.shared import JsonField
from skills.api.answers import raw_messages
from skills.formats import ACONTEXT, WRITERS
from skills.keyset import Window
from skills.messages import Page, read_messages
from skills.sessions import delete_session, replace_configs
from skills.views import HEADERS
from tenancy.audit import record
from tenancy.models import Project

# A longer session is fetched page by page with the API.
MOST_MESSAGES = 5_000


class ConfigsForm(forms.Form):
    configs = JsonField(label=gettext_lazy("Configs"))


@project_view("change_spaces")
@require_POST
def session_configs(request: HttpRequest, project: Project, session_id: UUID) -> HttpResponse:
    opened = opened_session(project, session_id)
    form = ConfigsForm(request.POST)
    if not form.is_valid():
        context = configs_context(request, project, opened)
        context |= {"form": form, "text": request.POST.get("configs", "")}
        return shown_session(request, project, opened, "configs", context, 422)
    replace_configs(project, opened.public_id, form.cleaned_data["configs"])
    record(project.account, person(request), "session.edited", opened, project=project)
    address = session_url(project, opened, "configs")
    return lead_to(request, _("Saved."), address)


@project_view("read_words")
@require_safe
def session_download(request: HttpRequest, project: Project, session_id: UUID) -> HttpResponse:
    """The messages in the shape of a provider, as a file."""
    form = request.GET.get("format", "openai")
    if form != ACONTEXT and form not in WRITERS:
        raise Http404
    opened = opened_session(project, session_id)
    page = read_messages(project, opened.public_id, Window(MOST_MESSAGES))
    content = json.dumps(_items(page, form), indent=2, ensure_ascii=False)
    response = HttpResponse(content, content_type="application/json", headers=HEADERS)
    response["Content-Disposition"] = f'attachment; filename="session-{opened.public_id}-{form}.json"'
    return response


def _items(page: Page, form: str) -> list[Any]:
    if form == ACONTEXT:
        return raw_messages(page.messages, page.before)
    return [item for message in page.messages for item in WRITERS[form](message)]


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def session_delete(request: HttpRequest, project: Project, session_id: UUID) -> HttpResponse:
    opened = opened_session(project, session_id)
    back = reverse("console:sessions", args=[project.pk])
    if request.method == "POST":
        record(project.account, person(request), "session.deleted", opened, project=project)
        delete_session(project, opened.public_id)
        return lead_to(request, _("The session is deleted."), back)
    dialog = Dialog(
        template="console/sessions/_delete_dialog.html",
        title=_("Delete this session?"),
        verb=_("Delete session"),
        action=reverse("console:session_delete", args=[project.pk, opened.public_id]),
        back=session_url(project, opened),
        is_danger=True,
    )
    return ask(request, dialog, {"session": opened})
