"""An assistant that speaks MCP, with the official SDK's client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.support.api_client import Tenant

Got = TypeVar("Got")


class Assistant:
    """Opens a session for each call, as a client does that comes back later."""

    def __init__(
        self, url: str, key: str, *, user: str = "", query: str = "", scheme: str = "Bearer"
    ) -> None:
        self.base, self.key = url, key
        self.url = f"{url}/mcp{query}"
        self.headers = {"Authorization": f"{scheme} {key}"} | ({"X-Engram-User": user} if user else {})

    @classmethod
    def of(cls, tenant: Tenant, user: str = "kim", **options: Any) -> Assistant:
        return cls(tenant.url, tenant.key, user=user, **options)

    def run(self, act: Callable[[ClientSession], Awaitable[Got]]) -> Got:
        """What `act` gives. Raises the `MCPError` that the server answers, outside the groups of the SDK's tasks."""

        async def connect() -> Got | MCPError:
            async with (
                httpx2.AsyncClient(headers=self.headers, timeout=120, trust_env=False, verify=False) as http,
                streamable_http_client(self.url, http_client=http) as (read, write),
                ClientSession(read, write) as session,
            ):
                await session.initialize()
                try:
                    return await act(session)
                except MCPError as refused:
                    return refused

        # In a thread: beside a browser of Playwright this one has a running loop already.
        with ThreadPoolExecutor(1) as thread:
            outcome = thread.submit(lambda: asyncio.run(connect())).result()
        if isinstance(outcome, MCPError):
            raise outcome
        return outcome

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.run(lambda session: session.call_tool(tool, arguments))

    def data(self, tool: str, **arguments: Any) -> Any:
        answer = self.call(tool, **arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content["data"]

    def refusal(self, tool: str, **arguments: Any) -> str:
        answer = self.call(tool, **arguments)
        assert answer.is_error
        return str(answer.content[0].text)
