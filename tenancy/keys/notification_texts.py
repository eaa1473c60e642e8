"""Texts of mails about API keys, in the language of each recipient."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tenancy.models import User
from tenancy.models.key_mail import KeyMail, KeyNews
from tenancy.user_language import activate_user_language

SUBJECTS = {
    KeyNews.CREATED: gettext_lazy("A new API key in “%(project)s”: %(name)s"),
    KeyNews.ROTATED: gettext_lazy("The API key “%(name)s” in “%(project)s” was rotated"),
    KeyNews.ENDING: gettext_lazy("The API key “%(name)s” in “%(project)s” ends on %(day)s"),
}


def send_key_mail(mail: KeyMail) -> None:
    """Send the mail. Raises `OSError` when the mail server is unavailable or refuses it."""
    with activate_user_language(mail.recipient):
        context = _build_mail_context(mail)
        subject = str(SUBJECTS[KeyNews(mail.news)]) % context
        body = render_to_string(f"emails/key_{mail.news}.txt", context)
    EmailMessage(subject, body, to=[mail.recipient.email]).send()


def _build_mail_context(mail: KeyMail) -> dict[str, Any]:
    key, project = mail.key, mail.key.project
    return {
        "mail": mail,
        "name": _write_on_one_line(key.name),
        "project": _write_on_one_line(project.name),
        "account": _write_on_one_line(project.account.name),
        "actor": _describe_actor(mail.actor),
        "day": date_format(mail.expires_at, "Y-m-d") if mail.expires_at else "",
        "url": f"{settings.PUBLIC_URL}/p/{project.pk}/api-keys/",
    }


def _describe_actor(actor: User | None) -> str:
    if actor is None:
        return _("a program, or a deleted login")
    return f"{_write_on_one_line(actor.name)} ({actor.email})"


def _write_on_one_line(words: str) -> str:
    """Names are user input: they must not look like lines of our own text."""
    return " ".join(words.split())
