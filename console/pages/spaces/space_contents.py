"""What goes into a space and out of it: skills, and sessions to learn from."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, ask, done
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


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_include(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    space = get_space(project, space_id)
    form = ById(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            include_skill(project, space.pk, form.cleaned_data["chosen"])
        except CatalogueError as failure:
            form.add_error("chosen", describe_failure(failure))
        else:
            record_event(project.account, get_person(request), "space.skill_added", space, project=project)
            return done(request, _("Added."), build_space_url(project, space), "space-changed")
    found = filter_skills(project, SkillShelf()).exclude(state=SkillState.ARCHIVED)
    found = found.exclude(pk__in=list_skills_in_space(project, space.pk).values("pk"))
    offered = [(skill.pk, skill.title) for skill in found.order_by("-created_at")[:OFFERED]]
    dialog = _build_dialog(project, space, "space_include", _("Add a skill"), _("Add skill"), "skills")
    lead = _("Learning then follows its SKILL.md and updates its files.")
    context = {"form": form, "offered": offered, "lead": lead}
    return ask(request, dialog, context, 422 if form.errors else 200)


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
        said = _("“%(name)s” was removed from the space.") % {"name": skill.title}
        return done(request, said, build_space_url(project, space), "space-changed")
    dialog = Dialog(
        template="console/spaces/dialogs/_exclude_dialog.html",
        title=_("Remove “%(name)s” from the space?") % {"name": skill.title},
        verb=_("Remove skill"),
        action=reverse("console:space_exclude", args=[project.pk, space.pk, skill.pk]),
        back=build_space_url(project, space),
        is_danger=True,
    )
    return ask(request, dialog, {"skill": skill})


@project_view("change_spaces")
@require_http_methods(["GET", "HEAD", "POST"])
def space_learn(request: HttpRequest, project: Project, space_id: UUID) -> HttpResponse:
    space = get_space(project, space_id)
    form = ById(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            attach_session(project, space.pk, form.cleaned_data["chosen"])
        except CatalogueError as failure:
            form.add_error("chosen", describe_failure(failure))
        else:
            record_event(
                project.account, get_person(request), "space.session_attached", space, project=project
            )
            said = _("Session attached. Its status shows the progress of learning.")
            return done(request, said, build_space_url(project, space, "sessions"), "space-changed")
    free = filter_sessions(project, "", "").filter(record=None).order_by("-created_at")[:OFFERED]
    offered = [(row.pk, _format_session_name(row)) for row in free]
    dialog = _build_dialog(project, space, "space_learn", _("Learn from a session"), _("Learn"), "sessions")
    lead = _("What succeeded, failed or was preferred in it becomes part of the skills of this space.")
    context = {"form": form, "offered": offered, "lead": lead}
    return ask(request, dialog, context, 422 if form.errors else 200)


def _format_session_name(session: Any) -> str:
    messages = _("%(count)s messages") % {"count": num(session.message_count)}
    return f"{session.person.identifier} · {messages}" if session.person else messages


def _build_dialog(
    project: Project, space: LearningSpace, page: str, title: str, verb: str, tab: str
) -> Dialog:
    return Dialog(
        template="console/spaces/dialogs/_id_dialog.html",
        title=title,
        verb=verb,
        action=reverse(f"console:{page}", args=[project.pk, space.pk]),
        back=build_space_url(project, space, tab),
    )
