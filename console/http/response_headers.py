"""Response headers for browsers, and which responses are compressed."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

# What no page of ours uses, and nothing that got into one shall.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer autoplay camera display-capture encrypted-media geolocation gyroscope magnetometer microphone "
        "midi payment picture-in-picture screen-wake-lock serial usb xr-spatial-tracking"
    ).split()
)
# Files that applications show on pages of their own, by links that are signed.
SHOWN_ELSEWHERE = "/material/"


class ResponseHeaders:
    """Answers are for pages of this origin, and no cache keeps what somebody is shown who has a session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        shown_elsewhere = request.path.startswith(SHOWN_ELSEWHERE)
        resource_policy = "cross-origin" if shown_elsewhere else "same-origin"
        response.headers.setdefault("Cross-Origin-Resource-Policy", resource_policy)
        if _is_for_one_person(request):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def _is_for_one_person(request: HttpRequest) -> bool:
    """Return whether a session cookie was sent, so that the answer may be personal. Static files have no session."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES and hasattr(request, "session")


class CompressPages(GZipMiddleware):
    """Pages and parts of them, which shrink to a sixth; random bytes are added, so that lengths tell nothing (BREACH).

    Streams are sent as they come, and the console's own files are compressed beforehand.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if response.streaming or kind != "text/html":
            return response
        return super().process_response(request, response)
