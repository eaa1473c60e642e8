"""The key of a request, read before anything else of it."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from tenancy.identify import identify
from tenancy.models import ApiKey
from tenancy.trace import stage


class KeyAuthentication(BaseAuthentication):
    """`request.auth` is the key, `request.user` nobody: an API client is a program, not a person."""

    def authenticate(self, request: Request) -> tuple[Any, ApiKey]:
        with stage("auth"):
            return None, identify(request.headers.get("Authorization", ""))

    def authenticate_header(self, request: Request) -> str:
        return "Token"
