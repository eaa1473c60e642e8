"""The knowledge bases of a project: list, create, associate."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.knowledge.base_context import Space, get_bytes_allowed, link_context
from console.pages.shell.access import get_person, project_view, require_account_role
from console.pages.shell.dialogs import Dialog, answer_done, redirect_with_message, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from console.ui.texts.snippets import render_snippet
from knowledgebase.bases.base_summaries import BaseFigures, load_base_figures
from knowledgebase.bases.bases import create_base, link_base, list_account_bases, list_linked_bases
from knowledgebase.models import KnowledgeBase
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

# So many linked projects are named in a row; the rest is counted.
NAMED = 3


class BaseForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class ChoiceForm(forms.Form):
    """One of what there is to associate."""

    chosen = forms.ChoiceField()

    def __init__(self, data: Any, label: str, choices: list[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["chosen"].label = label
        self.fields["chosen"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField, see above


@project_view("see", is_scoped=False)
@require_safe
def knowledge(request: HttpRequest, project: Project) -> HttpResponse:
    with tenant_scope(project.account):
        context = _list_context(request, project)
        return render_page(request, "console/knowledge/page.html", "console/knowledge/_list.html", context)


@project_view("link_bases", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def knowledge_new(request: HttpRequest, project: Project) -> HttpResponse:
    form = BaseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            with transaction.atomic():
                base = create_base(project, wanted["name"], wanted["description"], by=get_person(request))
                record_event(
                    project.account, get_person(request), "knowledge_base.created", base, project=project
                )
        except CatalogueError as refusal:
            form.add_error(None, describe_failure(refusal))
        else:
            message = _("Knowledge base “%(name)s” is ready.") % {"name": base.name}
            return redirect_with_message(
                request, message, reverse("console:knowledge_base", args=[project.pk, base.public_id])
            )
    dialog = _build_dialog(project, "knowledge_new", _("New knowledge base"), _("Create knowledge base"))
    lead = _("It is linked to this project immediately. You can associate other projects later.")
    return show_dialog(request, dialog, {"form": form, "lead": lead}, 422 if form.errors else 200)


@project_view("link_bases", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def knowledge_associate(request: HttpRequest, project: Project) -> HttpResponse:
    free = _list_unlinked_bases(project)
    choices = [(base.public_id, base.name) for base in free]
    form = ChoiceForm(request.POST or None, _("Knowledge base"), choices)
    if request.method == "POST" and form.is_valid():
        base = next(base for base in free if base.public_id == form.cleaned_data["chosen"])
        require_account_role(request, "link_bases")
        with transaction.atomic():
            link_base(project, base)
            record_event(project.account, get_person(request), "knowledge_base.linked", base, project=project)
        return _confirm_change(request, project, _("“%(name)s” is associated.") % {"name": base.name})
    dialog = _build_dialog(project, "knowledge_associate", _("Associate a knowledge base"), _("Associate"))
    lead = _("Searches of this project may then name it, and its feedback may correct it.")
    context = {"form": form, "lead": lead, "has_choice": bool(choices)}
    return show_dialog(request, dialog, context, 422 if form.errors else 200)


def _list_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    bases = list(list_linked_bases(project).order_by("name", "pk"))
    figures, most = load_base_figures(bases), get_bytes_allowed(project)
    return {
        "project": project,
        "bases": [_build_row(base, figures[base.pk], most) for base in bases],
        "snippet": render_snippet("base_curl"),
        "plan_is_full": _explain_full_plan(project),
        **link_context(request),
    }


def _build_row(base: KnowledgeBase, figures: BaseFigures, most: int) -> dict[str, Any]:
    more = max(0, len(figures.projects) - NAMED)
    return {"base": base, "figures": figures, "space": Space(base.bytes_used, most), "more_projects": more}


def _explain_full_plan(project: Project) -> str:
    """Return what to do when the plan has no more bases, in words; nothing is deleted by itself."""
    plan = project.account.plan
    count = list_account_bases(project.account).count()
    if count < plan.knowledge_bases:
        return ""
    words = _(
        "This account has %(count)s of the %(most)s knowledge bases that the plan %(plan)s allows. "
        "Existing ones keep working. To create another, delete one or choose a larger plan."
    )
    return words % {"count": count, "most": plan.knowledge_bases, "plan": plan.name}


def _list_unlinked_bases(project: Project) -> list[KnowledgeBase]:
    with tenant_scope(project.account):
        linked = list_linked_bases(project).values("pk")
        return list(list_account_bases(project.account).exclude(pk__in=linked).order_by("name", "pk"))


def _confirm_change(request: HttpRequest, project: Project, message: str) -> HttpResponse:
    return answer_done(request, message, reverse("console:knowledge", args=[project.pk]), "base-changed")


def _build_dialog(project: Project, name: str, title: str, verb: str) -> Dialog:
    return Dialog(
        template="console/ui/forms/form_dialog.html"
        if name == "knowledge_new"
        else "console/knowledge/dialogs/_choice_dialog.html",
        title=title,
        verb=verb,
        action=reverse(f"console:{name}", args=[project.pk]),
        back=reverse("console:knowledge", args=[project.pk]),
    )
