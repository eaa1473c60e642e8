"""Device sign-in (RFC 8628): a machine shows a code, a member approves it in the browser, the machine gets a key.

The protocol is that of allauth's identity provider, which keeps requests in the cache until they expire. In place of
OAuth tokens the answer is an API key made for the machine: it is made when the machine fetches it, so that it is stored
nowhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from allauth.idp.oidc.internal.oauthlib import device_codes
from allauth.idp.oidc.models import Client
from allauth.idp.oidc.views import DeviceCodeView, TokenView
from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from oauthlib.oauth2.rfc6749.errors import OAuth2Error
from oauthlib.oauth2.rfc8628.errors import AccessDenied, ExpiredTokenError, SlowDownError

from console.interfaces.oauth.grants import list_grantable_projects
from tenancy.audit.log import record_event
from tenancy.audit.request_context import get_current_context
from tenancy.errors import CatalogueError
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.keys.scopes import ADMINISTRATION_SCOPES, MEMORY_SCOPES
from tenancy.models import Membership, Project, User
from tenancy.people import permissions
from tenancy.people.members import get_role_in

# The registration of our own command line, which is the only client that may sign in like this.
CLIENT_ID, CLIENT_NAME = "engram-cli", "Engram command line"
SCOPES = (*MEMORY_SCOPES, *ADMINISTRATION_SCOPES)
USUAL_SCOPES = tuple(scope for scope in SCOPES if scope != "keys")
MOST_NAME, LONGEST_CODE = 40, 100


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """A machine that waits for an answer. `machine` is the name that it gives itself."""

    device_code: str
    user_code: str
    machine: str
    address: str
    scopes: tuple[str, ...]


class DeviceRequestView(DeviceCodeView):
    """RFC 8628, 3.1 and 3.2."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not ratelimit.consume(request, action="device_code", app="allauth.idp.oidc"):
            return _build_refused_answer(SlowDownError(status_code=429))
        _register_command_line()
        response = super().post(request, *args, **kwargs)
        if response.status_code != 200:
            return response
        answer = json.loads(response.content)
        _note_machine(answer["device_code"], request.POST.get("device_name", ""))
        page = f"{settings.PUBLIC_URL}{reverse('console:device')}"
        answer |= {
            "verification_uri": page,
            "verification_uri_complete": f"{page}?code={answer['user_code']}",
        }
        return _build_answer(answer)


class DeviceTokenView(TokenView):
    """RFC 8628, 3.4 and 3.5; all other grants are allauth's."""

    def _post_device_token(self, request: HttpRequest) -> HttpResponse:
        try:
            return _build_answer(_fetch_key(request))
        except OAuth2Error as error:
            return _build_refused_answer(error)


def find_request(user_code: str) -> DeviceRequest:
    """The request with this code, which nobody has answered. Raises `ValidationError`."""
    device_code, _ = device_codes.validate_user_code(user_code)
    record = _load_record(device_code)
    if record is None:  # it has expired since
        raise get_adapter().validation_error("incorrect_code")
    asked = record.get("scope") or USUAL_SCOPES
    return DeviceRequest(
        device_code,
        record["device"]["user_code"],
        record.get("machine", ""),
        record.get("address", ""),
        tuple(scope for scope in SCOPES if scope in asked),
    )


def may_grant_keys(user: User, project: Project) -> bool:
    """Return whether the member may give a machine the scope `keys` there."""
    membership = Membership.objects.filter(user=user, account=project.account_id).first()
    return membership is not None and permissions.is_allowed(
        (get_role_in(membership, project),), "grant_key_management"
    )


@transaction.atomic
def approve_request(user: User, asked: DeviceRequest, project: Project, scopes: Sequence[str]) -> bool:
    """Let the machine fetch its key. False when the request has expired or was answered meanwhile."""
    _lock_request(asked.device_code)
    record = _load_record(asked.device_code)
    if record is None or record["granted"] is not None:
        return False
    chosen = {"project": str(project.pk), "scopes": list(scopes)}
    if not device_codes.update_device_state(asked.device_code, record | chosen):
        return False
    detail = {"machine": asked.machine, "address": asked.address, "scopes": list(scopes)}
    record_event(project.account, user, "device.approved", project, project=project, detail=detail)
    is_done = device_codes.confirm_or_deny_device_code(user, asked.device_code, confirm=True)
    if not is_done:
        transaction.set_rollback(True)
    return is_done


@transaction.atomic
def refuse_request(user: User, asked: DeviceRequest) -> bool:
    """Tell the machine no. False when the request has expired or was answered meanwhile."""
    _lock_request(asked.device_code)
    return device_codes.confirm_or_deny_device_code(user, asked.device_code, confirm=False)


def _fetch_key(request: HttpRequest) -> dict[str, Any]:
    """Make the key that was approved, once. Raises `OAuth2Error` while it is not, and when it cannot be made."""
    device_code = request.POST.get("device_code", "")
    is_code = device_code.isascii() and device_code.isprintable() and len(device_code) <= LONGEST_CODE
    if device_code and not (is_code and _load_record(device_code)):
        raise ExpiredTokenError
    with transaction.atomic():
        _lock_request(device_code)
        user, record = device_codes.poll_device_code(request)
    if not cache.add(f"device-fetched:{device_code}", True, settings.IDP_OIDC_DEVICE_CODE_EXPIRES_IN):
        raise ExpiredTokenError  # by a poll at the same time
    project = next(
        (project for project in list_grantable_projects(user) if str(project.pk) == record.get("project")),
        None,
    )
    scopes = record.get("scopes", [])
    if project is None or ("keys" in scopes and not may_grant_keys(user, project)):
        raise AccessDenied(description="the member who approved this may no longer do so")
    name = f"engram on {record.get('machine') or 'a machine'}"
    try:
        new = issue_key(project, KeyRules(name, tuple(scopes)), user)
    except CatalogueError as refusal:
        raise AccessDenied(description=refusal.text) from refusal
    return {
        "access_token": new.plaintext,
        "token_type": "Bearer",
        "scope": " ".join(scopes),
        "key_id": str(new.key.pk),
        "project": {"id": str(project.pk), "name": project.name, "account": project.account.name},
    }


def _register_command_line() -> None:
    """Register the command line client, without a secret: published programs cannot keep one."""
    wanted = {
        "name": CLIENT_NAME,
        "secret": "",
        "type": Client.Type.PUBLIC,
        "grant_types": Client.GrantType.DEVICE_CODE,
        "scopes": "\n".join(SCOPES),
        "default_scopes": "\n".join(USUAL_SCOPES),
        "response_types": "",
    }
    if not Client.objects.filter(pk=CLIENT_ID, **wanted).exists():
        Client.objects.update_or_create(pk=CLIENT_ID, defaults=wanted)


def _note_machine(device_code: str, name: str) -> None:
    record = _load_record(device_code)
    if record is not None:
        machine = " ".join(name.split())[:MOST_NAME]
        known = {"machine": machine, "address": get_current_context().address}
        device_codes.update_device_state(device_code, record | known)


def _lock_request(device_code: str) -> None:
    """Lock a device request until the transaction ends.

    allauth reads and writes a request whole, and would lose changes made in between.
    """
    name = hashlib.sha256(f"device:{device_code}".encode()).digest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(name[:8], "big", signed=True)])


def _load_record(device_code: str) -> dict[str, Any] | None:
    record: dict[str, Any] | None = cache.get(device_codes.cache_device_code_key(device_code))
    return record


def _build_answer(content: dict[str, Any], status: int = 200) -> HttpResponse:
    return JsonResponse(content, status=status, headers={"Cache-Control": "no-store"})


def _build_refused_answer(fault: OAuth2Error) -> HttpResponse:
    return _build_answer(dict(fault.twotuples), fault.status_code)


request_code = DeviceRequestView.as_view()
token = DeviceTokenView.as_view()
