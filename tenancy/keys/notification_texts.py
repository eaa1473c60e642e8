"""What a mail about an API key says, to each in their language."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tenancy.languages import in_language_of
from tenancy.models import User
from tenancy.models.key_mail import KeyMail, KeyNews

SUBJECTS = {
    KeyNews.CREATED: gettext_lazy("A new API key in “%(project)s”: %(name)s"),
    KeyNews.ROTATED: gettext_lazy("The API key “%(name)s” in “%(project)s” has a new secret"),
    KeyNews.ENDING: gettext_lazy("The API key “%(name)s” in “%(project)s” ends on %(day)s"),
}


def mail_about_key(mail: KeyMail) -> None:
    """A mail server that is away or refuses raises `OSError`."""
    with in_language_of(mail.recipient):
        told = _told(mail)
        subject = str(SUBJECTS[KeyNews(mail.news)]) % told
        body = render_to_string(f"emails/key_{mail.news}.txt", told)
    EmailMessage(subject, body, to=[mail.recipient.email]).send()


def _told(mail: KeyMail) -> dict[str, Any]:
    key, project = mail.key, mail.key.project
    return {
        "mail": mail,
        "name": _line(key.name),
        "project": _line(project.name),
        "account": _line(project.account.name),
        "actor": _who(mail.actor),
        "day": date_format(mail.expires_at, "Y-m-d") if mail.expires_at else "",
        "url": f"{settings.PUBLIC_URL}/p/{project.pk}/api-keys/",
    }


def _who(actor: User | None) -> str:
    if actor is None:
        return _("a deleted login")
    return f"{_line(actor.name)} ({actor.email})"


def _line(words: str) -> str:
    """Names are anybody's words: they must not look like lines of ours."""
    return " ".join(words.split())
