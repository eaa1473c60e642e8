"""Pages and answers of OAuth: the metadata of the protected resource, and consent with a choice of project."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from allauth.idp.oidc.forms import AuthorizationForm
from allauth.idp.oidc.models import Client
from allauth.idp.oidc.views import AuthorizationView
from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from console.interfaces.oauth.adapter import PLACE
from console.interfaces.oauth.grants import grant_access, list_grantable_projects
from console.interfaces.oauth.resource import get_resource_uri
from console.interfaces.oauth.scopes import IGNORED_SCOPES, SCOPES
from tenancy.errors import CatalogueError


@require_safe
def protected_resource(request: HttpRequest) -> JsonResponse:
    """RFC 9728: which server issues tokens for the MCP endpoint."""
    answer = JsonResponse(
        {
            "resource": get_resource_uri(),
            "resource_name": "Engram",
            "authorization_servers": [settings.PUBLIC_URL],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
        }
    )
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


class ConsentForm(AuthorizationForm):
    """Form for the consent: which project the application may use, and what it may do there."""

    def __init__(self, *given: Any, user: Any, requested_scopes: list[str], **named: Any) -> None:
        offered = [scope for scope in requested_scopes if scope in SCOPES] or list(SCOPES)
        super().__init__(*given, user=user, requested_scopes=offered, **named)
        self.projects = {str(project.pk): project for project in list_grantable_projects(user)}
        self.fields["project"] = forms.ChoiceField(
            label=gettext_lazy("Project"),
            choices=[
                (key, f"{project.account.name} / {project.name}") for key, project in self.projects.items()
            ],
        )
        self.fields["scopes"].label = gettext_lazy("The application may")

    def clean_project(self) -> Any:
        return self.projects[self.cleaned_data["project"]]


class ConsentView(AuthorizationView):
    """Asks the signed-in member; a grant binds the application's tokens to one project."""

    form_class = ConsentForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        asked = request.GET
        if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            return self._render_refusal(_("The application must use PKCE with S256."))
        return self._allow_redirect(super().get(request, *args, **kwargs))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._allow_redirect(super().post(request, *args, **kwargs))

    def form_valid(self, form: Any) -> HttpResponse:
        client = Client.objects.get(pk=self._request_info["client_id"])
        scopes = [scope for scope in form.cleaned_data["scopes"] if scope not in IGNORED_SCOPES]
        try:
            grant_access(self.request.user, client, form.cleaned_data["project"], scopes)
        except CatalogueError as refusal:
            form.add_error("project", refusal.text)
            return self.form_invalid(form)
        # Tokens are for the MCP endpoint, also where the client did not say so.
        self._request_info["resources"] = [get_resource_uri()]
        return super().form_valid(form)

    def _render_refusal(self, sentence: str) -> HttpResponse:
        return render(self.request, "idp/oidc/error.html", {"error": {"description": sentence}}, status=400)

    def _allow_redirect(self, response: HttpResponse) -> HttpResponse:
        """The answer to the form redirects to the application, which our policy must let browsers follow."""
        info = getattr(self, "_request_info", None)
        target = urlsplit(info.get("redirect_uri", "")) if info else None
        if target and target.scheme and PLACE.fullmatch(target.netloc):
            origin = f"{target.scheme}://{target.netloc}" if target.netloc else f"{target.scheme}:"
            response._csp_update = {"form-action": [origin]}  # type: ignore[attr-defined]
        return response


authorize = ConsentView.as_view()
