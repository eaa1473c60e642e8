"""How long a sign-in lasts, and where a person is signed in."""

from __future__ import annotations

import time
from collections.abc import Callable

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from tenancy.runtime.ttl_cache import LockedTTLCache

SIGNED_IN, SEEN = "signed_in_at", "seen_at"
# The list of sessions is as exact as this, so that not every page writes.
NOTED_EVERY = 300
# Whose sessions this process has lately seen live, by the session's key.
_people: LockedTTLCache[str, str] = LockedTTLCache(10_000, NOTED_EVERY)


@receiver(user_logged_in)
def remember_sign_in(request: HttpRequest | None, **_: object) -> None:
    if request is not None:
        request.session[SIGNED_IN] = time.time()


class SessionLifetimeMiddleware:
    """Signs out `SESSION_COOKIE_AGE` after the sign-in and `SESSION_IDLE_SECONDS` after the last page.

    Notes every now and then that the session is in use.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Programs bring no cookie: nothing is read for them.
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            self._refresh_session(request)
        return self.get_response(request)

    def _refresh_session(self, request: HttpRequest) -> None:
        now = time.time()
        seen = request.session.get(SEEN, 0)
        signed_in = request.session.setdefault(SIGNED_IN, now)
        if now - signed_in > settings.SESSION_COOKIE_AGE or (
            seen and now - seen > settings.SESSION_IDLE_SECONDS
        ):
            logout(request)
            return
        _people.put(request.COOKIES[settings.SESSION_COOKIE_NAME], str(request.user.pk))
        if now - seen > NOTED_EVERY:
            request.session[SEEN] = now
            UserSession.objects.create_from_request(request)


def find_seen_person(session_key: str) -> str | None:
    """The id of the person whose session this process has lately seen live. Makes no query."""
    return _people.get(session_key)
