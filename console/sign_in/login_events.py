"""Write changes of people's logins into the audit logs of their accounts."""

from __future__ import annotations

from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as factor
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as social
from django.dispatch import receiver
from django.utils.translation import get_language

from tenancy.audit.log import record_event
from tenancy.models import Account, User
from tenancy.user_language import remember_language


def note_for_accounts(who: User, action: str, **detail: Any) -> None:
    """One entry for each account: its leaders answer for who gets in. Never an address, a code or a device."""
    for joined_account in Account.objects.filter(memberships__user=who).order_by("pk"):
        record_event(joined_account, who, action, who, detail=detail)


@receiver(account.user_logged_in)
def note_sign_in(sender: Any, user: User, **_: Any) -> None:
    note_for_accounts(user, "login.signed_in")
    remember_language(user, get_language() or "")


@receiver([account.password_changed, account.password_set])
def note_password(sender: Any, user: User, **_: Any) -> None:
    note_for_accounts(user, "login.password_changed")


@receiver(account.password_reset)
def note_reset(sender: Any, user: User, **_: Any) -> None:
    note_for_accounts(user, "login.password_reset")


@receiver(account.email_added)
def note_address_added(sender: Any, user: User, **_: Any) -> None:
    note_for_accounts(user, "login.address_added")


@receiver(account.email_removed)
def note_address_removed(sender: Any, user: User, **_: Any) -> None:
    note_for_accounts(user, "login.address_removed")


@receiver(account.email_changed)
def note_address_changed(sender: Any, user: User, **_: Any) -> None:
    note_for_accounts(user, "login.address_changed")


@receiver(account.email_confirmed)
def note_address_confirmed(sender: Any, email_address: Any, **_: Any) -> None:
    note_for_accounts(email_address.user, "login.address_confirmed")


@receiver(factor.authenticator_added)
def note_factor_added(sender: Any, user: User, authenticator: Authenticator, **_: Any) -> None:
    note_for_accounts(user, "login.factor_added", factor=authenticator.type)


@receiver(factor.authenticator_removed)
def note_factor_removed(sender: Any, user: User, authenticator: Authenticator, **_: Any) -> None:
    note_for_accounts(user, "login.factor_removed", factor=authenticator.type)


@receiver(factor.authenticator_reset)
def note_factor_reset(sender: Any, user: User, authenticator: Authenticator, **_: Any) -> None:
    note_for_accounts(user, "login.factor_reset", factor=authenticator.type)


@receiver(social.social_account_added)
def note_connected(sender: Any, sociallogin: Any, **_: Any) -> None:
    note_for_accounts(sociallogin.user, "login.connected", provider=sociallogin.account.provider)


@receiver(social.social_account_removed)
def note_disconnected(sender: Any, socialaccount: Any, **_: Any) -> None:
    note_for_accounts(socialaccount.user, "login.disconnected", provider=socialaccount.provider)
