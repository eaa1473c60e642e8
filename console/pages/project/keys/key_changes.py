"""Change, rotate and revoke API keys, one or all of a project, and replace a leaked one."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import wraps
from typing import Any
from uuid import UUID

from django.db import OperationalError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.project.keys.key_forms import OVERLAPS, RotationForm, RulesForm, build_initial_values
from console.pages.project.keys.keys import may_manage, show_once
from console.pages.shell.access import View, get_access, get_person, project_view, refuse_access
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.reauthenticate import reauthenticated
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.keys.changes import (
    KeyRules,
    change_key,
    end_overlap,
    list_live_made_keys,
    replace_leaked,
    revoke_all,
    rotate_key,
)
from tenancy.keys.keys import revoke_key
from tenancy.models import ApiKey, Project
from tenancy.requests.key_calls import select_key_calls

log = logging.getLogger(__name__)

# Where a leaked key was used; the page says so in words.
LOOKS_BACK = timedelta(days=7)
FORM = ["GET", "HEAD", "POST"]
# A good answer is the list with a new secret on top.
SHOWN: dict[str, Any] = {"target": "#keys", "swap": "outerHTML"}
DIALOGS = {
    "api_key_edit": "_new_dialog",
    "api_key_rotate": "_rotate_dialog",
    "api_key_revoke": "_revoke_dialog",
    "api_key_leaked": "_leaked_dialog",
}


def key_view(view: View) -> View:
    """A page about one key that is not revoked, for its maker and for those who may change everybody's."""

    @project_view("create_key")
    @wraps(view)
    def guarded(request: HttpRequest, project: Project, key_id: UUID) -> HttpResponseBase:
        key = project.api_keys.filter(pk=key_id, revoked_at=None).first()
        if key is None:
            raise Http404
        if not may_manage(get_access(request), key):
            raise refuse_access("revoke_any_key")
        try:
            return view(request, project, key)
        except CatalogueError as refusal:  # somebody else revoked it this moment
            return _confirm_change(request, project, describe_failure(refusal))

    return guarded


@key_view
@require_http_methods(FORM)
def api_key_edit(request: HttpRequest, project: Project, key: ApiKey) -> HttpResponse:
    may_grant_keys = get_access(request).may("grant_key_management")
    form = RulesForm(
        request.POST or None, initial=build_initial_values(KeyRules.of(key)), may_grant_keys=may_grant_keys
    )
    if request.method == "POST" and form.is_valid():
        change_key(key, form.build_rules(), get_person(request))
        return _confirm_change(request, project, _("Saved."))
    dialog = _build_dialog("api_key_edit", project, key, _("Edit “%(name)s”"), _("Save"))
    return show_dialog(request, dialog, {"form": form, "project": project}, 422 if form.errors else 200)


@key_view
@require_http_methods(FORM)
def api_key_rotate(request: HttpRequest, project: Project, key: ApiKey) -> HttpResponse:
    form = RotationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        overlap, _said = OVERLAPS[form.cleaned_data["overlap"]]
        new = rotate_key(key, overlap, get_person(request))
        return show_once(request, project, new)
    dialog = _build_dialog(
        "api_key_rotate",
        project,
        key,
        _("Rotate “%(name)s”"),
        _("Rotate key"),
        **SHOWN,
    )
    return show_dialog(request, dialog, {"form": form, "key": key}, 422 if form.errors else 200)


@key_view
@require_POST
def api_key_end_overlap(request: HttpRequest, project: Project, key: ApiKey) -> HttpResponse:
    end_overlap(key, get_person(request))
    return _confirm_change(
        request, project, _("The old key of “%(name)s” no longer works.") % {"name": key.name}
    )


@key_view
@require_http_methods(FORM)
def api_key_revoke(request: HttpRequest, project: Project, key: ApiKey) -> HttpResponse:
    if request.method == "POST":
        revoke_key(key)
        record_event(project.account, get_person(request), "key.revoked", key, project=project)
        return _confirm_change(request, project, _("“%(name)s” is revoked.") % {"name": key.name})
    calls = select_key_calls(key, timedelta(hours=24))
    dialog = _build_dialog(
        "api_key_revoke",
        project,
        key,
        _("Revoke “%(name)s”?"),
        _("Revoke key"),
        is_danger=True,
    )
    context = {
        "key": key,
        "project": project,
        "requests_today": calls.count(),
        "cut_at": calls.cut_at,
        "made_keys": list_live_made_keys(key).count(),
    }
    return show_dialog(request, dialog, context)


@key_view
@require_http_methods(FORM)
def api_key_leaked(request: HttpRequest, project: Project, key: ApiKey) -> HttpResponse:
    """The drill: revoke, have a successor, see where it was used, in one step."""
    if request.method == "POST":
        new = replace_leaked(key, get_person(request))
        return show_once(request, project, new, leaked=key, **_load_places(key))
    dialog = _build_dialog(
        "api_key_leaked",
        project,
        key,
        _("Replace leaked key “%(name)s”?"),
        _("Revoke and replace key"),
        is_danger=True,
        **SHOWN,
    )
    made_keys = list_live_made_keys(key).count()
    return show_dialog(request, dialog, {"key": key, "made_keys": made_keys, **_load_places(key)})


def _load_places(key: ApiKey) -> dict[str, Any]:
    """A log that takes too long to read leaves what else is done in this transaction as it is."""
    try:
        with transaction.atomic():
            calls = select_key_calls(key, LOOKS_BACK)
            return {"places": calls.list_addresses(), "cut_at": calls.cut_at}
    except OperationalError as error:
        log.warning("key_calls_not_read", extra={"fault": type(error).__name__})
        return {"is_unread": True}


@project_view("revoke_any_key")
@require_http_methods(FORM)
@reauthenticated
def api_keys_revoke_all(request: HttpRequest, project: Project) -> HttpResponse:
    live = project.api_keys.filter(revoked_at=None).count()
    error = ""
    if request.method == "POST" and request.POST.get("typed", "").strip() == project.name:
        count = revoke_all(project, get_person(request))
        message = ngettext("%(n)s key is revoked.", "%(n)s keys are revoked.", count) % {"n": count}
        return _confirm_change(request, project, message)
    if request.method == "POST":
        error = _("The project name does not match.")
    dialog = Dialog(
        template="console/project/keys/_revoke_all_dialog.html",
        title=_("Revoke all keys?"),
        verb=ngettext("Revoke %(n)s key", "Revoke %(n)s keys", live) % {"n": live},
        action=reverse("console:api_keys_revoke_all", args=[project.pk]),
        back=reverse("console:api_keys", args=[project.pk]),
        is_danger=True,
        typed=project.name,
        error=error,
    )
    return show_dialog(request, dialog, {"project": project}, 422 if error else 200)


def _build_dialog(name: str, project: Project, key: ApiKey, title: str, verb: str, **more: Any) -> Dialog:
    return Dialog(
        template=f"console/project/keys/{DIALOGS[name]}.html",
        title=title % {"name": key.name},
        verb=verb,
        action=reverse(f"console:{name}", args=[project.pk, key.pk]),
        back=reverse("console:api_keys", args=[project.pk]),
        **more,
    )


def _confirm_change(request: HttpRequest, project: Project, message: str) -> HttpResponse:
    return answer_done(request, message, reverse("console:api_keys", args=[project.pk]), "key-changed")
