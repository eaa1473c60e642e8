"""The people of an account: list, roles, removal, leaving, ownership."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.account.members.members_list import list_context
from console.pages.shell.access import ROLE_NAMES, Access, account_view, get_access, get_person, refuse_access
from console.pages.shell.dialogs import BARE_PAGE, PAGE, Dialog, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.reauthenticate import reauthenticated
from console.pages.shell.rendering import render_page
from console.sign_in.second_factor import clear_wish, is_blocked_without_second_factor
from console.ui.texts.api_words import translate_remedy
from tenancy.errors import CatalogueError
from tenancy.models import Account, ApiKey, Membership, Role
from tenancy.people.members import Roles, change_roles, remove_member, transfer_ownership
from tenancy.people.permissions import get_member_action

SAME = ("", gettext_lazy("As in the account"))


@account_view("see_members")
@require_safe
def members(request: HttpRequest, account: Account) -> HttpResponse:
    context = list_context(request, account)
    return render_page(
        request, "console/account/members/page.html", "console/account/members/_list.html", context
    )


@account_view("manage_members")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def member_roles(request: HttpRequest, account: Account, member_id: int) -> HttpResponse:
    membership = find_member(account, member_id)
    _refuse_unless(get_access(request), membership.role)
    form = _build_roles_form(request, membership)
    if request.method == "POST" and form.is_valid():
        wanted = Roles(form.cleaned_data["role"], form.in_projects())
        _refuse_unless(get_access(request), wanted.in_account)
        try:
            change_roles(account, membership.user, wanted, get_person(request))
        except CatalogueError as refusal:
            form.add_error("role", describe_failure(refusal))
        else:
            return _confirm_change(request, account, _("Saved."))
    dialog = Dialog(
        template="console/account/members/dialogs/_roles_dialog.html",
        title=_("Roles of %(name)s") % {"name": membership.user.name},
        verb=_("Save roles"),
        action=reverse("console:member_roles", args=[account.pk, member_id]),
        back=reverse("console:members", args=[account.pk]),
    )
    return show_dialog(
        request, dialog, {"form": form, "member": membership.user}, 422 if form.errors else 200
    )


@account_view("manage_members")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def member_remove(request: HttpRequest, account: Account, member_id: int) -> HttpResponse:
    membership = find_member(account, member_id)
    _refuse_unless(get_access(request), membership.role)
    title = _("Remove %(name)s?") % {"name": membership.user.name}
    action = reverse("console:member_remove", args=[account.pk, member_id])
    return _end_membership(request, membership, title, _("Remove member"), action)


@account_view("leave", needs_factor=False)
@require_http_methods(["GET", "HEAD", "POST"])
def member_leave(request: HttpRequest, account: Account) -> HttpResponse:
    """Ends one's own membership."""
    title = _("Leave “%(name)s”?") % {"name": account.name}
    action = reverse("console:member_leave", args=[account.pk])
    return _end_membership(request, get_access(request).membership, title, _("Leave account"), action)


@account_view("transfer_account")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def account_transfer(request: HttpRequest, account: Account, member_id: int) -> HttpResponse:
    heir = find_member(account, member_id)
    if heir.user_id == get_person(request).pk:
        raise Http404
    error = ""
    if request.method == "POST" and request.POST.get("typed", "").strip() != account.name:
        error = _("The account name does not match.")
    elif request.method == "POST":
        try:
            transfer_ownership(account, heir.user, get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            message = _("%(name)s owns the account now. You are an admin.") % {"name": heir.user.name}
            return _confirm_change(request, account, message)
    dialog = Dialog(
        template="console/account/members/dialogs/_transfer_dialog.html",
        title=_("Give “%(account)s” to %(name)s?") % {"account": account.name, "name": heir.user.name},
        verb=_("Transfer ownership"),
        action=reverse("console:account_transfer", args=[account.pk, member_id]),
        back=reverse("console:members", args=[account.pk]),
        is_danger=True,
        typed=account.name,
        error=error,
    )
    return show_dialog(request, dialog, {"heir": heir.user}, 422 if error else 200)


def find_member(account: Account, member_id: int) -> Membership:
    membership = account.memberships.select_related("user").filter(user_id=member_id).first()
    if membership is None:
        raise Http404
    return membership


class RolesForm(forms.Form):
    """One choice for the account and one for each project."""

    role = forms.ChoiceField(label=gettext_lazy("Role in the account"))

    def in_projects(self) -> dict[str, str]:
        return {
            name.removeprefix("project-"): value
            for name, value in self.cleaned_data.items()
            if name.startswith("project-")
        }


def list_role_choices(access: Access) -> list[tuple[str, Any]]:
    return [(role.value, ROLE_NAMES[role]) for role in Role if access.may(get_member_action(role))]


def _build_roles_form(request: HttpRequest, membership: Membership) -> RolesForm:
    now = Roles.of(membership)
    form = RolesForm(request.POST or None, initial={"role": now.in_account})
    form.fields["role"].choices = list_role_choices(get_access(request))  # type: ignore[attr-defined]
    of_project = [SAME, *((role.value, ROLE_NAMES[role]) for role in Role if role != Role.OWNER)]
    for project in membership.account.projects.here().order_by("name"):
        form.fields[f"project-{project.pk}"] = forms.ChoiceField(
            label=project.name,
            choices=of_project,
            initial=now.in_projects.get(str(project.pk), ""),
            required=False,
        )
    return form


def _end_membership(
    request: HttpRequest, membership: Membership, title: str, verb: str, action: str
) -> HttpResponse:
    """The end of a membership, one's own or another's; what becomes of the person's keys is asked."""
    account, leaving = membership.account, membership.user
    is_me = leaving.pk == get_person(request).pk
    error = ""
    if request.method == "POST":
        revokes = "revoke_keys" in request.POST
        try:
            remove_member(account, leaving, get_person(request), revokes_keys=revokes)
        except CatalogueError as refusal:
            error = f"{describe_failure(refusal)} {translate_remedy(refusal.cure)}"
        else:
            if is_me:
                clear_wish(request, account)
                return answer_done(
                    request, _("You left “%(name)s”.") % {"name": account.name}, reverse("console:home")
                )
            return _confirm_change(request, account, _("%(name)s is removed.") % {"name": leaving.name})
    keys = ApiKey.objects.filter(account=account, created_by=leaving, revoked_at=None).count()
    back = reverse("console:members", args=[account.pk])
    dialog = Dialog(
        "console/account/members/dialogs/_end_dialog.html",
        title,
        verb,
        action,
        back,
        is_danger=True,
        error=error,
        live=not is_me,
        page=BARE_PAGE if is_me and is_blocked_without_second_factor(leaving, account) else PAGE,
    )
    context = {"leaving": leaving, "is_me": is_me, "keys": keys}
    return show_dialog(request, dialog, context, 422 if error else 200)


def _refuse_unless(access: Access, role: str) -> None:
    needed = get_member_action(role)
    if not access.may(needed):
        raise refuse_access(needed)


def _confirm_change(request: HttpRequest, account: Account, message: str) -> HttpResponse:
    return answer_done(request, message, reverse("console:members", args=[account.pk]), "member-changed")
