"""The list of API keys, and a new key, whose secret is shown once."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.project.keys.key_forms import KeyForm, describe_access
from console.pages.shell.access import Access, format_roles_for, get_access, get_person, project_view
from console.pages.shell.dialogs import Dialog, add_body_events, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from tenancy.errors import CatalogueError
from tenancy.keys.changes import issue_key
from tenancy.keys.keys import NewKey
from tenancy.keys.lifetime import get_state, is_live
from tenancy.models import ApiKey, Project


@project_view("see")
@require_safe
def api_keys(request: HttpRequest, project: Project) -> HttpResponse:
    context = _list_context(request, project)
    return render_page(request, "console/project/keys/page.html", "console/project/keys/_list.html", context)


@project_view("create_key")
@require_http_methods(["GET", "HEAD", "POST"])
def api_key_new(request: HttpRequest, project: Project) -> HttpResponse:
    form = KeyForm(request.POST or None, may_grant_keys=get_access(request).may("grant_key_management"))
    if request.method == "POST" and form.is_valid():
        try:
            return show_once(request, project, _create_key(request, project, form))
        except CatalogueError as refusal:
            form.add_error(None, describe_failure(refusal))
    return show_dialog(
        request, _build_new_dialog(project), {"form": form, "project": project}, 422 if form.errors else 200
    )


def _create_key(request: HttpRequest, project: Project, form: KeyForm) -> NewKey:
    return issue_key(project, form.build_rules(), get_person(request), form.expires_at())


def show_once(request: HttpRequest, project: Project, new: NewKey, **more: Any) -> HttpResponse:
    context = _list_context(request, project) | {
        "plaintext": new.plaintext,
        "env_file": f"ENGRAM_API_KEY={new.plaintext}\nENGRAM_BASE_URL={settings.PUBLIC_URL.rstrip('/')}\n",
        "new_name": new.key.name,
        **more,
    }
    response = render_page(
        request, "console/project/keys/page.html", "console/project/keys/_list.html", context
    )
    response["Cache-Control"] = "no-store"
    return add_body_events(response, dialog_done={})


def _list_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    access = get_access(request)
    keys = list(project.api_keys.select_related("created_by"))
    for key in keys:
        key.access = describe_access(key.scopes)  # type: ignore[attr-defined]
        key.state, key.is_live = get_state(key), is_live(key)  # type: ignore[attr-defined]
        key.may_manage = may_manage(access, key)  # type: ignore[attr-defined]
    return {
        "project": project,
        "keys": keys,
        "may_create": access.may("create_key"),
        "create_hint": _("Only %(roles)s can create keys.") % {"roles": format_roles_for("create_key")},
        "manage_hint": _("Only %(roles)s can change keys of others.")
        % {"roles": format_roles_for("revoke_any_key")},
        "may_revoke_all": access.may("revoke_any_key") and any(is_live(key) for key in keys),
        "shows_prefix": access.may("create_key"),
    }


def may_manage(access: Access, key: ApiKey) -> bool:
    own = key.created_by_id == access.membership.user_id
    return access.may("revoke_any_key") or (own and access.may("create_key"))


def _build_new_dialog(project: Project) -> Dialog:
    return Dialog(
        template="console/project/keys/_new_dialog.html",
        title=_("Create an API key"),
        verb=_("Create key"),
        action=reverse("console:api_key_new", args=[project.pk]),
        back=reverse("console:api_keys", args=[project.pk]),
        target="#keys",
        swap="outerHTML",
    )
