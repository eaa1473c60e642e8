"""Feedback in words about a conversation, as the application would send it: it corrects or deletes memories."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.memory.conversations.conversation import NAMED_BY, get_conversation
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, redirect_with_message, show_dialog
from console.ui.texts.api_words import translate_answer
from memories.api.views import AddFeedbackView
from memories.models import Conversation
from memories.values import OwnerKind
from tenancy.api.member_calls import MemberCall, call_as_member
from tenancy.audit.log import record_event
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

PATH = "/api/openmem/v1/add/feedback"
LONGEST_WORDS = 2_000


class MemberFeedback(MemberCall, AddFeedbackView):
    pass


class FeedbackForm(forms.Form):
    words = forms.CharField(
        label=gettext_lazy("What is wrong, and what is right"),
        max_length=LONGEST_WORDS,
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}),
        help_text=gettext_lazy("In the end user's words: “I live in Porto, not in Lisbon.”"),
    )


@project_view("change_memories", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def conversation_feedback(request: HttpRequest, project: Project, conversation_id: UUID) -> HttpResponse:
    """A call of the API, which counts and is logged; its task shows what came of it."""
    with tenant_scope(project):
        opened = get_conversation(project, conversation_id)
        named = _build_subject(opened)
    form = FeedbackForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        body = {
            **named,
            "conversation_id": opened.external_id,
            "feedback_content": form.cleaned_data["words"],
        }
        answer = call_as_member(MemberFeedback.as_view(), request, project, PATH, body).data
        if answer["code"] == 0:
            with tenant_scope(project):
                record_event(
                    project.account, get_person(request), "conversation.feedback", opened, project=project
                )
            task = reverse("console:task", args=[project.pk, answer["data"]["task_id"]])
            return redirect_with_message(request, _("Feedback sent. This page shows what came of it."), task)
        form.add_error("words", translate_answer(int(answer["code"]), str(answer["message"])))
    dialog = Dialog(
        template="console/ui/forms/form_dialog.html",
        title=_("Send feedback"),
        verb=_("Send feedback"),
        action=reverse("console:conversation_feedback", args=[project.pk, opened.pk]),
        back=reverse("console:conversation", args=[project.pk, opened.pk]),
    )
    lead = _(
        "Describe the mistake. Engram corrects or deletes the memories that it concerns. Counts as one feedback call."
    )
    return show_dialog(request, dialog, {"form": form, "lead": lead}, 422 if form.errors else 200)


def _build_subject(conversation: Conversation) -> dict[str, str]:
    """The subject as the API's body names it. Raises `Http404` for whom the API takes no feedback on."""
    field = NAMED_BY.get(OwnerKind(conversation.cube.owner_kind))
    if field is None:
        raise Http404
    return {field: conversation.cube.owner_id}
