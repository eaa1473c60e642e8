"""Authenticate a request by its API key, before anything else of it is read."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from tenancy.api.identify_sender import KEY as KEY_IN_SCOPE
from tenancy.audit.request_context import KEY, get_current_context, set_actor
from tenancy.errors import KeyInvalid, KeyMalformed
from tenancy.keys.authorization_header import read_key_from_header
from tenancy.keys.brute_force import recognise_key_from
from tenancy.keys.last_refused_request import note_refused_key
from tenancy.models import ApiKey
from tenancy.requests.trace import trace_stage


class KeyAuthentication(BaseAuthentication):
    """`request.auth` is the key; `request.user` is anonymous, because an API client is a program."""

    def authenticate(self, request: Request) -> tuple[Any, ApiKey]:
        shown = request.headers.get("Authorization", "")
        with trace_stage("auth"):
            try:
                key = getattr(request._request, "scope", {}).get(KEY_IN_SCOPE) or recognise_key_from(
                    get_current_context().address, read_key_from_header(shown)
                )
            except (KeyInvalid, KeyMalformed):
                note_refused_key(shown, request.path)
                raise
        set_actor(KEY, str(key.pk))
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return "Token"
