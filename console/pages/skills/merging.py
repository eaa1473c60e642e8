"""Merge two skills: choose which one stays and what is taken from each, with a preview."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import redirect_with_message
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from console.pages.skills.editing import read_edit, read_sent_text
from console.pages.skills.skill_context import build_skill_url, get_skill
from console.ui.lists.query_values import parse_choice
from skills.catalogue.console_list import list_skills_of_same_owner
from skills.catalogue.edit import read_text
from skills.catalogue.merge import BOTH, NAMES, OTHER, SECTIONS, THIS, Merge, merge_skills, merge_texts
from skills.models import Skill
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

# So many others are offered; the search of the list finds the rest.
OFFERED = 200


@project_view("change_skills", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def skill_merge(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    """First another skill is chosen, then what stays of each; a POST does it."""
    skill = get_skill(project, skill_id)
    if skill.project_id is None:
        raise Http404
    others = _list_others(project, skill)
    asked = request.POST if request.method == "POST" else request.GET
    other = next((other for other in others if str(other.pk) == asked.get("with", "")), None)
    error = ""
    if request.method == "POST" and other is not None:
        union = Merge(skill.pk, other.pk, read_edit(request), request.POST.get("files") == "yes")
        try:
            merge_skills(project, union, partial(_record_merge, request, project, other))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            message = _("“%(name)s” was merged and archived.") % {"name": other.title}
            return redirect_with_message(request, message, build_skill_url(project, skill))
    context = {
        "project": project,
        "skill": skill,
        "others": others,
        "other": other,
        "error": error,
        **(_build_union_context(request, skill, other) if other is not None else {}),
    }
    page, part = "console/skills/editing/merge.html", "console/skills/editing/_merge.html"
    return render_page(request, page, part, context, 422 if error else 200)


def _record_merge(request: HttpRequest, project: Project, other: Skill, merged: Skill) -> None:
    detail = {"merged": str(other.pk), "version": merged.version}
    record_event(project.account, get_person(request), "skill.merged", merged, project=project, detail=detail)


def _list_others(project: Project, skill: Skill) -> list[Skill]:
    with tenant_scope(project):
        return list(list_skills_of_same_owner(project, skill)[:OFFERED])


def _build_union_context(request: HttpRequest, skill: Skill, other: Skill) -> dict[str, Any]:
    """The choices as the address holds them, and the text that they make."""
    names = {name: parse_choice(request.GET.get(name, ""), (THIS, OTHER)) or THIS for name in NAMES}
    sections = {
        name: parse_choice(request.GET.get(name, ""), (THIS, OTHER, BOTH)) or BOTH for name in SECTIONS
    }
    choices = names | sections
    text = read_sent_text(request) if request.method == "POST" else merge_texts(skill, other, choices)
    return {
        "rows": _build_rows(skill, other, choices),
        "text": text,
        "seen": skill.version,
        "next": skill.version + 1,
        **_read_choices(text),
    }


def _read_choices(text: str) -> dict[str, Any]:
    try:
        return {"read": read_text(text), "fault": ""}
    except CatalogueError as refusal:
        return {"read": None, "fault": describe_failure(refusal)}


def _build_rows(skill: Skill, other: Skill, choices: dict[str, str]) -> list[dict[str, Any]]:
    """Return what each of the two says, part by part; parts that neither has are not asked for."""
    titles = {
        "name": _("Name"),
        "description": _("Description"),
        "procedure": _("Procedure"),
        "experience": _("Experience"),
        "preference": _("Preferences"),
        "examples": _("Examples"),
        "others": _("Other sections"),
    }
    rows = [
        {
            "name": name,
            "title": title,
            "choice": choices[name],
            "this": _format_value(skill.value.get(name)),
            "other": _format_value(other.value.get(name)),
            "may_both": name in SECTIONS,
        }
        for name, title in titles.items()
    ]
    return [row for row in rows if row["this"] or row["other"]]


def _format_value(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name}: {text}" for name, text in value.items())
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value or "")
