"""Who may create a login, by `SIGNUP`: anyone, only people with an invitation, or nobody.

An operator's commands and the operators' pages create logins whatever it says; those that exist sign in as ever.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import Any
from uuid import UUID

from allauth.account.forms import SignupForm
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from console.sign_in.sign_up_settings import SignUp
from tenancy.audit.request_context import get_client_address
from tenancy.metering.rate_limits import count_sign_up
from tenancy.models import Invitation
from tenancy.people import invitations

# In the session: the invitation whose link was opened last.
INVITATION = "invitation"
# In place of its token, in an address: nothing here stores the token.
NOTED = "noted"
# An IPv6 subscriber controls at least a /64.
IPV6_PREFIX = 64


def note_invitation(request: HttpRequest, invitation: Invitation) -> None:
    """The link was opened in this browser, which may create a login where that takes an invitation, and goes on with
    it when the address is confirmed."""
    request.session[INVITATION] = str(invitation.pk)


def open_invitation(request: HttpRequest) -> Invitation | None:
    """The invitation whose link this browser opened, while it can still be accepted."""
    noted = request.session.get(INVITATION) if hasattr(request, "session") else None
    return invitations.find_open_invitation(UUID(noted)) if noted else None


def may_sign_up(request: HttpRequest) -> bool:
    if settings.SIGNUP == SignUp.INVITED:
        return open_invitation(request) is not None
    return bool(settings.SIGNUP == SignUp.OPEN)


def sign_up_offer(request: HttpRequest) -> dict[str, Any]:
    """Template context: whether to link to the sign-up, and which setting decides it."""
    return {"may_sign_up": may_sign_up(request), "signup": str(settings.SIGNUP)}


def is_within_limit(request: HttpRequest) -> bool:
    """Counts one new login by the address that asks for it; False when it is one too many an hour."""
    return count_sign_up(_get_network(get_client_address(request)), settings.SIGNUPS_PER_HOUR)


def _get_network(address: str) -> str:
    try:
        place = ip_address(address)
    except ValueError:
        return ""
    if isinstance(place, IPv6Address) and place.ipv4_mapped is None:
        return f"{int(place) >> (128 - IPV6_PREFIX):x}"
    return str(getattr(place, "ipv4_mapped", None) or place)


def get_limit_message() -> str:
    return _("Too many accounts were created from your network in the last hour. Try again later.")


class SignUpForm(SignupForm):
    """Form to sign up. Where an invitation is needed, the address is the one that was invited."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.request = context.request
        self.invitation = open_invitation(self.request)
        if self.invitation is not None:
            self.fields["email"].initial = self.invitation.email

    def clean_email(self) -> str:
        email: str = super().clean_email()
        needed = self.invitation if settings.SIGNUP == SignUp.INVITED else None
        if needed is not None and not invitations.is_for(needed, {email}):
            raise ValidationError(
                _("Your invitation is for %(email)s: sign up with that address.") % {"email": needed.email}
            )
        return email

    def clean(self) -> Any:
        cleaned = super().clean()
        # The last question, so that nobody is counted for a password that was too short.
        if not self.errors and not is_within_limit(self.request):
            raise ValidationError(get_limit_message())
        return cleaned


class SocialAdapter(DefaultSocialAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """As for passwords; the invited address must be among those that the provider names.

        Counted where the provider sends somebody back who is new here, not again by the form that may follow.
        """
        if not may_sign_up(request):
            return False
        if settings.SIGNUP == SignUp.INVITED:
            known = {address.email for address in sociallogin.email_addresses}
            invitation = open_invitation(request)
            if invitation is None or not invitations.is_for(invitation, known):
                return False
        if request.path != reverse("socialaccount_signup") and not is_within_limit(request):
            page = render(
                request, "account/signup_limited.html", {"message": get_limit_message()}, status=429
            )
            raise ImmediateHttpResponse(page)
        return True
