"""The mail that reports how much of a quota is used."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from tenancy.metering.meters import NAMES
from tenancy.metering.quota import get_next_month
from tenancy.metering.usage import Standing, get_today
from tenancy.models import Account, Role, User
from tenancy.user_language import activate_user_language

log = logging.getLogger(__name__)


def send_alert_mails(account: Account, standing: Standing, percent: int) -> None:
    """Send one mail to each owner and admin. Without a mail server only the console shows the alert.

    A mail server that is away raises `OSError`.
    """
    if not settings.HAS_MAIL:
        return
    sent, trouble = 0, None
    for person in _list_owners_and_admins(account):
        try:
            _build_alert_mail(person, account, standing, percent).send()
            sent += 1
        except OSError as refusal:
            log.warning("quota_alert_refused", extra={"fault": type(refusal).__name__})
            trouble = refusal
        except ValueError as error:  # an address that no header can carry, whenever it is tried
            log.warning("quota_alert_unsendable", extra={"fault": type(error).__name__})
    # One bad address is no reason to write to the others once more.
    if trouble is not None and not sent:
        raise trouble


def _build_alert_mail(person: User, account: Account, standing: Standing, percent: int) -> EmailMessage:
    context = {
        "account": account,
        "what": NAMES[standing.meter],
        "percent": percent,
        "standing": standing,
        "reset": get_next_month(get_today()),
        "url": f"{settings.PUBLIC_URL}/a/{account.pk}/usage/",
    }
    with activate_user_language(person):
        subject = _("%(percent)s%% of this month's quota is used: %(what)s") % context
        return EmailMessage(subject, render_to_string("emails/quota_alert.txt", context), to=[person.email])


def _list_owners_and_admins(account: Account) -> list[User]:
    of_account = {"memberships__account": account, "memberships__role__in": [Role.OWNER, Role.ADMIN]}
    return list(User.objects.filter(is_active=True, **of_account).order_by("pk"))
