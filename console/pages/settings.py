"""Settings of one project: what time does to its memories, beside those of its skills."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.access import access_of, person, project_view, roles_for
from console.pages.dialogs import done, goes_on
from console.pages.rendering import show, wants_only_fragment
from console.pages.skill_settings import skill_settings_context
from memories.lifecycle import LONGEST_DAYS, SETTING, Policies
from tenancy.models import Project
from tenancy.projects import change_settings


def _days(label: Any, hint: Any) -> forms.IntegerField:
    field = forms.IntegerField(label=label, help_text=hint, min_value=0, max_value=LONGEST_DAYS)
    field.widget.attrs |= {"inputmode": "numeric", "autocomplete": "off"}
    return field


class PoliciesForm(forms.Form):
    expire_working_days = _days(
        gettext_lazy("Expire working memory after"),
        gettext_lazy(
            "Short-term memories that were neither changed nor recalled for this long leave recall."
        ),
    )
    archive_doubtful_days = _days(
        gettext_lazy("Archive doubtful memories after"),
        gettext_lazy("Unrefined memories and those below 50% confidence that no search ever returned."),
    )
    expire_archived_days = _days(
        gettext_lazy("Expire archived memories after"),
        gettext_lazy("Counted from the day they were archived."),
    )


@project_view("see", changing="edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def project_settings(request: HttpRequest, project: Project) -> HttpResponse:
    form = PoliciesForm(request.POST or None, initial=Policies.of(project).as_setting())
    if request.method == "POST" and form.is_valid():
        change_settings(project, SETTING, Policies(**form.cleaned_data).as_setting(), person(request))
        if not wants_only_fragment(request):
            return done(request, _("Saved."), reverse("console:settings", args=[project.pk]))
        return goes_on(_shown(request, project, form), toast={"text": _("Saved.")})
    return _shown(request, project, form)


def _shown(request: HttpRequest, project: Project, form: PoliciesForm) -> HttpResponse:
    may_edit = access_of(request).may("edit_project")
    for field in form.fields.values():
        field.disabled = not may_edit
    context = {
        "project": project,
        "form": form,
        "may_edit": may_edit,
        "edit_hint": _("Only %(roles)s can change these settings.") % {"roles": roles_for("edit_project")},
        "states": _states(),
        **skill_settings_context(request, project),
    }
    page = "console/settings/page.html"
    return show(request, page, "console/settings/_policies.html", context, 422 if form.errors else 200)


def _states() -> list[tuple[str, str]]:
    """What each status means for recall."""
    return [
        ("activated", _("Searches find it, and later statements may change it.")),
        ("frozen", _("Searches find it, and only a person can change it.")),
        ("replaced", _("Something later holds. Questions about the past still find it.")),
        ("merged", _("Another memory says it now, and more.")),
        ("archived", _("Out of recall, kept with its history. It can be restored.")),
        ("expired", _("Past its time and out of recall. It can be restored.")),
    ]
