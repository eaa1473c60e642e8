"""The page on which a member approves a machine that shows a code."""

from __future__ import annotations

from typing import Any

from allauth.idp.oidc.forms import ConfirmCodeForm
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.interfaces.oauth.device import (
    DeviceRequest,
    approve_request,
    find_request,
    may_grant_keys,
    refuse_request,
)
from console.interfaces.oauth.grants import list_grantable_projects
from console.pages.project.keys.key_forms import SCOPES
from console.pages.shell.access import get_person, person_view
from tenancy.models import Project, User

LETTERS = 8


class CodeForm(ConfirmCodeForm):
    """The code as the terminal shows it; the dash and capitals may be left out."""

    def clean_code(self) -> str:
        letters = "".join(letter for letter in self.cleaned_data["code"] if letter.isalnum())[: LETTERS + 1]
        half = LETTERS // 2
        self.cleaned_data["code"] = f"{letters[:half]}-{letters[half:]}"
        return super().clean_code()


class ApprovalForm(forms.Form):
    """Form for the approval: which project the machine gets a key of, and what the key may do."""

    project = forms.ChoiceField(label=gettext_lazy("Project"))
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("The machine may"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: Any, *, user: User, asked: DeviceRequest) -> None:
        super().__init__(data, initial={"scopes": list(asked.scopes)})
        self.user = user
        self.projects = {str(project.pk): project for project in list_grantable_projects(user)}
        choices = [
            (key, f"{project.account.name} / {project.name}") for key, project in self.projects.items()
        ]
        self.fields["project"].choices = choices  # type: ignore[attr-defined]
        offered = [(scope, label) for scope, label in SCOPES if scope in asked.scopes]
        self.fields["scopes"].choices = offered  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        wanted = super().clean() or self.cleaned_data
        project: Project | None = self.projects.get(wanted.get("project", ""))
        if (
            project is not None
            and "keys" in wanted.get("scopes", ())
            and not may_grant_keys(self.user, project)
        ):
            self.add_error(
                "scopes", _("Only owners and admins of this project can let a machine manage keys.")
            )
        return wanted

    @property
    def chosen(self) -> Project:
        return self.projects[self.cleaned_data["project"]]


@person_view
@require_http_methods(["GET", "HEAD", "POST"])
def device(request: HttpRequest) -> HttpResponse:
    sent = request.POST if request.method == "POST" else request.GET
    if "code" not in sent:
        return _show_state(request, "enter", form=CodeForm())
    code_form = CodeForm(sent)
    if not code_form.is_valid():
        return _show_state(request, "enter", 422, form=code_form)
    try:
        asked = find_request(code_form.cleaned_data["code"])
    except ValidationError as error:  # it expired this moment
        code_form.add_error("code", error)
        return _show_state(request, "enter", 422, form=code_form)
    return _decide_request(request, asked)


def _decide_request(request: HttpRequest, asked: DeviceRequest) -> HttpResponse:
    user, action = get_person(request), request.POST.get("action", "")
    if action == "refuse":
        return _show_state(request, "refused" if refuse_request(user, asked) else "late", asked=asked)
    form = ApprovalForm(request.POST if action == "approve" else None, user=user, asked=asked)
    if not form.is_valid():
        return _show_state(request, "approve", 422 if form.errors else 200, form=form, asked=asked)
    is_done = approve_request(user, asked, form.chosen, form.cleaned_data["scopes"])
    return _show_state(request, "approved" if is_done else "late", asked=asked, project=form.chosen)


def _show_state(request: HttpRequest, state: str, status: int = 200, **context: Any) -> HttpResponse:
    response = render(request, "console/account/me/device.html", {"state": state, **context}, status=status)
    response["Cache-Control"] = "no-store"
    return response
