"""The settings page of a project: a card for each section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.project.model_provider import build_provider_context
from console.pages.project.reextraction import build_reextraction_context
from console.pages.project.sample import build_sample_context
from console.pages.project.setting_forms import (
    ExtractionForm,
    LifecycleForm,
    PrivacyForm,
    RetentionForm,
    SearchForm,
    SectionForm,
    SharingForm,
    TrashForm,
)
from console.pages.project.skill_settings import build_skill_settings_context
from console.pages.shell.access import format_roles_for, get_access, get_person, project_view, refuse_access
from console.pages.shell.dialogs import add_body_events, answer_done
from console.pages.shell.rendering import render_page, show_page
from tenancy.models import Project


@dataclass(frozen=True, slots=True)
class SettingsSection:
    """A card with a form. Its name is the last part of its address, and its place on the page."""

    title: Any
    text: Any
    form: type[SectionForm]
    needs: str = "edit_project"


SECTIONS = {
    "search": SettingsSection(
        gettext_lazy("Search defaults"),
        gettext_lazy("Used when a request omits them. Leave empty for the API default."),
        SearchForm,
    ),
    "extraction": SettingsSection(
        gettext_lazy("Extraction"),
        gettext_lazy("What new conversations turn into memories."),
        ExtractionForm,
    ),
    "lifecycle": SettingsSection(
        gettext_lazy("Lifecycle policies"),
        gettext_lazy(
            "Checked every hour. 0 days means never. Frozen memories are skipped, and every change is "
            "recorded in the memory's history."
        ),
        LifecycleForm,
    ),
    "retention": SettingsSection(
        gettext_lazy("Retention"),
        gettext_lazy("Checked every hour. Expired data cannot be restored."),
        RetentionForm,
    ),
    "trash": SettingsSection(
        gettext_lazy("Trash"),
        gettext_lazy(
            "Memories that members delete are removed from every search immediately and can be restored for a while."
        ),
        TrashForm,
    ),
    "privacy": SettingsSection(
        gettext_lazy("Viewer privacy"),
        gettext_lazy("What members with the role of viewer may see of this project."),
        PrivacyForm,
    ),
    "sharing": SettingsSection(
        gettext_lazy("Public links"),
        gettext_lazy("What people without an account may see of this project's request logs."),
        SharingForm,
        "allow_public_links",
    ),
}


@dataclass(frozen=True, slots=True)
class SettingsCard:
    """One part of the page, in its order. `context` is what its template needs besides."""

    name: str
    title: Any
    template: str
    context: Callable[[HttpRequest, Project], dict[str, Any]]


def _build_card(name: str) -> SettingsCard:
    def context(request: HttpRequest, project: Project) -> dict[str, Any]:
        return _build_form_context(request, project, name, _build_unbound_form(project, name))

    return SettingsCard(name, SECTIONS[name].title, "console/project/settings/_section.html", context)


def _list_status_texts(request: HttpRequest, project: Project) -> dict[str, Any]:
    """List what each status means for recall."""
    states = [
        ("activated", _("Searches find it, and later statements may change it.")),
        ("frozen", _("Searches find it, and only a person can change it.")),
        ("replaced", _("A newer memory replaced it. Questions about the past still find it.")),
        ("merged", _("Another memory says it now, and more.")),
        ("archived", _("Not recalled, kept with its history. You can restore it.")),
        ("expired", _("Expired and no longer recalled. You can restore it.")),
        ("deleted", _("In the trash: nothing finds it. It can be restored until it is purged.")),
    ]
    return {"states": states}


SKILLS = SettingsCard(
    "skills", gettext_lazy("Skills"), "console/project/settings/_skills.html", build_skill_settings_context
)
TASKS = SettingsCard(
    "tasks",
    gettext_lazy("Task tracking"),
    "console/project/settings/_tasks.html",
    build_skill_settings_context,
)
PROVIDER = SettingsCard(
    "provider",
    gettext_lazy("Model provider"),
    "console/project/settings/_provider.html",
    build_provider_context,
)
SAMPLE = SettingsCard(
    "sample", gettext_lazy("Sample data"), "console/project/sample/_card.html", build_sample_context
)
REEXTRACTION = SettingsCard(
    "reextraction",
    gettext_lazy("Re-extract memories"),
    "console/project/settings/_reextraction.html",
    build_reextraction_context,
)
STATES = SettingsCard(
    "states", gettext_lazy("Memory lifecycle"), "console/project/settings/_states.html", _list_status_texts
)

# The page shows one panel at a time; its address is the first card of the panel.
PANELS: list[tuple[Any, list[SettingsCard]]] = [
    (gettext_lazy("Search"), [_build_card("search")]),
    (gettext_lazy("Extraction"), [_build_card("extraction"), REEXTRACTION]),
    (
        gettext_lazy("Lifecycle and retention"),
        [_build_card("lifecycle"), _build_card("retention"), _build_card("trash"), STATES],
    ),
    (gettext_lazy("Skills and tasks"), [SKILLS, TASKS]),
    (gettext_lazy("Privacy"), [_build_card("privacy"), _build_card("sharing")]),
    (gettext_lazy("Model provider"), [PROVIDER]),
    (gettext_lazy("Sample data"), [SAMPLE]),
]


@project_view("see")
@require_safe
def project_settings(request: HttpRequest, project: Project) -> HttpResponse:
    panels = [
        {"title": title, "cards": [_build_card_context(request, project, card) for card in cards]}
        for title, cards in PANELS
    ]
    context = {"project": project, "panels": panels, "may_edit": get_access(request).may("edit_project")}
    return show_page(request, "console/project/settings/page.html", context)


def _build_card_context(request: HttpRequest, project: Project, card: SettingsCard) -> dict[str, Any]:
    context = {"project": project} | card.context(request, project)
    return {
        "name": card.name,
        "title": card.title,
        "drawn": render_to_string(card.template, context, request),
    }


@project_view("see", changing="edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def settings_section(request: HttpRequest, project: Project, section: str) -> HttpResponse:
    if section not in SECTIONS:
        raise Http404
    address = reverse("console:settings", args=[project.pk])
    if request.method != "POST":
        return HttpResponseRedirect(f"{address}#{section}")
    if not get_access(request).may(SECTIONS[section].needs):
        raise refuse_access(SECTIONS[section].needs)
    form = SECTIONS[section].form(request.POST, prefix=section)
    if not form.is_valid():
        return _render_section(request, project, section, form)
    form.save(project, get_person(request))
    if not request.htmx:  # type: ignore[attr-defined]
        return answer_done(request, _("Saved."), f"{address}#{section}")
    return add_body_events(
        _render_section(request, project, section, _build_unbound_form(project, section)),
        toast={"text": _("Saved.")},
    )


def _build_unbound_form(project: Project, name: str) -> SectionForm:
    form = SECTIONS[name].form
    return form(prefix=name, initial={**form.kept(project)})


def _render_section(request: HttpRequest, project: Project, name: str, form: SectionForm) -> HttpResponse:
    """The one card; without scripts a page of its own, with what was typed and what is wrong with it."""
    context = _build_form_context(request, project, name, form)
    page, fragment = "console/project/settings/section.html", "console/project/settings/_section.html"
    return render_page(request, page, fragment, context, 422 if form.errors else 200)


def _build_form_context(
    request: HttpRequest, project: Project, name: str, form: SectionForm
) -> dict[str, Any]:
    needs = SECTIONS[name].needs
    may_edit = get_access(request).may(needs)
    for field in form.fields.values():
        field.disabled = not may_edit
    return {
        "project": project,
        "name": name,
        "section": SECTIONS[name],
        "form": form,
        "may_edit": may_edit,
        "edit_hint": _("Only %(roles)s can change these settings.") % {"roles": format_roles_for(needs)},
    }
