"""Websocket of a page: update events with ids and counts, after which the page reads the data again."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections import Counter
from threading import Lock
from typing import Any, ClassVar, NamedTuple, cast
from urllib.parse import urlsplit
from uuid import UUID

import redis
from channels.auth import get_user
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.contrib.sessions.backends.db import SessionStore
from django.db import Error
from django.urls import path, re_path
from psycopg_pool import PoolTimeout

from console.http.realtime.event_marks import event_marks
from console.sign_in.operator_visit import SESSION as VISIT
from console.sign_in.second_factor import is_blocked_without_second_factor
from tenancy.models import Membership, Project, User
from tenancy.people.members import get_role_in
from tenancy.people.permissions import is_allowed
from tenancy.runtime.background_writer import BackgroundWriter
from tenancy.runtime.circuit_breaker import CircuitBreaker

log = logging.getLogger(__name__)

# Of these, pages come again after 1011 only.
BROKEN, TOO_LARGE, SIGNED_OUT, NOT_A_MEMBER, TOO_MUCH = 1011, 1009, 4401, 4403, 4429
# Seconds between checks of session and membership, so that the open pages of a removed member get no more events.
CHECK_SECONDS = 60.0
MAX_SOCKETS = 10
MAX_MESSAGES_A_MINUTE = 30
MAX_MESSAGE = 16 * 1024
# Seconds. The channel layer has no timeout of its own. After a lost event none is sent for REST_SECONDS.
SEND_SECONDS, REST_SECONDS = 1.0, 5.0


def get_group_name(project_id: str) -> str:
    return f"p.{UUID(str(project_id)).hex}"


class ProjectFeed(AsyncWebsocketConsumer):
    """The events of one project, for its members."""

    # How many sockets each person has open in this process.
    open: ClassVar[Counter[Any]] = Counter()
    group = ""
    listener: Any = None
    watcher: asyncio.Task[None] | None = None
    received, minute = 0, 0.0

    async def __call__(self, *channels: Any) -> None:
        try:
            await super().__call__(*channels)
        finally:
            # Here, because `disconnect` is not called for a socket that breaks.
            self._leave_group()

    async def connect(self) -> None:
        await self.accept()
        if refusal := await self._get_close_code():
            await self.close(refusal)
        elif self.open[self.scope["user"].pk] >= MAX_SOCKETS:
            await self.close(TOO_MUCH)
        else:
            await self._join_group()

    async def _join_group(self) -> None:
        self.listener = self.scope["user"].pk
        self.open[self.listener] += 1
        self.group = get_group_name(self._get_project_id())
        await self.channel_layer.group_add(self.group, self.channel_name)
        self.watcher = asyncio.create_task(self._watch_permission())
        # After the group was joined, so that no event is missed between mark and group.
        mark = await asyncio.to_thread(event_marks.mark, self._get_project_id())
        await self.send(json.dumps({"topic": "hello", "mark": mark}))

    def _leave_group(self) -> None:
        if self.watcher is not None:
            self.watcher.cancel()
        if self.listener is not None:
            self.open.subtract([self.listener])
            if not self.open[self.listener]:
                del self.open[self.listener]
            self.listener = None

    async def disconnect(self, code: int) -> None:
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Pages have nothing to say here; a ping is answered so that a dead line is noticed."""
        if len(text_data or bytes_data or "") > MAX_MESSAGE:
            await self.close(TOO_LARGE)
        elif self._says_too_much():
            await self.close(TOO_MUCH)
        elif text_data == "ping":
            await self.send(json.dumps({"topic": "pong"}))

    def _says_too_much(self) -> bool:
        now = time.monotonic()
        if now - self.minute > 60:
            self.received, self.minute = 0, now
        self.received += 1
        return self.received > MAX_MESSAGES_A_MINUTE

    async def page_update(self, event: dict[str, Any]) -> None:
        await self.send(json.dumps(event["update"]))

    async def _watch_permission(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            if refusal := await self._get_close_code():
                await self.close(refusal)
                return

    async def _get_close_code(self) -> int:
        """The code to close with, or 0 while this person is signed in and a member: read anew each time."""
        try:
            session = SessionStore(self.scope["session"].session_key)
            user = await get_user({"session": session})
            if not user.is_authenticated:
                return SIGNED_OUT
            # An operator who visits reads pages: what is pushed is masked by nobody. (`get_user` has read the session.)
            if VISIT in session:
                return NOT_A_MEMBER
            return 0 if await self._may_listen(user) else NOT_A_MEMBER
        except (Error, PoolTimeout) as error:
            log.warning("feed_unchecked", extra={"fault": type(error).__name__})
            return BROKEN

    def _get_project_id(self) -> str:
        return str(self.scope["url_route"]["kwargs"]["project_id"])

    @database_sync_to_async
    def _may_listen(self, user: User) -> bool:
        project = Project.objects.here().filter(pk=UUID(self._get_project_id())).first()
        if project is None:
            return False
        members = Membership.objects.select_related("account")
        member = members.filter(user=user, account=project.account_id).first()
        if member is None or is_blocked_without_second_factor(user, member.account):
            return False
        return is_allowed((get_role_in(member, project),), "listen")


class PageUpdate(NamedTuple):
    """An event for the open pages of a project: ids, codes and counts only; pages read the rest themselves."""

    project_id: str
    facts: dict[str, Any]


class _Publisher:
    """Sends events over one event loop per process: the channel layer keeps its connections per loop, and opening a
    connection for each event took longer than a request."""

    def __init__(self) -> None:
        self._reset_state()
        os.register_at_fork(after_in_child=self._reset_state)

    def _reset_state(self) -> None:
        self._lock = Lock()
        self._runner = asyncio.Runner()
        self._redis = CircuitBreaker(REST_SECONDS)

    def publish(self, updates: list[PageUpdate]) -> None:
        """Send the events; on failure they are dropped, and pages poll."""
        with self._lock:  # at the end of a process, two threads may come
            if not self._redis.may_ask():
                return
            try:
                event_marks.note({update.project_id for update in updates})
                self._runner.run(self._send_updates(updates))
            except (redis.RedisError, OSError):
                self._redis.failed()
                log.warning("page_update_lost", extra={"left": len(updates)})
            else:
                self._redis.succeeded()

    async def _send_updates(self, updates: list[PageUpdate]) -> None:
        layer = get_channel_layer()
        if layer is not None:
            for update in updates:
                async with asyncio.timeout(SEND_SECONDS):
                    await layer.group_send(
                        get_group_name(update.project_id), {"type": "page.update", "update": update.facts}
                    )


_updates = BackgroundWriter(
    "page_updates", _Publisher().publish, gathered=0.05, owner_of=lambda update: update.project_id
)


def broadcast(project_id: str, topic: str, **facts: Any) -> None:
    """Send an event to the open pages of a project in the background; it may be lost."""
    _updates.put(PageUpdate(project_id, {"topic": topic, **facts}))


async def refuse_socket(scope: Any, receive: Any, send: Any) -> None:
    """ASGI: answer the handshake with 403, without a log line that strangers could fill the log with."""
    await receive()
    await send({"type": "websocket.close"})


websocket_urls = [
    path("ws/p/<uuid:project_id>/", ProjectFeed.as_asgi()),
    # Without it the router raises for an unknown address: a 500 with a traceback.
    re_path("", cast("Any", refuse_socket)),
]


class ReadableOrigin:
    """ASGI: refuse a handshake whose Origin cannot be parsed, at which Channels raises `ValueError`."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        application = self.application if _has_readable_origin(scope["headers"]) else refuse_socket
        await application(scope, receive, send)


def _has_readable_origin(headers: list[tuple[bytes, bytes]]) -> bool:
    try:
        for name, value in headers:
            if name == b"origin":
                _ = urlsplit(value.decode("latin-1")).port
    except ValueError:
        return False
    return True
