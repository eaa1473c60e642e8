"""A user's language, in which mails are written: that of the last sign-in, or the one chosen since."""

from __future__ import annotations

from contextlib import AbstractContextManager

from django.conf import settings
from django.utils import translation

from tenancy.models import User


def remember_language(user: User, language: str) -> None:
    if language in dict(settings.LANGUAGES):
        User.objects.filter(pk=user.pk).exclude(language=language).update(language=language)


def activate_user_language(user: User) -> AbstractContextManager[None]:
    return translation.override(user.language or settings.LANGUAGE_CODE)
