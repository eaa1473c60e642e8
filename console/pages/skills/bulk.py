"""Archive or delete several skills: the ticked ones, or all that match the filters."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from console.pages.shell.access import MANY, get_access, get_person, project_view, refuse_access
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.skills.skills import WantedSkills
from console.templatetags.console import num
from console.ui.lists.query_values import parse_choice, parse_uuids
from console.ui.lists.selection import SAMPLES, TYPED_ABOVE, Selection
from memories.consolidation.versions import build_member_actor
from skills.catalogue.console_list import SkillShelf, filter_skills
from skills.catalogue.write import delete_skills, set_state
from skills.models import Skill
from skills.values import SkillState
from tenancy.audit.log import record_event
from tenancy.models import Project

MOVES = ("archive", "delete")


@project_view("change_skills")
@require_POST
def skills_bulk(request: HttpRequest, project: Project) -> HttpResponse:
    """First the question with its count and samples; with `confirmed` the action."""
    move = parse_choice(request.POST.get("move", ""), MOVES) or MOVES[0]
    selection = Selection.of(request.POST)
    meant = _select_chosen(project, move, selection)
    count = meant.count()
    back = reverse("console:skills", args=[project.pk])
    if count == 0:
        message = _("None of them can be deleted here.") if move == "delete" else _("Nothing to archive.")
        return answer_done(request, message, back, "skill-changed")
    if count > MANY and not get_access(request).may("delete_many_memories"):
        raise refuse_access("delete_many_memories")
    is_typed = request.POST.get("typed", "").strip() == str(count)
    is_confirmed = request.POST.get("confirmed") == "yes"
    # A filter may match more by now: what was archived since, or got another name.
    is_same = not selection.everything or request.POST.get("count", str(count)) == str(count)
    if is_confirmed and is_same and (is_typed or count <= TYPED_ABOVE):
        return answer_done(
            request, _apply_move(request, project, move, meant), back, "skill-changed", "selection-spent"
        )
    return _ask_confirmation(request, project, move, selection, meant, is_wrong=is_confirmed)


def _select_chosen(project: Project, move: str, selection: Selection) -> QuerySet[Skill]:
    """Select the chosen skills that the action applies to.

    A knowledge base's skill is deleted with its file, and an archived one is not archived again.
    """
    if selection.everything:
        wanted = WantedSkills.of(QueryDict(selection.filter)).shelf()
        rows = filter_skills(project, wanted).filter(created_at__lte=selection.cutoff)
        rows = rows.exclude(pk__in=selection.excluded)
    else:
        rows = filter_skills(project, SkillShelf()).filter(pk__in=parse_uuids(selection.ids))
    if move == "delete":
        return rows.filter(project=project)
    return rows.exclude(state=SkillState.ARCHIVED)


def _apply_move(request: HttpRequest, project: Project, move: str, meant: QuerySet[Skill]) -> str:
    rows = list(meant)
    if move == "delete":
        delete_skills(rows)
        action = "skills.deleted"
        message = ngettext("%(count)s skill deleted.", "%(count)s skills deleted.", len(rows))
    else:
        for skill in rows:
            set_state(skill, SkillState.ARCHIVED, actor=build_member_actor(get_person(request)))
        action = "skills.archived"
        message = ngettext("%(count)s skill archived.", "%(count)s skills archived.", len(rows))
    detail = {"count": len(rows)}
    record_event(project.account, get_person(request), action, project, project=project, detail=detail)
    return message % {"count": num(len(rows))}


def _ask_confirmation(
    request: HttpRequest,
    project: Project,
    move: str,
    selection: Selection,
    meant: QuerySet[Skill],
    *,
    is_wrong: bool,
) -> HttpResponse:
    count = meant.count()
    context: dict[str, Any] = {
        "project": project,
        "count": count,
        "asked_about": str(count),
        "samples": list(meant.order_by("-created_at")[:SAMPLES]),
        "rest": max(0, count - SAMPLES),
        "skipped": max(0, len(selection.ids) - count) if not selection.everything else 0,
        "move": move,
        "selection": selection,
        "ids": [] if selection.everything else selection.ids,
        "cutoff": selection.cutoff.isoformat(),
    }
    dialog = _build_dialog(project, move, count, _("The number does not match.") if is_wrong else "")
    return show_dialog(request, dialog, context, 422 if is_wrong else 200)


def _build_dialog(project: Project, move: str, count: int, error: str) -> Dialog:
    if move == "delete":
        title = ngettext("Delete %(count)s skill?", "Delete %(count)s skills?", count)
        verb = ngettext("Delete %(count)s skill", "Delete %(count)s skills", count)
    else:
        title = ngettext("Archive %(count)s skill?", "Archive %(count)s skills?", count)
        verb = ngettext("Archive %(count)s skill", "Archive %(count)s skills", count)
    return Dialog(
        template="console/skills/dialogs/_bulk_dialog.html",
        title=title % {"count": num(count)},
        verb=verb % {"count": num(count)},
        action=reverse("console:skills_bulk", args=[project.pk]),
        back=reverse("console:skills", args=[project.pk]),
        is_danger=move == "delete",
        typed=str(count) if count > TYPED_ABOVE else "",
        error=error,
    )
