"""The key of a request, read before anything else of it."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from tenancy.audit.request_context import KEY, asking, known_as
from tenancy.keys.authenticate import shown_key
from tenancy.keys.brute_force import recognise_from
from tenancy.models import ApiKey
from tenancy.requests.trace import stage


class KeyAuthentication(BaseAuthentication):
    """`request.auth` is the key, `request.user` nobody: an API client is a program, not a person."""

    def authenticate(self, request: Request) -> tuple[Any, ApiKey]:
        with stage("auth"):
            key = recognise_from(asking().address, shown_key(request.headers.get("Authorization", "")))
        known_as(KEY, str(key.pk))
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return "Token"
