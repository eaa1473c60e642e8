"""A project's own model provider in place of the installation's: save, test, remove."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.shell.access import format_roles_for, get_access, get_person, project_view
from console.pages.shell.dialogs import Dialog, add_body_events, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.reauthenticate import reauthenticated
from console.pages.shell.rendering import render_page, wants_only_fragment
from memories.engine.provider_settings import Trial, delete_own_model, save_own_model, try_own_model
from tenancy.errors import CatalogueError
from tenancy.models import Project
from tenancy.models.provider import ModelProvider
from tenancy.projects.model_providers import ProviderInput, find_provider

MOST_MODELS = 20
CARD = "console/project/settings/_provider.html"


def _build_text_field(label: Any, hint: Any, most: int, **more: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    return forms.CharField(label=label, help_text=hint, max_length=most, widget=widget, **more)


class ProviderForm(forms.Form):
    base_url = _build_text_field(
        gettext_lazy("Base URL"),
        gettext_lazy("Of any server with OpenAI's /chat/completions, such as https://api.example.com/v1."),
        300,
    )
    model = _build_text_field(
        gettext_lazy("Model"), gettext_lazy("Makes memories and skills, and answers in chat."), 120
    )
    chat_models = _build_text_field(
        gettext_lazy("Other models for chat"),
        gettext_lazy("Models that chat callers may choose by name, separated by commas."),
        1_000,
        required=False,
    )
    vision_model = _build_text_field(
        gettext_lazy("Model for pictures"),
        gettext_lazy("Without one, pictures are known by their names and the words beside them."),
        120,
        required=False,
    )
    key = forms.CharField(
        label=gettext_lazy("API key"),
        max_length=500,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    has_no_key = forms.BooleanField(label=gettext_lazy("This server needs no key"), required=False)

    def clean_chat_models(self) -> tuple[str, ...]:
        names = [part.strip() for part in self.cleaned_data["chat_models"].split(",")]
        models = tuple(dict.fromkeys(name for name in names if name))
        if len(models) > MOST_MODELS or any(len(name) > 120 for name in models):
            raise forms.ValidationError(
                _("At most %(most)s names of 120 characters.") % {"most": MOST_MODELS}
            )
        return models

    def build_input(self) -> ProviderInput:
        values = self.cleaned_data
        key = "" if values["has_no_key"] else values["key"].strip() or None
        base_url = values["base_url"].strip().rstrip("/")
        return ProviderInput(
            base_url, values["model"].strip(), values["chat_models"], values["vision_model"].strip(), key
        )


@project_view("see", changing="change_provider")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def model_provider(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(_get_provider_url(project))
    form = ProviderForm(request.POST, prefix="provider")
    if form.is_valid():
        try:
            save_own_model(project, form.build_input(), get_person(request))
        except CatalogueError as refusal:
            form.add_error(*_find_faulty_field(refusal))
        else:
            return _confirm_saving(request, project, _("Saved. Try it with “Test”."))
    return _render_form(request, project, {"provider_form": form}, 422)


@project_view("change_provider", is_scoped=False)
@require_POST
def model_provider_try(request: HttpRequest, project: Project) -> HttpResponse:
    """A model is asked here, so no transaction is open meanwhile; the page it is drawn into opens its own."""
    try:
        trial = try_own_model(project)
    except CatalogueError as refusal:
        context = {"trial_said": describe_failure(refusal), "trial_is_well": False}
    else:
        context = {"trial_said": describe_trial(trial), "trial_is_well": not trial.trouble}
    return render_page(
        request,
        "console/project/settings/provider_trial.html",
        "console/project/settings/_trial.html",
        context,
    )


@project_view("change_provider")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def model_provider_delete(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method == "POST":
        delete_own_model(project, get_person(request))
        return answer_done(
            request, _("This project now uses the installation's own engines."), _get_provider_url(project)
        )
    dialog = Dialog(
        template="console/project/settings/_provider_delete_dialog.html",
        title=_("Remove this provider?"),
        verb=_("Remove provider"),
        action=reverse("console:model_provider_delete", args=[project.pk]),
        back=_get_provider_url(project),
        is_danger=True,
        live=False,
    )
    return show_dialog(request, dialog, {"provider": find_provider(project)})


def build_provider_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    """The form as it is kept, without the key; inside the project's scope."""
    may_change = get_access(request).may("change_provider")
    provider = find_provider(project)
    form = ProviderForm(prefix="provider", initial=_get_initial_values(provider) if may_change else {})
    for field in form.fields.values():
        field.disabled = not may_change
    return {
        "project": project,
        "provider": provider,
        "provider_form": form,
        "may_change": may_change,
        "change_hint": _("Only %(roles)s can change this.") % {"roles": format_roles_for("change_provider")},
    }


def describe_trial(trial: Trial) -> str:
    """Describe what came of the test, and what to do about it."""
    if not trial.trouble:
        return _("“%(model)s” answered in %(seconds).1f s and used %(tokens)s tokens.") % {
            "model": trial.model,
            "seconds": trial.milliseconds / 1000,
            "tokens": trial.prompt_tokens + trial.completion_tokens,
        }
    for pattern, words in SAID:
        if re.fullmatch(pattern, trial.trouble):
            return str(words) % {"trouble": trial.trouble}
    return _("It could not be used: %(trouble)s.") % {"trouble": trial.trouble}


SAID: list[tuple[str, Any]] = [
    (r"refused with 40[13]", gettext_lazy("The server refused the key (%(trouble)s). Enter it again.")),
    (
        r"refused with 404",
        gettext_lazy(
            "The server does not know this address or model (%(trouble)s). Check the base URL and the model."
        ),
    ),
    (
        r"refused with 4\d\d",
        gettext_lazy("The server rejected the request (%(trouble)s). Check the name of the model."),
    ),
    (
        r"answered (429|5\d\d)",
        gettext_lazy("The server is overloaded or has an error (%(trouble)s). Try again later."),
    ),
    (r"timed out", gettext_lazy("The server did not answer within 10 seconds.")),
    (
        r"not reachable",
        gettext_lazy("The server could not be reached. Its address must be public; check the base URL."),
    ),
    (
        r"address or key not usable",
        gettext_lazy("The address or the key has signs that cannot be sent. Enter both again."),
    ),
    (
        r"answered (no JSON|something else than a completion)|refused with 3\d\d",
        gettext_lazy("Something answered that is no /chat/completions (%(trouble)s). Check the base URL."),
    ),
    (
        r"paused after failures",
        gettext_lazy("The server failed several times in a row and is paused for 30 seconds."),
    ),
]


def _get_initial_values(provider: ModelProvider | None) -> dict[str, Any]:
    if provider is None:
        return {}
    return {
        "base_url": provider.base_url,
        "model": provider.model,
        "chat_models": ", ".join(provider.chat_models),
        "vision_model": provider.vision_model,
        "has_no_key": provider.encrypted_key is None,
    }


def _find_faulty_field(failure: CatalogueError) -> tuple[str | None, str]:
    """The field at fault, and what is wrong with it."""
    field, _colon, fault = failure.detail.partition(": ")
    if field not in ProviderForm.base_fields:
        return None, describe_failure(failure)
    return field, str(FAULTS.get(fault, fault))


FAULTS: dict[str, Any] = {
    "an address like https://api.example.com/v1": gettext_lazy(
        "Enter an address like https://api.example.com/v1."
    ),
    "without a query": gettext_lazy("Enter the address without a query."),
    "https is needed, or the key would travel in the clear": gettext_lazy(
        "It must start with https, so that the key is sent encrypted."
    ),
    "enter it again, because the address is another server's": gettext_lazy(
        "Enter it again: the address is another server's, and the key is never sent to one it was not entered for."
    ),
    "enter it, or say that the server asks for none": gettext_lazy(
        "Enter the key, or select “This server needs no key”."
    ),
    "letters, digits and signs of ASCII, without spaces; copy the whole key": gettext_lazy(
        "A key has letters, digits and signs, without spaces or dots in the place of some. Copy the whole key."
    ),
    "this installation cannot keep keys": gettext_lazy(
        "This installation cannot keep keys. Its operator has to set ENCRYPTION_KEYS."
    ),
}


def _confirm_saving(request: HttpRequest, project: Project, message: str) -> HttpResponse:
    if not wants_only_fragment(request):
        return answer_done(request, message, _get_provider_url(project))
    return add_body_events(_render_form(request, project, {}), toast={"text": message})


def _render_form(
    request: HttpRequest, project: Project, more: dict[str, Any], status: int = 200
) -> HttpResponse:
    context = build_provider_context(request, project) | more
    response = render_page(request, "console/project/settings/provider.html", CARD, context, status)
    response["Cache-Control"] = "no-store"
    return response


def _get_provider_url(project: Project) -> str:
    return reverse("console:settings", args=[project.pk]) + "#provider"
