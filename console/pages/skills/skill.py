"""One skill with its tabs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.shell.access import project_view
from console.pages.shell.redirect_deleted import redirect_deleted
from console.pages.shell.rendering import render_page
from console.pages.skills.evidence import build_evidence_context
from console.pages.skills.files import build_content_context
from console.pages.skills.skill_context import TABS, build_skill_url, change_context, get_skill
from console.pages.skills.versions import build_versions_context
from console.ui.lists.query_values import parse_choice
from console.ui.tabs import Tab, build_tabs
from console.ui.texts.snippets import Snippet, render_snippet
from memories.models import Recall
from skills.catalogue.console_list import count_evidence, list_skill_uses, list_skill_versions
from skills.models import Skill, SpaceSkill
from skills.values import SkillState
from tenancy.models import Project

# Other identifiers could end the quotes of a command that somebody copies.
PLAIN = re.compile(r"[\w.@:+-]+", re.ASCII)
INSTALLS = (("curl", "bash"), ("sdk", "python"), ("requests", "bash"))


@project_view("see")
@require_safe
def skill(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    try:
        opened = get_skill(project, skill_id)
    except Http404:
        return redirect_deleted(request, reverse("console:skills", args=[project.pk]))
    tab = parse_choice(request.GET.get("tab", ""), TABS) or TABS[0]
    context = {
        "project": project,
        "skill": opened,
        "tab": tab,
        "fragment": f"console/skills/_{tab}.html",
        "tabs": _build_tabs(project, opened),
        "recall": Recall.objects.within(opened.memory_id).first() if opened.memory_id else None,
        "spaces": _list_spaces(project, opened),
        **_build_actions_context(project, opened),
        **change_context(request),
        **CONTEXTS[tab](request, project, opened),
    }
    return render_page(request, "console/skills/skill.html", "console/skills/_skill.html", context)


def _build_tabs(project: Project, skill: Skill) -> list[Tab]:
    titles = {
        "content": _("Content"),
        "versions": _("Versions"),
        "evidence": _("Evidence"),
        "use": _("Use"),
        "install": _("Install"),
    }
    counts = {
        "versions": list_skill_versions(skill).count() or 1,
        "evidence": count_evidence(project, [skill]).get(skill.pk, 0),
    }
    return build_tabs(titles, partial(build_skill_url, project, skill), counts)


def _list_spaces(project: Project, skill: Skill) -> list[SpaceSkill]:
    """The learning spaces that read and write it."""
    rows = SpaceSkill.objects.within(project).filter(skill=skill).select_related("space__person")
    return list(rows.order_by("-created_at")[:10])


def _build_actions_context(project: Project, skill: Skill) -> dict[str, Any]:
    """Return what can be done with it: a knowledge base's skill changes and goes with its file."""
    of_base = skill.project_id is None
    file_url = ""
    if of_base and skill.source_file and skill.cube:
        file_url = reverse(
            "console:knowledge_file", args=[project.pk, skill.cube.owner_id, skill.source_file.hex]
        )
    moves = {
        SkillState.DRAFT: ("approve", "archive"),
        SkillState.ACTIVE: ("archive",),
        SkillState.ARCHIVED: ("restore",),
    }
    return {
        "of_base": of_base,
        "file_url": file_url,
        "base_url": reverse("console:knowledge_base", args=[project.pk, skill.cube.owner_id])
        if of_base and skill.cube
        else "",
        "moves": moves[SkillState(skill.state)],
    }


def _describe_use(request: HttpRequest, project: Project, skill: Skill) -> dict[str, Any]:
    return {"uses": list_skill_uses(project, skill)}


def _build_install_context(request: HttpRequest, project: Project, skill: Skill) -> dict[str, Any]:
    titles = {"curl": "curl", "sdk": "Python SDK", "requests": _("Search")}
    return {
        "snippets": [
            Snippet(name, titles[name], language, _build_snippet(name, skill)) for name, language in INSTALLS
        ]
    }


def _build_snippet(name: str, skill: Skill) -> str:
    more = {"skill_id": str(skill.pk)}
    if skill.cube and skill.cube.owner_kind == "knowledge_base":
        more["base_id"] = skill.cube.owner_id
    elif skill.cube and skill.cube.owner_kind == "end_user" and PLAIN.fullmatch(skill.cube.owner_id):
        more["user_id"] = skill.cube.owner_id
    return render_snippet(f"install/{name}", **more)


CONTEXTS: dict[str, Callable[[HttpRequest, Project, Skill], dict[str, Any]]] = {
    "content": build_content_context,
    "versions": build_versions_context,
    "evidence": build_evidence_context,
    "use": _describe_use,
    "install": _build_install_context,
}
