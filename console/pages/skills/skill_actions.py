"""Approving, archiving, restoring and deleting one skill, and copying it into a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.knowledge.bases import ChoiceForm
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import answer_done, redirect_with_message, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.skills.skill_context import build_dialog, build_skill_url, get_skill
from knowledgebase.bases.bases import list_linked_bases
from knowledgebase.uploads.copy_skill import copy_skill
from memories.consolidation.versions import build_member_actor
from skills.catalogue.catalogue import remove_skill
from skills.catalogue.edit import move_skill
from skills.models import Skill
from skills.values import SkillState
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


@dataclass(frozen=True, slots=True)
class SkillAction:
    """One thing that a member may do with a skill's state, in the words of its question."""

    starts: frozenset[SkillState]
    ends: SkillState
    verb: Any
    button_text: Any  # verb and object, for the dialog's button
    title: Any
    text: Any
    message: Any


MOVES = {
    "approve": SkillAction(
        frozenset({SkillState.DRAFT}),
        SkillState.ACTIVE,
        gettext_lazy("Approve"),
        gettext_lazy("Approve skill"),
        gettext_lazy("Approve this skill?"),
        gettext_lazy("Searches that ask for skills return it from now on."),
        gettext_lazy("Approved. Searches find it now."),
    ),
    "archive": SkillAction(
        frozenset({SkillState.DRAFT, SkillState.ACTIVE}),
        SkillState.ARCHIVED,
        gettext_lazy("Archive"),
        gettext_lazy("Archive skill"),
        gettext_lazy("Archive this skill?"),
        gettext_lazy(
            "It is removed from every search immediately and stays here with its versions and evidence. You can "
            "restore it."
        ),
        gettext_lazy("Archived."),
    ),
    "restore": SkillAction(
        frozenset({SkillState.ARCHIVED}),
        SkillState.ACTIVE,
        gettext_lazy("Restore"),
        gettext_lazy("Restore skill"),
        gettext_lazy("Restore this skill?"),
        gettext_lazy("Searches that ask for skills return it again."),
        gettext_lazy("Restored."),
    ),
}


@project_view("change_skills", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def skill_move(request: HttpRequest, project: Project, skill_id: UUID, move: str) -> HttpResponse:
    """No transaction is open while the skill is embedded again."""
    skill = get_skill(project, skill_id)
    chosen = MOVES.get(move)
    if chosen is None or SkillState(skill.state) not in chosen.starts:
        raise Http404
    if request.method == "POST":
        record = partial(_record_action, request, project, f"skill.{move}")
        move_skill(project, skill.pk, chosen.ends, build_member_actor(get_person(request)), record)
        return answer_done(request, str(chosen.message), build_skill_url(project, skill), "skill-changed")
    dialog = build_dialog(
        project,
        skill,
        "skill_move",
        "_move_dialog",
        move,
        title=str(chosen.title),
        verb=str(chosen.button_text),
    )
    return show_dialog(request, dialog, {"skill": skill, "text": chosen.text})


def _record_action(request: HttpRequest, project: Project, action: str, skill: Skill) -> None:
    record_event(project.account, get_person(request), action, skill, project=project)


@project_view("change_skills", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def skill_delete(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    skill = get_skill(project, skill_id)
    error = ""
    if request.method == "POST":
        try:
            with tenant_scope(project):
                remove_skill(project, skill.pk)
                _record_action(request, project, "skill.deleted", skill)
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            message = _("“%(name)s” is deleted.") % {"name": skill.title}
            return redirect_with_message(request, message, reverse("console:skills", args=[project.pk]))
    dialog = build_dialog(
        project,
        skill,
        "skill_delete",
        "_delete_dialog",
        title=_("Delete “%(name)s”?") % {"name": skill.title},
        verb=_("Delete skill"),
        is_danger=True,
    )
    return show_dialog(request, dialog, {"skill": skill, "error": error}, 422 if error else 200)


@project_view("change_bases", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def skill_copy(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    """A copy becomes a file of the base, and goes through its checks like any upload."""
    skill = get_skill(project, skill_id)
    with tenant_scope(project.account):
        bases = list(list_linked_bases(project).order_by("name", "pk"))
    form = ChoiceForm(
        request.POST or None, _("Knowledge base"), [(base.public_id, base.name) for base in bases]
    )
    if request.method == "POST" and form.is_valid():
        base = next(base for base in bases if base.public_id == form.cleaned_data["chosen"])
        try:
            record = partial(_record_action, request, project, "skill.copied", skill)
            copy_skill(project, base, skill, get_person(request), record)
        except CatalogueError as refusal:
            form.add_error(None, describe_failure(refusal))
        else:
            message = _("Copied to “%(name)s”. It is there in a moment.") % {"name": base.name}
            return answer_done(request, message, build_skill_url(project, skill))
    dialog = build_dialog(
        project,
        skill,
        "skill_copy",
        "_copy_dialog",
        title=_("Copy to a knowledge base"),
        verb=_("Copy skill"),
    )
    context = {"form": form, "project": project, "skill": skill, "has_choice": bool(bases)}
    return show_dialog(request, dialog, context, 422 if form.errors else 200)
