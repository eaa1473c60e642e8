"""The page of one's own login: factors, open sessions, deletion."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.shell.access import ROLE_NAMES, get_person, person_view
from console.pages.shell.reauthenticate import reauthenticated
from console.sign_in.login_events import note_for_accounts
from tenancy.errors import LastOwner
from tenancy.models import Membership, Role, User
from tenancy.people.members import delete_login, list_accounts_owned_alone


class NameForm(forms.ModelForm):
    """Form for the name that colleagues see."""

    class Meta:
        model = User
        fields = ["first_name", "last_name"]
        labels = {"first_name": gettext_lazy("First name"), "last_name": gettext_lazy("Last name")}


@person_view
@require_http_methods(["GET", "HEAD", "POST"])
def me(request: HttpRequest) -> HttpResponse:
    form = NameForm(request.POST or None, instance=get_person(request))
    if request.method == "POST" and form.is_valid():
        form.save()
        note_for_accounts(get_person(request), "login.renamed")
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(reverse("console:me"))
    status = 422 if form.errors else 200
    return render(
        request,
        "console/account/me/page.html",
        {"form": form, **_load_facts(get_person(request))},
        status=status,
    )


@person_view
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def login_delete(request: HttpRequest) -> HttpResponse:
    """Refused while an account has no other owner, with the accounts and what to do about each."""
    me = get_person(request)
    error = ""
    if request.method == "POST" and request.POST.get("typed", "").strip().casefold() != me.email.casefold():
        error = _("The e-mail address does not match.")
    elif request.method == "POST":
        try:
            proven = EmailAddress.objects.filter(user=me, verified=True)
            delete_login(me, proven.values_list("email", flat=True))
        except LastOwner:
            error = _("An account would be left without an owner.")
        else:
            logout(request)
            return HttpResponseRedirect("/")
    context = {"error": error, "owned": list_accounts_owned_alone(me), "memberships": _list_memberships(me)}
    response = render(request, "console/account/me/delete.html", context, status=422 if error else 200)
    response["Cache-Control"] = "no-store"
    return response


@person_view
@require_POST
def session_end(request: HttpRequest, session_id: int) -> HttpResponse:
    """Signs one device out; its open pages notice within a minute, its next click at once."""
    session = UserSession.objects.filter(user=get_person(request), pk=session_id).first()
    if session is None:
        raise Http404
    if session.session_key == request.session.session_key:
        return HttpResponseRedirect(reverse("account_logout"))
    session.end()
    note_for_accounts(get_person(request), "login.session_ended")
    messages.success(request, _("That device is signed out."))
    return HttpResponseRedirect(reverse("usersessions_list"))


@person_view
@require_POST
def sessions_end(request: HttpRequest) -> HttpResponse:
    """Signs every other device out."""
    others = UserSession.objects.filter(user=get_person(request)).exclude(
        session_key=request.session.session_key
    )
    for session in others:
        session.end()
    note_for_accounts(get_person(request), "login.sessions_ended", count=len(others))
    messages.success(request, _("You are signed in here only."))
    return HttpResponseRedirect(reverse("usersessions_list"))


def _load_facts(me: User) -> dict[str, Any]:
    factors = list(Authenticator.objects.filter(user=me))
    kinds = [factor.type for factor in factors]
    codes = next(
        (factor.wrap() for factor in factors if factor.type == Authenticator.Type.RECOVERY_CODES), None
    )
    addresses = EmailAddress.objects.filter(user=me)
    return {
        "has_password": me.has_usable_password(),
        "has_app": Authenticator.Type.TOTP in kinds,
        "passkeys": kinds.count(Authenticator.Type.WEBAUTHN),
        "codes_left": len(codes.get_unused_codes()) if codes else 0,
        "sessions": UserSession.objects.filter(user=me).count(),
        "addresses": addresses.count(),
        "unconfirmed": addresses.filter(verified=False).count(),
        "social": settings.SOCIAL,
        "connected": SocialAccount.objects.filter(user=me).count(),
        "memberships": _list_memberships(me),
    }


def _list_memberships(me: User) -> list[Membership]:
    memberships = list(Membership.objects.filter(user=me).select_related("account").order_by("account__name"))
    for membership in memberships:
        membership.role_name = ROLE_NAMES[Role(membership.role)]  # type: ignore[attr-defined]
    return memberships
