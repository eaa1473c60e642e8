"""Serve `/.well-known/security.txt` (RFC 9116): where to report vulnerabilities."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

# A reader who kept a copy asks again after this long; RFC 9116 recommends less than a year.
VALID_FOR = timedelta(days=180)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Contact, languages, own address, and the day until which all this may be believed."""
    until = (datetime.now(UTC) + VALID_FOR).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {until:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en, zh",
        f"Canonical: {settings.PUBLIC_URL}/.well-known/security.txt",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
