"""One socket a page: hints that something changed. The page re-reads; nothing that matters travels only here."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.urls import path

from tenancy.models import Membership

SIGNED_OUT, NOT_A_MEMBER = 4401, 4403
# Membership is looked at again this often, so that a removed member's open page goes quiet.
CHECK_SECONDS = 60.0
# The channel layer itself would wait for a frozen server without end.
SEND_SECONDS = 1.0


def group_of(project_id: str) -> str:
    return f"p.{UUID(str(project_id)).hex}"


class ProjectFeed(AsyncWebsocketConsumer):
    """The events of one project, for its members."""

    group = ""
    watcher: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        await self.accept()
        if not self.scope["user"].is_authenticated:
            await self.close(SIGNED_OUT)
        elif not await self._is_member():
            await self.close(NOT_A_MEMBER)
        else:
            self.group = group_of(self._project_id())
            await self.channel_layer.group_add(self.group, self.channel_name)
            self.watcher = asyncio.create_task(self._watch())
            await self.send(json.dumps({"topic": "hello"}))

    async def disconnect(self, code: int) -> None:
        if self.watcher is not None:
            self.watcher.cancel()
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Pages have nothing to say here; a ping is answered so that a dead line is noticed."""
        if text_data == "ping":
            await self.send(json.dumps({"topic": "pong"}))

    async def hint(self, event: dict[str, Any]) -> None:
        await self.send(json.dumps(event["hint"]))

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            if not await self._is_member():
                await self.close(NOT_A_MEMBER)
                return

    def _project_id(self) -> str:
        return str(self.scope["url_route"]["kwargs"]["project_id"])

    @database_sync_to_async
    def _is_member(self) -> bool:
        return Membership.objects.filter(
            user=self.scope["user"], account__projects=UUID(self._project_id())
        ).exists()


def broadcast(project_id: str, topic: str, **facts: Any) -> None:
    """Tells the open pages of a project. Ids, codes and counts only; whoever listens reads the rest itself.

    Raises `OSError`, `TimeoutError` among them, or `redis.RedisError` when nobody can be told.
    """
    layer = get_channel_layer()
    if layer is not None:
        message = {"type": "hint", "hint": {"topic": topic, **facts}}
        async_to_sync(_send)(layer, group_of(project_id), message)


async def _send(layer: Any, group: str, message: dict[str, Any]) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await layer.group_send(group, message)


websocket_urls = [path("ws/p/<uuid:project_id>/", ProjectFeed.as_asgi())]
