"""Web sockets of open pages."""

from __future__ import annotations

from contextlib import suppress

from django.conf import settings
from django.test import Client
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from console.embedded.stack import Stack
from tenancy.models import User
from tests.support.api_client import Tenant
from tests.support.waiting import LIMIT


def signed_in(tenant: Tenant) -> Client:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    return client


def cookie(client: Client) -> str:
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"


def feed(stack: Stack, tenant: Tenant, client: Client) -> ClientConnection:
    return connect(
        f"{stack.url.replace('http', 'ws', 1)}/ws/p/{tenant.project_id}/",
        origin=stack.url,  # type: ignore[arg-type]
        additional_headers={"Cookie": cookie(client)},
        proxy=None,
        open_timeout=LIMIT,
    )


def read_close_code(socket: ClientConnection) -> int | None:
    """What the server closes with, after all it says before."""
    with suppress(ConnectionClosed):
        while True:
            socket.recv(LIMIT)
    return socket.close_code
