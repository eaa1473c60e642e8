"""Deleting an end user: the question with its counts, and the receipt."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.data.erasure.delete_end_user import MOST_COUNTED, OF_AGENTS, count_end_user_rows, delete_end_user
from console.pages.memory.users.user import get_end_user
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, show_dialog
from console.pages.shell.rendering import render_page, wants_only_fragment
from console.ui.htmx_triggers import trigger_events
from tenancy.models import Project

# What a field of one line drops from what is pasted into it.
_LINE_BREAKS = re.compile(r"[\r\n]")
# At either end, for scripts and for Python.
_SPACES = " \t\v\f\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))


@project_view("delete_person")
@require_http_methods(["GET", "HEAD", "POST"])
def user_delete(request: HttpRequest, project: Project, user_id: str) -> HttpResponse:
    """With everything that is stored of them, after their id was typed."""
    cube = get_end_user(project, user_id)
    word = get_word_to_type(cube.owner_id)
    is_posted = request.method == "POST"
    with_agents = not is_posted or request.POST.get("sessions") == "yes"
    is_confirmed = get_word_to_type(request.POST.get("typed", "")) == word
    if is_posted and is_confirmed and (word or request.POST.get("confirmed") == "yes"):
        receipt = delete_end_user(project, cube.owner_id, get_person(request), with_agents=with_agents)
        lines = receipt.holdings.list_lines(with_agents=receipt.with_agents)
        return _show_receipt(request, project, {"receipt": receipt, "lines": lines, "user_id": cube.owner_id})
    holdings = count_end_user_rows(project, cube.owner_id)
    dialog = Dialog(
        template="console/memory/users/_delete_dialog.html",
        title=_("Delete this end user?"),
        verb=_("Delete end user"),
        action=reverse("console:user_delete", args=[project.pk, cube.owner_id]),
        back=reverse("console:user", args=[project.pk, cube.owner_id]),
        is_danger=True,
        typed=word,
        error=_("The ID does not match.") if is_posted else "",
    )
    context = {
        "lines": holdings.list_lines(with_agents=False),
        "agent_side": any(holdings.agent_side.get(kind) for kind in OF_AGENTS),
        "holdings": holdings,
        "is_chosen": with_agents,
        "most": MOST_COUNTED,
    }
    return show_dialog(request, dialog, context, 422 if is_posted else 200)


def get_word_to_type(user_id: str) -> str:
    """An id as it can be typed into a field; what cannot be typed at all is confirmed by the button alone."""
    return _LINE_BREAKS.sub("", user_id).strip(_SPACES)


def _show_receipt(request: HttpRequest, project: Project, context: dict[str, object]) -> HttpResponse:
    """Show the receipt in place of the deleted end user's page; the address becomes that of the list."""
    context |= {"project": project, "most": MOST_COUNTED}
    response = render_page(
        request, "console/memory/users/receipt.html", "console/memory/users/_receipt.html", context
    )
    response["Cache-Control"] = "no-store"
    if wants_only_fragment(request):
        response["HX-Retarget"], response["HX-Reswap"] = "#content", "innerHTML"
        response["HX-Push-Url"] = reverse("console:users", args=[project.pk])
        trigger_events(response, {"dialog-done": {}})
    return response
