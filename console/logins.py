"""How people sign in: what differs here from allauth's own ways."""

from __future__ import annotations

import base64
import hashlib

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.conf import settings
from django.http import HttpRequest

from console.second_factor import is_last_one_asked_for
from tenancy.asking import address_of


class LoginAdapter(DefaultAccountAdapter):
    """One rule for addresses of clients, the same as for API keys."""

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request) or "127.0.0.1"


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
