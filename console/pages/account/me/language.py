"""The choice of a language, which their e-mails use too."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.views.i18n import set_language

from tenancy.models import User
from tenancy.user_language import remember_language


def choose_language(request: HttpRequest) -> HttpResponseBase:
    response = set_language(request)
    chosen = response.cookies.get(settings.LANGUAGE_COOKIE_NAME)
    if chosen and isinstance(request.user, User):
        remember_language(request.user, chosen.value)
    return response
