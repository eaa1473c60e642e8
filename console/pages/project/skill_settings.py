"""Settings of one project: whether skills are generated and need approval, and how tasks of sessions are judged."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.shell.access import format_roles_for, get_access, get_person, project_view
from console.pages.shell.dialogs import add_body_events, answer_done
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page, wants_only_fragment
from skills.settings.learning_settings import MAX_CRITERION, change_configs, load_learning_configs
from skills.settings.skill_settings import SECTION, SkillPolicies
from tenancy.errors import CatalogueError
from tenancy.models import Project
from tenancy.projects.projects import change_settings


class SkillPoliciesForm(forms.Form):
    generate = forms.BooleanField(
        label=gettext_lazy("Generate skills from conversations"),
        help_text=gettext_lazy("Things end users do repeatedly become their skills automatically."),
        required=False,
    )
    approval = forms.BooleanField(
        label=gettext_lazy("Drafts need approval"),
        help_text=gettext_lazy("A generated skill is recalled only after a member approves it."),
        required=False,
    )


def _build_criterion_field(label: Any, hint: Any) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": 3, "autocomplete": "off"})
    return forms.CharField(
        label=label, help_text=hint, required=False, max_length=MAX_CRITERION, widget=widget
    )


class CriteriaForm(forms.Form):
    task_success_criteria = _build_criterion_field(
        gettext_lazy("A task has succeeded when"),
        gettext_lazy(
            "Leave empty for the default: the user confirms it, or the agent continues without errors."
        ),
    )
    task_failure_criteria = _build_criterion_field(
        gettext_lazy("A task has failed when"),
        gettext_lazy("Leave empty for the default: an explicit error, or the user gives up or says so."),
    )


@project_view("see", changing="edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def skill_policies(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(_build_settings_url(project))
    form = SkillPoliciesForm(request.POST, prefix="skills")
    form.is_valid()  # boxes are ticked or not
    policies = SkillPolicies(**form.cleaned_data)
    change_settings(project, SECTION, policies.as_setting(), get_person(request))
    return _confirm_saving(request, project, "console/project/settings/_skills.html")


@project_view("see", changing="edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def task_criteria(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(_build_settings_url(project))
    form = CriteriaForm(request.POST, prefix="tasks")
    if form.is_valid():
        wanted = {name: text.strip() or None for name, text in form.cleaned_data.items()}
        try:
            change_configs(project, wanted, get_person(request))
        except CatalogueError as refusal:
            form.add_error(None, describe_failure(refusal))
        else:
            return _confirm_saving(request, project, "console/project/settings/_tasks.html")
    context = build_skill_settings_context(request, project) | {"tasks_form": form}
    page = "console/project/settings/tasks.html"
    return render_page(request, page, "console/project/settings/_tasks.html", context, 422)


def build_skill_settings_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Both forms as they are saved, for the page of settings."""
    may_edit = get_access(request).may("edit_project")
    policies = SkillPoliciesForm(prefix="skills", initial=SkillPolicies.of(project).as_setting())
    criteria = CriteriaForm(prefix="tasks", initial=load_learning_configs(project))
    for form in (policies, criteria):
        for field in form.fields.values():
            field.disabled = not may_edit
    return {
        "project": project,
        "skills_form": policies,
        "tasks_form": criteria,
        "may_edit": may_edit,
        "edit_hint": _("Only %(roles)s can change these settings.")
        % {"roles": format_roles_for("edit_project")},
    }


def _confirm_saving(request: HttpRequest, project: Project, fragment: str) -> HttpResponse:
    if not wants_only_fragment(request):
        return answer_done(request, _("Saved."), _build_settings_url(project))
    shown = render_page(request, "", fragment, build_skill_settings_context(request, project))
    return add_body_events(shown, toast={"text": _("Saved.")})


def _build_settings_url(project: Project) -> str:
    return reverse("console:settings", args=[project.pk])
