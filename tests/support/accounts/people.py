"""People as the tests play them: logins of their own, with the session that signing in begins."""

from __future__ import annotations

import re
import secrets
from uuid import uuid4

from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.mfa.utils import decrypt
from django.http import HttpRequest
from django.test import Client

from console.sign_in.second_factor import has_second_factor
from tenancy.models import Account, Membership, Role, User
from tests.support.api_client import Tenant

PASSWORD = "a long enough passphrase"


def new_person(email: str = "") -> User:
    """Somebody with a login and a confirmed address, and no account yet."""
    user = User.objects.create_user(email or f"{uuid4().hex}@example.org", PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def add_member(account: Account, role: Role | str) -> User:
    user = new_person()
    Membership.objects.create(account=account, user=user, role=role)
    return user


def give_factor(user: User) -> Authenticator:
    """An authenticator app, set up elsewhere. Anyone who is signed in already stays so."""
    return TOTP.activate(user, generate_totp_secret()).instance


def make_code(factor: Authenticator) -> str:
    """What the authenticator app shows just now."""
    _before, now, _after = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(decrypt(factor.data["secret"]), now)))


def get_owner(tenant: Tenant) -> User:
    return User.objects.get(email=tenant.email)


def browser() -> Client:
    """A browser at an address of its own, so that the limits by address tell the tests apart."""
    place = ".".join(str(secrets.randbelow(250) + 1) for _ in range(3))
    return Client(HTTP_HOST="localhost", REMOTE_ADDR=f"10.{place}")


def sign_in(user: User) -> Client:
    """With the session of somebody who has just given their password; the form itself, which has tests of its own,
    costs a sixth of a test."""
    client = browser()
    client.force_login(user, "allauth.account.auth_backends.AuthenticationBackend")
    proof = HttpRequest()
    proof.session = client.session
    record_authentication(proof, user, "password")
    if has_second_factor(user):  # it is asked for after the password
        record_authentication(proof, user, "mfa", type=Authenticator.Type.TOTP)
    proof.session.save()
    return client


def sign_in_owner(tenant: Tenant) -> Client:
    return sign_in(get_owner(tenant))


def link_on(page: bytes) -> str:
    """The path of the invitation link that a page shows."""
    match = re.search(rb'value="[^"]*(/invite/[^"]+)"', page)
    assert match, "no link is shown"
    return match[1].decode()
