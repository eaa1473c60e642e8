"""Add skills and sessions to a space, and remove skills from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.spaces.space import build_space_url
from console.pages.spaces.spaces import get_space
from console.templatetags.console import num
from skills.catalogue.console_list import SkillShelf, filter_skills
from skills.models import LearningSpace
from skills.spaces.console_lists import filter_sessions
from skills.spaces.spaces import (
    attach_session,
    exclude_skill,
    find_skill_in_space,
    include_skill,
    list_skills_in_space,
)
from skills.values import SkillState
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.models import Project

# So many are offered to choose from; any other one is named by its id.
OFFERED = 100


class ById(forms.Form):
    """One of those that are offered, or any by its id."""

    chosen = forms.UUIDField(
        label=gettext_lazy("Id"),
        widget=forms.TextInput(
            attrs={
                "autofocus": True,
                "autocomplete": "off",
                "spellcheck": "false",
                "class": "mono",
                "list": "offered",
            }
        ),
    )


@dataclass(frozen=True)
class Addition:
    """Things that a dialog adds to a space: what is offered, what adds it, and what the audit log and the page say
    then."""

    dialog: Dialog
    lead: str
    list_offered: Callable[[], list[tuple[UUID, str]]]
    add: Callable[[Project, UUID, UUID], object]
    event: str
    message: str


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_include(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    space = get_space(project, space_id)
    addition = Addition(
        dialog=_build_dialog(
            project, space, page="space_include", title=_("Add a skill"), verb=_("Add skill"), tab="skills"
        ),
        lead=_("Learning then follows its SKILL.md and updates its files."),
        list_offered=partial(_list_offered_skills, project, space),
        add=include_skill,
        event="space.skill_added",
        message=_("Added."),
    )
    return _ask_what_to_add(request, project, space, addition)


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_exclude(request: HttpRequest, project: Project, space_id: UUID, skill_id: UUID) -> HttpResponse:
    space = get_space(project, space_id)
    skill = find_skill_in_space(project, space.pk, skill_id)
    if skill is None:
        raise Http404
    if request.method == "POST":
        exclude_skill(project, space.pk, skill.pk)
        record_event(project.account, get_person(request), "space.skill_removed", space, project=project)
        message = _("“%(name)s” was removed from the space.") % {"name": skill.title}
        return answer_done(request, message, build_space_url(project, space), "space-changed")
    dialog = Dialog(
        template="console/spaces/dialogs/_exclude_dialog.html",
        title=_("Remove “%(name)s” from the space?") % {"name": skill.title},
        verb=_("Remove skill"),
        action=reverse("console:space_exclude", args=[project.pk, space.pk, skill.pk]),
        back=build_space_url(project, space),
        is_danger=True,
    )
    return show_dialog(request, dialog, {"skill": skill})


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_learn(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    space = get_space(project, space_id)
    addition = Addition(
        dialog=_build_dialog(
            project,
            space,
            page="space_learn",
            title=_("Learn from a session"),
            verb=_("Learn"),
            tab="sessions",
        ),
        lead=_("What succeeded, failed or was preferred in it becomes part of the skills of this space."),
        list_offered=partial(_list_offered_sessions, project),
        add=attach_session,
        event="space.session_attached",
        message=_("Session attached. Its status shows the progress of learning."),
    )
    return _ask_what_to_add(request, project, space, addition)


def _ask_what_to_add(
    request: HttpRequest, project: Project, space: LearningSpace, addition: Addition
) -> HttpResponse:
    form = ById(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            addition.add(project, space.pk, form.cleaned_data["chosen"])
        except CatalogueError as refusal:
            form.add_error("chosen", describe_failure(refusal))
        else:
            record_event(project.account, get_person(request), addition.event, space, project=project)
            return answer_done(request, addition.message, addition.dialog.back, "space-changed")
    context = {"form": form, "offered": addition.list_offered(), "lead": addition.lead}
    return show_dialog(request, addition.dialog, context, 422 if form.errors else 200)


def _build_dialog(
    project: Project, space: LearningSpace, *, page: str, title: str, verb: str, tab: str
) -> Dialog:
    return Dialog(
        template="console/spaces/dialogs/_id_dialog.html",
        title=title,
        verb=verb,
        action=reverse(f"console:{page}", args=[project.pk, space.pk]),
        back=build_space_url(project, space, tab),
    )


def _list_offered_skills(project: Project, space: LearningSpace) -> list[tuple[UUID, str]]:
    skills = filter_skills(project, SkillShelf()).exclude(state=SkillState.ARCHIVED)
    skills = skills.exclude(pk__in=list_skills_in_space(project, space.pk).values("pk"))
    return [(skill.pk, skill.title) for skill in skills.order_by("-created_at")[:OFFERED]]


def _list_offered_sessions(project: Project) -> list[tuple[UUID, str]]:
    free = filter_sessions(project, "", "").filter(record=None).order_by("-created_at")[:OFFERED]
    return [(row.pk, _format_session_name(row)) for row in free]


def _format_session_name(session: Any) -> str:
    messages = _("%(count)s messages") % {"count": num(session.message_count)}
    return f"{session.person.identifier} · {messages}" if session.person else messages
