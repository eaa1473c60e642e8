"""Calls of the API that are sent at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from tests.support.api_client import Tenant
from tests.support.servers import own_loop

ASK = {"user_id": "kim", "query": "Where do I live?"}
SAY = {
    "user_id": "kim",
    "conversation_id": "talk",
    "messages": [{"role": "user", "content": "I live in Porto."}],
}


def at_once(tenant: Tenant, path: str, bodies: list[dict[str, Any]], key: str = "") -> list[httpx.Response]:
    """Each on a connection of its own, none waiting for another."""

    async def all_of_them() -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(
            base_url=f"{tenant.url}/api/openmem/v1/",
            headers={"Authorization": f"Token {key or tenant.key}"},
            limits=limits,
            timeout=120,
            trust_env=False,
            verify=False,
        ) as client:
            return list(await asyncio.gather(*(client.post(path, json=body) for body in bodies)))

    return own_loop.run(all_of_them())
