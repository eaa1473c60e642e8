"""Extract the memories of one conversation again from its messages."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.pages.memory.conversations.conversation import get_conversation
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from memories.ingest.reextraction.runs import ReextractionMode, start_run
from tenancy.models import Project


@project_view("edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def conversation_reextract(request: HttpRequest, project: Project, conversation_id: UUID) -> HttpResponse:
    """A run of the project's settings, of this conversation only: it is listed and undone there."""
    opened = get_conversation(project, conversation_id)
    back = reverse("console:conversation", args=[project.pk, opened.pk])
    if request.method == "POST":
        start_run(project, ReextractionMode.APPLY, get_person(request), conversation=opened.pk)
        return answer_done(request, _("The memories of this conversation are being re-extracted."), back)
    dialog = Dialog(
        template="console/memory/conversations/_reextract_dialog.html",
        title=_("Re-extract the memories of this conversation?"),
        verb=_("Re-extract memories"),
        action=reverse("console:conversation_reextract", args=[project.pk, opened.pk]),
        back=back,
    )
    return show_dialog(request, dialog, {"project": project})
