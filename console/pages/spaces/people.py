"""People by the identifiers that agents use: what there is of each, and its deletion."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.access import access_of, person, project_view, roles_for
from console.pages.dialogs import Dialog, ask, done
from console.pages.paging import page_of
from console.pages.rendering import show
from console.pages.selects import words_of
from console.pages.spaces.shared import list_tabs
from console.templatetags.console import about
from skills.models import SpaceUser
from skills.people import delete_person
from skills.person import MAX_IDENTIFIER
from skills.space_shelf import PersonFigures, people_figures, people_shelf
from tenancy.audit import record
from tenancy.models import Project


@project_view("see")
@require_safe
def people(request: HttpRequest, project: Project) -> HttpResponse:
    words = words_of(request.GET.get("q", ""), MAX_IDENTIFIER)
    rows = people_shelf(project, words)
    page = page_of(request, rows)
    figures = people_figures(project, page.rows)
    for row in page.rows:
        row.figures = figures.get(row.pk, PersonFigures())
    context = {
        "project": project,
        "words": words,
        "is_narrow": bool(words),
        "people": page.rows,
        "said": _("%(count)s in all, newest first") % {"count": about(rows.count())},
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "list_tabs": list_tabs(project, "spaces_people"),
        "may_delete": access_of(request).may("delete_person"),
        "delete_hint": _("Only %(roles)s can delete users.") % {"roles": roles_for("delete_person")},
    }
    return show(request, "console/spaces/people.html", "console/spaces/_people.html", context)


@project_view("delete_person")
@require_http_methods(["GET", "HEAD", "POST"])
def person_delete(request: HttpRequest, project: Project, person_id: UUID) -> HttpResponse:
    """With all that is theirs, after their identifier was typed."""
    doomed = SpaceUser.objects.within(project).filter(pk=person_id).first()
    if doomed is None:
        raise Http404
    back = reverse("console:spaces_people", args=[project.pk])
    is_typed = request.POST.get("typed", "").strip() == doomed.identifier.strip()
    if request.method == "POST" and is_typed:
        record(project.account, person(request), "person.deleted", doomed, project=project)
        delete_person(project, doomed.identifier)
        return done(request, _("The user and all that was theirs is deleted."), back, "person-changed")
    is_wrong = request.method == "POST"
    dialog = Dialog(
        template="console/spaces/_person_dialog.html",
        title=_("Delete this user?"),
        verb=_("Delete user"),
        action=reverse("console:spaces_person_delete", args=[project.pk, doomed.pk]),
        back=back,
        is_danger=True,
        typed=doomed.identifier.strip(),
        error=_("That is not the identifier.") if is_wrong else "",
    )
    context = {"doomed": doomed, "figures": people_figures(project, [doomed])[doomed.pk]}
    return ask(request, dialog, context, 422 if is_wrong else 200)
