"""Learning spaces: list, create, edit the metadata, delete."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.shell.access import found_or_404, get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, redirect_with_message, show_dialog
from console.pages.shell.rendering import render_page
from console.pages.spaces.space_context import JsonField, build_person_field, change_context, list_context
from console.templatetags.skills import as_json
from console.ui.lists.paging import load_page
from console.ui.lists.query_values import parse_search_words
from console.ui.texts.snippets import render_snippet
from skills.models import LearningSpace
from skills.models.user_rows import MAX_IDENTIFIER
from skills.spaces.console_lists import SpaceFigures, filter_spaces, load_space_figures, replace_meta
from skills.spaces.spaces import create_space, delete_space, find_space
from tenancy.audit.log import record_event
from tenancy.models import Project


class SpaceForm(forms.Form):
    user = build_person_field()
    meta = JsonField(
        label=gettext_lazy("Metadata"), help_text=gettext_lazy("A JSON object; lists can be filtered by it.")
    )


class MetaForm(forms.Form):
    meta = JsonField(label=gettext_lazy("Metadata"))


@project_view("see")
@require_safe
def spaces(request: HttpRequest, project: Project) -> HttpResponse:
    words = parse_search_words(request.GET.get("q", ""), 200)
    user = parse_search_words(request.GET.get("user", ""), MAX_IDENTIFIER)
    rows = filter_spaces(project, words, user)
    page = load_page(request, rows)
    figures = load_space_figures(project, page.rows)
    for row in page.rows:
        row.figures = figures.get(row.pk, SpaceFigures())
    context = {
        "user": user,
        "is_narrow": bool(words or user),
        "spaces": page.rows,
        **list_context(project, "spaces", words, page, rows.count()),
        "snippet": render_snippet("space_sdk"),
        **change_context(request),
    }
    return render_page(request, "console/spaces/page.html", "console/spaces/_list.html", context)


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_new(request: HttpRequest, project: Project) -> HttpResponse:
    form = SpaceForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        space = create_space(project, wanted["user"] or None, wanted["meta"] or None)
        record_event(project.account, get_person(request), "space.created", space, project=project)
        address = reverse("console:space", args=[project.pk, space.pk])
        return redirect_with_message(request, _("The learning space is ready, with two skills."), address)
    dialog = Dialog(
        template="console/ui/forms/form_dialog.html",
        title=_("New learning space"),
        verb=_("Create space"),
        action=reverse("console:space_new", args=[project.pk]),
        back=reverse("console:spaces", args=[project.pk]),
    )
    lead = _("It starts with two skills: a daily log and facts about the user.")
    return show_dialog(request, dialog, {"form": form, "lead": lead}, 422 if form.errors else 200)


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_edit(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    """The metadata, from the list."""
    space = get_space(project, space_id)
    form = MetaForm(request.POST or None, initial={"meta": as_json(space.meta)})
    back = reverse("console:spaces", args=[project.pk])
    if request.method == "POST" and form.is_valid():
        save_meta(request, project, space, form.cleaned_data["meta"])
        return answer_done(request, _("Saved."), back, "space-changed")
    dialog = Dialog(
        template="console/ui/forms/form_dialog.html",
        title=_("Edit the metadata"),
        verb=_("Save space"),
        action=reverse("console:space_edit", args=[project.pk, space.pk]),
        back=back,
    )
    return show_dialog(request, dialog, {"form": form, "lead": ""}, 422 if form.errors else 200)


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_delete(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    space = get_space(project, space_id)
    back = reverse("console:spaces", args=[project.pk])
    if request.method == "POST":
        record_event(project.account, get_person(request), "space.deleted", space, project=project)
        delete_space(project, space.pk)
        return redirect_with_message(request, _("The learning space is deleted."), back)
    dialog = Dialog(
        template="console/spaces/dialogs/_delete_dialog.html",
        title=_("Delete this learning space?"),
        verb=_("Delete space"),
        action=reverse("console:space_delete", args=[project.pk, space.pk]),
        back=back,
        is_danger=True,
    )
    context: dict[str, Any] = {"space": space, "figures": load_space_figures(project, [space])[space.pk]}
    return show_dialog(request, dialog, context)


def get_space(project: Project, space_id: UUID) -> LearningSpace:
    with found_or_404(project):
        return find_space(project, space_id)


def save_meta(request: HttpRequest, project: Project, space: LearningSpace, meta: dict[str, Any]) -> None:
    replace_meta(project, space.pk, meta)
    record_event(project.account, get_person(request), "space.edited", space, project=project)
