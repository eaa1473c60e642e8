"""Adapters of allauth: how signing in differs from its defaults."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any, cast

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from console.sign_in.second_factor import is_last_one_asked_for
from console.sign_in.sign_up import NOTED, may_sign_up, open_invitation
from tenancy.audit.request_context import get_client_address
from tenancy.models import User
from tenancy.people.invitations import is_mailable

_CONFIRMATION_SENT = "account/messages/email_confirmation_sent.txt"
# Members of a factor's data that are encrypted.
_SEALED = frozenset({"secret", "seed", "migrated_codes"})


class LoginAdapter(DefaultAccountAdapter):
    """One rule for addresses of clients, the same as for API keys."""

    def get_client_ip(self, request: HttpRequest) -> str:
        return get_client_address(request) or "127.0.0.1"

    def render_mail(
        self, template_prefix: str, email: str, context: dict[str, Any], headers: dict[str, str] | None = None
    ) -> EmailMessage:
        """Mails of allauth greet by the name of the site, which it takes for its host."""
        context["current_site"].name = "Engram"
        mail: EmailMessage = super().render_mail(template_prefix, email, context, headers)
        return mail

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        """No mail is said to be sent where there is no mail server; who signs up there waits for none."""
        if message_template == _CONFIRMATION_SENT and not settings.HAS_MAIL:
            if (message_context or {}).get("signup"):
                return
            level, message = messages.ERROR, _("This installation has no mail server, so no mails are sent.")
        super().add_message(request, level, message_template, message_context, extra_tags, message)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return may_sign_up(request)

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """Who came by an invitation goes on with it: the sign-up forgets where it was to lead."""
        if open_invitation(self.request) is not None:
            return reverse("console:invitation", args=[NOTED])
        address: str = super().get_email_verification_redirect_url(email_address)
        return address

    def clean_email(self, email: str) -> str:
        cleaned: str = super().clean_email(email)
        if not is_mailable(cleaned):
            raise ValidationError(_("Mails cannot be sent to this address."))
        return cleaned

    def reauthenticate(self, user: AbstractBaseUser, password: str) -> bool:
        """Django makes a hash of outdated costs anew when it is shown the password, which ends the sessions that go by
        the old one: the session in which the password was just given goes on."""
        before = user.password
        if not super().reauthenticate(user, password):
            return False
        user.refresh_from_db(fields=["password"])
        if user.password != before:
            update_session_auth_hash(context.request, cast("User", user))
        return True


@dataclass(frozen=True, slots=True)
class Resealed:
    """Number of second factors that were encrypted anew, and the ids of those that no key decrypts."""

    done: int
    lost: list[int]


def reseal_factors() -> Resealed:
    """Encrypts the secrets of second factors with SECRET_KEY, so that its fallbacks may go; one row a transaction."""
    done, lost = 0, []
    kinds = [Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES]
    for pk in list(Authenticator.objects.filter(type__in=kinds).order_by("pk").values_list("pk", flat=True)):
        try:
            done += _reseal_factor(pk)
        except InvalidToken:
            lost.append(pk)
    return Resealed(done, lost)


@transaction.atomic
def _reseal_factor(pk: int) -> int:
    """Encrypt a factor anew under its row lock: a recovery code may be used at the same time. Raises `InvalidToken`."""
    factor = Authenticator.objects.select_for_update().filter(pk=pk).first()
    if factor is None:
        return 0
    cipher = _build_cipher()
    for name in _SEALED & factor.data.keys():
        encrypted = factor.data[name]
        several = isinstance(encrypted, list)
        fresh = [
            cipher.rotate(secret.encode()).decode() for secret in (encrypted if several else [encrypted])
        ]
        factor.data[name] = fresh if several else fresh[0]
    factor.save(update_fields=["data"])
    return 1


class FactorAdapter(DefaultMFAAdapter):
    """Keeps the secrets of authenticator apps and recovery codes encrypted in the database."""

    def encrypt(self, text: str) -> str:
        return _build_cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _build_cipher().decrypt(encrypted_text.encode()).decode()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        return not is_last_one_asked_for(authenticator)


def _build_cipher() -> MultiFernet:
    """The first encrypts, all of them decrypt."""
    return MultiFernet([_build_fernet(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _build_fernet(secret_key: str) -> Fernet:
    key = hashlib.sha256(b"second factors:" + secret_key.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
