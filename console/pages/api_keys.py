"""API keys: list, create (shown once), revoke."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.access import Access, access_of, person, project_view, refuse, roles_for
from console.pages.dialogs import Dialog, ask, done, goes_on
from console.pages.explaining import in_words
from console.pages.rendering import show
from tenancy.audit import record
from tenancy.errors import CatalogueError
from tenancy.keys import NewKey, create_key, revoke_key
from tenancy.models import ApiKey, Project, RequestLog

EXPIRIES = [
    ("", gettext_lazy("Never")),
    ("30", gettext_lazy("In 30 days")),
    ("90", gettext_lazy("In 90 days")),
    ("365", gettext_lazy("In a year")),
]
ACCESSES = [
    ("all", gettext_lazy("Full: write, read and delete")),
    ("read", gettext_lazy("Read only: search and list")),
    ("write", gettext_lazy("Write only: add messages and feedback")),
]


class KeyForm(forms.Form):
    """What a new key is called and may do."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("Where it will be used, like “production backend”."),
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    scope = forms.ChoiceField(label=gettext_lazy("Access"), choices=ACCESSES)
    expiry = forms.ChoiceField(label=gettext_lazy("Expires"), choices=EXPIRIES, required=False)


@project_view("see")
@require_safe
def api_keys(request: HttpRequest, project: Project) -> HttpResponse:
    context = _list_context(request, project)
    return show(request, "console/api_keys/page.html", "console/api_keys/_list.html", context)


@project_view("create_key")
@require_http_methods(["GET", "HEAD", "POST"])
def api_key_new(request: HttpRequest, project: Project) -> HttpResponse:
    form = KeyForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _show_once(request, project, _create(request, project, form.cleaned_data))
        except CatalogueError as failure:
            form.add_error(None, in_words(failure))
    return ask(request, _new_dialog(project), {"form": form, "project": project}, 422 if form.errors else 200)


@project_view("create_key")
@require_http_methods(["GET", "HEAD", "POST"])
def api_key_revoke(request: HttpRequest, project: Project, key_id: UUID) -> HttpResponse:
    key = project.api_keys.filter(pk=key_id, revoked_at=None).first()
    if key is None:
        raise Http404
    if not _may_revoke(access_of(request), key):
        raise refuse("revoke_any_key")
    if request.method == "POST":
        revoke_key(key)
        record(project.account, person(request), "key.revoked", key, project=project)
        said = _("“%(name)s” is revoked.") % {"name": key.name}
        return done(request, said, reverse("console:api_keys", args=[project.pk]), "key-changed")
    since = timezone.now() - timedelta(hours=24)
    requests_today = RequestLog.objects.within(project).filter(api_key=key, created_at__gte=since).count()
    context = {"key": key, "project": project, "requests_today": requests_today}
    return ask(request, _revoke_dialog(project, key), context)


def _create(request: HttpRequest, project: Project, wanted: dict[str, Any]) -> NewKey:
    days = int(wanted["expiry"] or 0)
    new = create_key(
        project,
        wanted["name"],
        created_by=person(request),
        scopes=(wanted["scope"],),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    record(project.account, person(request), "key.created", new.key, project=project)
    return new


def _show_once(request: HttpRequest, project: Project, new: NewKey) -> HttpResponse:
    context = _list_context(request, project) | {"plaintext": new.plaintext, "new_name": new.key.name}
    response = show(request, "console/api_keys/page.html", "console/api_keys/_list.html", context)
    response["Cache-Control"] = "no-store"
    return goes_on(response, dialog_done={})


def _list_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    access = access_of(request)
    keys = list(project.api_keys.select_related("created_by"))
    for key in keys:
        key.state = _state(key)  # type: ignore[attr-defined]
        key.may_revoke = _may_revoke(access, key)  # type: ignore[attr-defined]
    return {
        "project": project,
        "keys": keys,
        "may_create": access.may("create_key"),
        "create_hint": _("Only %(roles)s can create keys.") % {"roles": roles_for("create_key")},
        "revoke_hint": _("Only %(roles)s can revoke keys of others.")
        % {"roles": roles_for("revoke_any_key")},
        "shows_prefix": access.may("create_key"),
    }


def _state(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "active" if key.is_live else "expired"


def _may_revoke(access: Access, key: ApiKey) -> bool:
    own = key.created_by_id == access.membership.user_id
    return access.may("revoke_any_key") or (own and access.may("create_key"))


def _new_dialog(project: Project) -> Dialog:
    return Dialog(
        template="console/api_keys/_new_dialog.html",
        title=_("Create an API key"),
        verb=_("Create key"),
        action=reverse("console:api_key_new", args=[project.pk]),
        back=reverse("console:api_keys", args=[project.pk]),
        target="#keys",
        swap="outerHTML",
    )


def _revoke_dialog(project: Project, key: ApiKey) -> Dialog:
    return Dialog(
        template="console/api_keys/_revoke_dialog.html",
        title=_("Revoke “%(name)s”?") % {"name": key.name},
        verb=_("Revoke key"),
        action=reverse("console:api_key_revoke", args=[project.pk, key.pk]),
        back=reverse("console:api_keys", args=[project.pk]),
        is_danger=True,
    )
