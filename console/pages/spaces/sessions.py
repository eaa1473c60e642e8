"""Sessions of agents: list and create."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, redirect_with_message, show_dialog
from console.pages.shell.rendering import render_page
from console.pages.spaces.space_context import JsonField, build_person_field, change_context, list_context
from console.ui.lists.paging import load_page
from console.ui.lists.query_values import parse_search_words
from console.ui.texts.snippets import render_snippet
from skills.models.user_rows import MAX_IDENTIFIER
from skills.sessions.sessions import NewSession, create_session
from skills.spaces.console_lists import count_tasks, filter_sessions
from tenancy.audit.log import record_event
from tenancy.models import Project


class SessionForm(forms.Form):
    user = build_person_field()
    configs = JsonField(label=gettext_lazy("Configs"))
    tracks = forms.BooleanField(
        label=gettext_lazy("Find tasks in it"),
        required=False,
        initial=True,
        help_text=gettext_lazy("Without it, messages are kept and nothing is learned from them."),
    )


@project_view("see")
@require_safe
def sessions(request: HttpRequest, project: Project) -> HttpResponse:
    words = parse_search_words(request.GET.get("q", ""), 60)
    user = parse_search_words(request.GET.get("user", ""), MAX_IDENTIFIER)
    rows = filter_sessions(project, words, user)
    page = load_page(request, rows)
    counts = count_tasks(project, page.rows)
    for row in page.rows:
        row.task_count = counts.get(row.pk, 0)
    context = {
        "user": user,
        "is_narrow": bool(words or user),
        "sessions": page.rows,
        **list_context(project, "sessions", words, page, rows.count()),
        "snippet": render_snippet("session_sdk"),
        **change_context(request),
    }
    return render_page(
        request, "console/spaces/sessions/page.html", "console/spaces/sessions/_list.html", context
    )


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def session_new(request: HttpRequest, project: Project) -> HttpResponse:
    form = SessionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        new = NewSession(wanted["user"] or None, not wanted["tracks"], wanted["configs"] or None)
        session, _is_new = create_session(project, new)
        record_event(project.account, get_person(request), "session.created", session, project=project)
        address = reverse("console:session", args=[project.pk, session.public_id])
        return redirect_with_message(request, _("The session is ready."), address)
    dialog = Dialog(
        template="console/ui/forms/form_dialog.html",
        title=_("New session"),
        verb=_("Create session"),
        action=reverse("console:session_new", args=[project.pk]),
        back=reverse("console:sessions", args=[project.pk]),
    )
    return show_dialog(request, dialog, {"form": form, "lead": ""}, 422 if form.errors else 200)
