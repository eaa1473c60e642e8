"""The mail that carries an invitation. Where no mail server is set up, the inviting member passes the link on."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from tenancy.people.invitations import SentInvitation

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Delivery:
    """Delivery of an invitation's link; `is_mailed` says whether a mail server took it."""

    email: str
    link: str
    is_mailed: bool


def send_invitation(sent: SentInvitation) -> Delivery:
    link = f"{settings.PUBLIC_URL}{reverse('console:invitation', args=[sent.token])}"
    return Delivery(sent.invitation.email, link, settings.HAS_MAIL and _send_mail(sent, link))


def _send_mail(sent: SentInvitation, link: str) -> bool:
    context = {"invitation": sent.invitation, "account": sent.invitation.account, "link": link}
    subject = render_to_string("emails/invitation_subject.txt", context)
    body = render_to_string("emails/invitation.txt", context)
    try:
        EmailMessage(" ".join(subject.split()), body, to=[sent.invitation.email]).send()
    except (OSError, ValueError) as error:  # `ValueError`: an address that no header can carry
        log.warning("invitation_not_mailed", extra={"fault": type(error).__name__})
        return False
    return True
