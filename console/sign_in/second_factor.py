"""Second factors of people, and accounts that require them."""

from __future__ import annotations

from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from allauth.mfa.utils import is_mfa_enabled
from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters
from tenancy.models import Account, User

# Recovery codes stand in for a factor that is not at hand, and are none themselves.
KINDS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
# In the session: where somebody wanted to go who was led to the set-up, and, once that is done, where they go on to.
WANTED, GOES_ON = "second_factor_wanted", "second_factor_goes_on"


def has_second_factor(person: User) -> bool:
    return bool(is_mfa_enabled(person, KINDS))


def is_blocked_without_second_factor(person: User, account: Account) -> bool:
    """Accounts that leave it to each person cost no query."""
    return account.asks_second_factor and not has_second_factor(person)


def list_asking_accounts(person: User) -> QuerySet[Account]:
    return Account.objects.filter(memberships__user=person, asks_second_factor=True).order_by("name")


def is_last_one_asked_for(factor: Authenticator) -> bool:
    """Return whether an account that the person is in would block them without it."""
    others = Authenticator.objects.filter(user=factor.user_id, type__in=KINDS).exclude(pk=factor.pk)
    return factor.type in KINDS and not others.exists() and list_asking_accounts(factor.user).exists()


@transaction.atomic
def ask_everybody(account: Account, actor: User, *, asks: bool) -> None:
    """Require two-factor in an account, or make it optional. Idempotent."""
    if asks and not has_second_factor(actor):
        raise InvalidParameters("you have no second factor yourself")
    unlike = Account.objects.filter(pk=account.pk, asks_second_factor=not asks)
    if unlike.update(asks_second_factor=asks):
        detail = {"before": {"asks_second_factor": not asks}, "after": {"asks_second_factor": asks}}
        record_event(account, actor, "account.second_factor_asked", account, detail=detail)


def remember_wish(request: HttpRequest, account: Account, address: str) -> None:
    request.session[WANTED] = {"account": str(account.pk), "name": account.name, "address": address}


def clear_wish(request: HttpRequest, account: Account) -> None:
    """Forget the wanted page of this account; that of another account, opened in another tab, stays."""
    for name in (WANTED, GOES_ON):
        if request.session.get(name, {}).get("account") == str(account.pk):
            del request.session[name]


@receiver(authenticator_added)
def return_to_wanted_page(
    sender: Any, request: HttpRequest, user: User, authenticator: Authenticator, **_: Any
) -> None:
    """Count the session as verified, and remember the page that the person wanted.

    Setting a factor up proves it. The pages that follow show recovery codes, then lead to the wanted page.
    """
    if authenticator.type in KINDS:
        record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)
    if wanted := request.session.pop(WANTED, None):
        request.session[GOES_ON] = wanted
