"""Texts of mails about API keys, in the language of each recipient."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tenancy.mail_language import activate_user_language
from tenancy.models import User
from tenancy.models.key_mail import KeyMail, KeyNews

SUBJECTS = {
    KeyNews.CREATED: gettext_lazy("A new API key in “%(project)s”: %(name)s"),
    KeyNews.ROTATED: gettext_lazy("The API key “%(name)s” in “%(project)s” was rotated"),
    KeyNews.ENDING: gettext_lazy("The API key “%(name)s” in “%(project)s” ends on %(day)s"),
}


def mail_about_key(mail: KeyMail) -> None:
    """Send the mail. Raises `OSError` when the mail server is unavailable or refuses it."""
    with activate_user_language(mail.recipient):
        context = _mail_context(mail)
        subject = str(SUBJECTS[KeyNews(mail.news)]) % context
        body = render_to_string(f"emails/key_{mail.news}.txt", context)
    EmailMessage(subject, body, to=[mail.recipient.email]).send()


def _mail_context(mail: KeyMail) -> dict[str, Any]:
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
        return _("a program, or a deleted login")
    return f"{_line(actor.name)} ({actor.email})"


def _line(words: str) -> str:
    """Names are user input: they must not look like lines of our own text."""
    return " ".join(words.split())
