"""Addresses below a project's `users/`."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from django.urls import URLPattern, URLResolver, include, path, register_converter

from console.pages.memory.users import deletion, user, users

# In front of an id that stands in the address as base64, because as text it would be read otherwise.
ENCODED = "~"
# Read by browsers, servers or Django as something else than a part of a path.
SPECIAL = frozenset("/\\?#%")


class UserIdConverter:
    """An end user's id as one part of a path: as it is wherever that is safe, else "~" and base64.

    Browsers take "." and ".." out of addresses and servers decode "%2F" before Django sees it.
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        user_id = value
        if value.startswith(ENCODED):
            text = value.removeprefix(ENCODED)
            try:
                user_id = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True).decode()
            except (binascii.Error, UnicodeDecodeError):
                raise ValueError(value[:60]) from None
        if "\0" in user_id:  # which no id holds, and PostgreSQL refuses
            raise ValueError(value[:60])
        return user_id

    def to_url(self, value: Any) -> str:
        user_id = str(value)
        if _is_plain(user_id):
            return user_id
        return ENCODED + base64.urlsafe_b64encode(user_id.encode()).decode().rstrip("=")


def _is_plain(user_id: str) -> bool:
    if user_id.startswith((ENCODED, ".")) or SPECIAL.intersection(user_id):
        return False
    return user_id.isprintable() and user_id == user_id.strip() and bool(user_id)


register_converter(UserIdConverter, "user_id")

user_page: list[URLPattern | URLResolver] = [
    path("", user.user, name="user"),
    path("delete/", deletion.user_delete, name="user_delete"),
]
user_pages: list[URLPattern | URLResolver] = [
    path("", users.users, name="users"),
    path("<user_id:user_id>/", include(user_page)),
]
