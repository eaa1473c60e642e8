"""People by the identifiers that agents use: what is stored of each, and deletion."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.shell.access import format_roles_for, get_access, get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.rendering import render_page
from console.pages.spaces.space_context import list_context
from console.ui.lists.paging import load_page
from console.ui.lists.query_values import parse_search_words
from memories.lifecycle.erase_subject import count_remembered, erase_subject_rows
from memories.values import OwnerKind, Subject
from skills.models import SpaceUser
from skills.models.user_rows import MAX_IDENTIFIER
from skills.spaces.console_lists import PersonFigures, filter_people, load_people_figures
from skills.users.users import delete_person_rows
from tenancy.audit.log import record_event
from tenancy.models import Project, User
from tenancy.requests.log_erasure import erase_from_logs


@project_view("see")
@require_safe
def people(request: HttpRequest, project: Project) -> HttpResponse:
    words = parse_search_words(request.GET.get("q", ""), MAX_IDENTIFIER)
    rows = filter_people(project, words)
    page = load_page(request, rows)
    figures = load_people_figures(project, page.rows)
    for row in page.rows:
        row.figures = figures.get(row.pk, PersonFigures())
    context = {
        "is_narrow": bool(words),
        "people": page.rows,
        **list_context(project, "spaces_people", words, page, rows.count()),
        "may_delete": get_access(request).may("delete_person"),
        "delete_hint": _("Only %(roles)s can delete users.") % {"roles": format_roles_for("delete_person")},
    }
    return render_page(request, "console/spaces/people.html", "console/spaces/_people.html", context)


@project_view("delete_person")
@require_http_methods(["GET", "HEAD", "POST"])
def person_delete(request: HttpRequest, project: Project, person_id: UUID) -> HttpResponse:
    """With sessions, spaces and skills, after their identifier was typed.

    What is remembered of the end user of the same id goes only if that is chosen, too.
    """
    doomed = SpaceUser.objects.within(project).filter(pk=person_id).first()
    if doomed is None:
        raise Http404
    is_typed = request.POST.get("typed", "").strip() == doomed.identifier.strip()
    is_chosen = request.POST.get("memories") == "yes"
    if request.method == "POST" and is_typed:
        stays = _delete_person(project, get_person(request), doomed, with_memories=is_chosen)
        kept = _("The user is deleted. The end user's memories are kept.")
        message = kept if stays else _("The user is deleted.")
        return answer_done(
            request, message, reverse("console:spaces_people", args=[project.pk]), "person-changed"
        )
    is_wrong = request.method == "POST"
    dialog = Dialog(
        template="console/spaces/dialogs/_person_dialog.html",
        title=_("Delete this user?"),
        verb=_("Delete user"),
        action=reverse("console:spaces_person_delete", args=[project.pk, doomed.pk]),
        back=reverse("console:spaces_people", args=[project.pk]),
        is_danger=True,
        typed=doomed.identifier.strip(),
        error=_("The identifier does not match.") if is_wrong else "",
    )
    context = {
        "doomed": doomed,
        "figures": load_people_figures(project, [doomed])[doomed.pk],
        "remembered": count_remembered(project, doomed.identifier),
        "is_chosen": is_chosen,
    }
    return show_dialog(request, dialog, context, 422 if is_wrong else 200)


def _delete_person(project: Project, actor: User, doomed: SpaceUser, *, with_memories: bool) -> bool:
    """Return whether something is still remembered of the end user of this id."""
    detail = {"with_memories": with_memories}
    record_event(project.account, actor, "person.deleted", doomed, project=project, detail=detail)
    named = delete_person_rows(project, doomed.identifier)
    is_remembered = count_remembered(project, doomed.identifier) is not None
    if is_remembered and with_memories:
        named += erase_subject_rows(project, Subject(OwnerKind.END_USER, doomed.identifier))
    erase_from_logs(project, named)
    return is_remembered and not with_memories
