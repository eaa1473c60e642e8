"""Edit the SKILL.md of a skill, with a preview."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import redirect_with_message
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from console.pages.skills.files import build_content_context
from console.pages.skills.skill_context import build_skill_url, change_context, get_skill
from console.ui.lists.query_values import parse_whole_number
from console.ui.texts.line_diff import DiffRow, compare_lines, is_comparable
from memories.consolidation.versions import build_member_actor
from skills.catalogue.edit import SkillEdit, StaleEdit, edit_skill, load_skill_md, read_text
from skills.models import Skill
from skills.packages.limits import MAX_SKILL_MD
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

LONGEST_REASON = 200


@project_view("change_skills", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def skill_edit(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    """No transaction is open while the new text is embedded."""
    skill = get_skill(project, skill_id)
    if skill.project_id is None:
        return HttpResponseRedirect(build_skill_url(project, skill))
    with tenant_scope(project):
        saved = load_skill_md(skill).text or ""
    error, status, meanwhile = "", 200, list[DiffRow]()
    if request.method == "POST":
        edit = read_edit(request)
        try:
            edited = edit_skill(project, skill.pk, edit, partial(_record_edit, request, project))
        except StaleEdit as refusal:
            error, status, meanwhile = describe_failure(refusal), 409, _compare_texts(saved, edit.text)
        except CatalogueError as refusal:
            error, status = describe_failure(refusal), 422
        else:
            message = _("Saved as version %(number)s.") % {"number": edited.version}
            return redirect_with_message(request, message, build_skill_url(project, skill))
    context = _build_context(request, project, skill, saved) | {
        "error": error,
        "meanwhile": meanwhile,
        "is_stale": status == 409,
    }
    return render_page(
        request,
        "console/skills/editing/edit.html",
        "console/skills/editing/_edit.html",
        context,
        status,
    )


def _record_edit(request: HttpRequest, project: Project, edited: Skill) -> None:
    detail = {"version": edited.version}
    record_event(project.account, get_person(request), "skill.edited", edited, project=project, detail=detail)


@project_view("change_skills", is_scoped=False)
@require_POST
def skill_preview(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    """What the text would look like, or the rule that it breaks."""
    skill = get_skill(project, skill_id)
    with tenant_scope(project):
        context = _render_preview(request, project, skill, read_sent_text(request))
    return render_page(
        request, "console/skills/editing/preview.html", "console/skills/editing/_preview.html", context
    )


def _compare_texts(saved: str, text: str) -> list[DiffRow]:
    return compare_lines(saved, text) if is_comparable(saved, text) else []


def read_edit(request: HttpRequest) -> SkillEdit:
    return SkillEdit(
        read_sent_text(request),
        parse_whole_number(request.POST.get("seen", ""), digits=7) or 0,
        build_member_actor(get_person(request)),
        request.POST.get("reason", "").replace("\0", "").strip()[:LONGEST_REASON],
    )


def read_sent_text(request: HttpRequest) -> str:
    """Browsers send line ends of their own."""
    return request.POST.get("text", "").replace("\r\n", "\n")


def _build_context(request: HttpRequest, project: Project, skill: Skill, saved: str) -> dict[str, Any]:
    is_sent = request.method == "POST"
    text = read_sent_text(request) if is_sent else saved
    with tenant_scope(project):
        preview = _render_preview(request, project, skill, text)
    return {
        "saved": saved,
        "text": text,
        "reason": request.POST.get("reason", ""),
        "seen": request.POST.get("seen", "") if is_sent else skill.version,
        "most": MAX_SKILL_MD,
        **change_context(request),
        **preview,
    }


def _render_preview(request: HttpRequest, project: Project, skill: Skill, text: str) -> dict[str, Any]:
    """Render the preview inside the tenant scope, where pictures and links of the skill can be resolved."""
    there = build_content_context(request, project, skill)
    context: dict[str, Any] = {"project": project, "skill": skill, "fault": "", "read": None}
    try:
        context["read"] = read_text(text)
    except CatalogueError as refusal:
        context["fault"] = describe_failure(refusal)
    return context | {
        "size": len(text.encode()),
        "file_urls": there["file_urls"],
        "picture_urls": there["picture_urls"],
    }
