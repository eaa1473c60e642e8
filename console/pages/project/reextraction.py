"""Settings of one project: extract memories again from stored messages, with preview and undo."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.shell.access import format_roles_for, get_access, get_person, project_view
from console.pages.shell.dialogs import add_body_events, answer_done
from console.pages.shell.rendering import render_page, wants_only_fragment
from memories.ingest.reextraction.runs import ReextractionMode, get_run_counts, list_runs, start_run
from memories.ingest.reextraction.work import sample_changes
from memories.models import Task
from memories.values import OwnerKind, Subject, TaskState
from tenancy.errors import EndUserUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

CARD, PAGE = "console/project/settings/_reextraction.html", "console/project/settings/reextraction.html"


class ReextractionForm(forms.Form):
    mode = forms.ChoiceField(choices=[(mode.value, mode.value) for mode in ReextractionMode])
    run = forms.UUIDField(required=False)
    user_id = forms.CharField(
        label=gettext_lazy("Only this end user"),
        help_text=gettext_lazy("Empty: all end users and agents of the project."),
        max_length=100,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("mode") == ReextractionMode.UNDO and not values.get("run"):
            raise forms.ValidationError(_("There is no such run."))
        return values

    @property
    def subject(self) -> Subject | None:
        user = self.cleaned_data["user_id"].strip()
        return Subject(OwnerKind.END_USER, user) if user else None


@project_view("see", changing="edit_project", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def reextraction(request: HttpRequest, project: Project) -> HttpResponse:
    """A model may be asked for the preview, so no transaction is open meanwhile."""
    if request.method != "POST":
        if wants_only_fragment(request):
            return _render_card(request, project, {})
        return HttpResponseRedirect(_get_reextraction_url(project))
    form = ReextractionForm(request.POST, prefix="reextract")
    if not form.is_valid():
        return _render_card(request, project, {"reextract_form": form}, 422)
    mode, run = ReextractionMode(form.cleaned_data["mode"]), form.cleaned_data["run"]
    try:
        start_run(project, mode, get_person(request), run, form.subject)
        sample = sample_changes(project, form.subject) if mode is ReextractionMode.PREVIEW else None
    except EndUserUnknown:
        form.add_error("user_id", _("This project has no data of this end user."))
        return _render_card(request, project, {"reextract_form": form}, 422)
    if sample is None and not wants_only_fragment(request):
        return answer_done(request, _describe_mode(mode), _get_reextraction_url(project))
    return add_body_events(
        _render_card(request, project, {"sample": sample}), toast={"text": _describe_mode(mode)}
    )


def _describe_mode(mode: ReextractionMode) -> str:
    return {
        ReextractionMode.PREVIEW: _("Counting the changes."),
        ReextractionMode.APPLY: _("Memories are being re-extracted."),
        ReextractionMode.UNDO: _("Undoing the run."),
    }[mode]


def _get_reextraction_url(project: Project) -> str:
    return f"{reverse('console:settings', args=[project.pk])}#reextraction"


def _render_card(
    request: HttpRequest, project: Project, more: dict[str, Any], status: int = 200
) -> HttpResponse:
    context = {"project": project} | build_reextraction_context(request, project) | more
    return render_page(request, PAGE, CARD, context, status)


def build_reextraction_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    with tenant_scope(project):
        tasks = list_runs(project)
    undone = {task.payload["run"] for task in tasks if task.payload["mode"] == ReextractionMode.UNDO}
    user = request.GET.get("user", "")[:100]  # whose page led here
    return {
        "reextract_form": ReextractionForm(prefix="reextract", initial={"user_id": user}),
        "runs": [_describe_run(task, undone) for task in tasks],
        "may_edit": get_access(request).may("edit_project"),
        "edit_hint": _("Only %(roles)s can change these settings.")
        % {"roles": format_roles_for("edit_project")},
    }


def _describe_run(task: Task, undone: set[str]) -> dict[str, Any]:
    mode = ReextractionMode(task.payload["mode"])
    is_over = task.state in {TaskState.COMPLETED, TaskState.FAILED, TaskState.DEAD}
    return {
        "run": UUID(task.payload["run"]),
        "name": {
            ReextractionMode.PREVIEW: _("Preview"),
            ReextractionMode.APPLY: _("Re-extracted"),
            ReextractionMode.UNDO: _("Undone"),
        }[mode],
        "counts": get_run_counts(task),
        "began": task.created_at,
        "is_running": not is_over,
        "is_failed": is_over and task.state != TaskState.COMPLETED,
        "may_undo": is_over and mode is ReextractionMode.APPLY and task.payload["run"] not in undone,
    }
