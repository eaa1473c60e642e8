"""How people sign in: what differs here from allauth's own ways."""

from __future__ import annotations

import base64
import hashlib
from typing import cast

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest

from console.second_factor import is_last_one_asked_for
from console.sign_up import may_sign_up
from tenancy.asking import address_of
from tenancy.models import User


class LoginAdapter(DefaultAccountAdapter):
    """One rule for addresses of clients, the same as for API keys."""

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request) or "127.0.0.1"

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return may_sign_up(request)

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


class FactorAdapter(DefaultMFAAdapter):
    """Keeps the secrets of authenticator apps and recovery codes encrypted in the database."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        return not is_last_one_asked_for(authenticator)


def _cipher() -> Fernet:
    key = hashlib.sha256(b"second factors:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
