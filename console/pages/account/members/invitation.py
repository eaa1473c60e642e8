"""Page of an invitation link, also for visitors who are signed out, signed in as someone else, or too late."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.pages.shell.access import ROLE_NAMES, get_person
from console.sign_in.sign_up import NOTED, note_invitation, open_invitation
from tenancy.errors import InvitationClosed
from tenancy.models import Invitation, Membership, Role, User
from tenancy.people import invitations

STATUS = {"unknown": 404, "accepted": 410, "revoked": 410, "expired": 410, "wrong_account": 403}


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    invitation = open_invitation(request) if token == NOTED else invitations.find_invitation(token)
    state = _get_page_state(request, invitation)
    if invitation is not None and state == "pending" and request.method == "POST":
        if not request.user.is_authenticated:
            return HttpResponseRedirect(_build_sign_in_url("account_login", request))
        return _join_account(request, invitation)
    if invitation is not None and state == "pending" and not request.user.is_authenticated:
        note_invitation(request, invitation)
    return _show_invitation(request, invitation, state)


def _join_account(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    try:
        membership = invitations.accept_invitation(invitation, get_person(request))
    except InvitationClosed:
        current = Invitation.objects.select_related("account", "invited_by").filter(pk=invitation.pk).first()
        return _show_invitation(request, current, current.state if current else "unknown")
    message = _("Welcome to “%(name)s”.") % {"name": membership.account.name}
    messages.success(request, message)
    return HttpResponseRedirect(reverse("console:projects", args=[membership.account_id]))


def _get_page_state(request: HttpRequest, invitation: Invitation | None) -> str:
    """Return what the page has to say: the invitation's own state, or who is looking at it."""
    if invitation is None:
        return "unknown"
    if request.user.is_authenticated and _is_member(invitation, get_person(request)):
        return "member"
    if invitation.state != "pending":
        return invitation.state
    if request.user.is_authenticated and not invitations.is_for(
        invitation, _list_addresses(get_person(request))
    ):
        return "wrong_account"
    return "pending"


def _show_invitation(request: HttpRequest, invitation: Invitation | None, state: str) -> HttpResponse:
    context = {
        "state": state,
        "invitation": invitation,
        "role_name": ROLE_NAMES[Role(invitation.role)] if invitation else "",
        "login_url": _build_sign_in_url("account_login", request),
        "signup_url": _build_sign_in_url("account_signup", request),
        "has_login": bool(invitation) and User.objects.filter(email__iexact=invitation.email).exists()
        if invitation
        else False,
    }
    response = render(request, "console/account/members/invited.html", context, status=STATUS.get(state, 200))
    response["Cache-Control"] = "no-store"
    return response


def _list_addresses(who: User) -> set[str]:
    """Every address that is proven to be theirs, and the one they sign in with: the link itself is the proof."""
    known = EmailAddress.objects.filter(user=who, verified=True).values_list("email", flat=True)
    return {who.email, *known}


def _is_member(invitation: Invitation, who: User) -> bool:
    return Membership.objects.filter(account=invitation.account, user=who).exists()


def _build_sign_in_url(name: str, request: HttpRequest) -> str:
    return f"{reverse(name)}?{urlencode({'next': request.path})}"
