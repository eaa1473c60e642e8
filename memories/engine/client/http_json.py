"""JSON over HTTP to a model provider: one time limit over everything, retries, a breaker.

All requests of a process run on one loop of its own thread, because only there a time limit holds for the whole of a
request: the client's own limits start again with every byte. Connections stay open between requests.

The transport is httpx's. Not the package `openai` above it: its retries and its time limits would have to be switched
off, because the time limit here holds over all attempts and the breaker is asked before each; and it takes 22 MiB and
0.8 s more than httpx in each process that asks a model.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, TypeVar

import httpx

from memories.engine.client.guarded_transport import build_one_time_client
from memories.engine.client.provider_breaker import get_breaker
from memories.engine.protocols import ProviderRefused, ProviderUnavailable

Answer = TypeVar("Answer")
CONNECT_SECONDS = 3.0
LARGEST_ANSWER_BYTES = 32 * 2**20
# As objects JSON takes twenty times its bytes; no completion is as long as this.
LARGEST_OUTSIDE_BYTES = 4 * 2**20
_RETRYABLE = frozenset({408, 409, 425, 429})
_TIMEOUT = httpx.Timeout(None, connect=CONNECT_SECONDS)
_PAUSE_BASE, _LONGEST_PAUSE = 0.5, 8.0
# Of a refusal only this much is read: it is looked through for the name of what the server does not know.
_REFUSAL_CHARACTERS = 4_000


class NotUnderstood(ProviderRefused):
    """The provider answered 400 or 422. `detail` is its explanation: it may quote the input, so it is never shown."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"refused with {status}")
        self.detail = detail


class Busy(ProviderUnavailable):
    """Worth another try. `wish` is for how many seconds the provider asks to be left alone."""

    def __init__(self, reason: str, wish: float = 0.0) -> None:
        super().__init__(reason)
        self.wish = wish


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment by which everything must be over: `at` is a time of `time.monotonic()`, in seconds."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then, 0 when it is over."""
        return max(0.0, self.at - time.monotonic())

    def or_after(self, seconds: float) -> Deadline:
        """The earlier of this one and one so many seconds from now."""
        return Deadline(min(self.at, time.monotonic() + seconds))


class Provider:
    """One server, with its key. The messages of what it raises are short and ours: no word of anybody's text.

    `owner` is the project that brought it along: its address is a stranger's word, and is checked as such.
    """

    def __init__(self, base_url: str, api_key: str, owner: str = "") -> None:
        self._base_url = base_url.rstrip("/")
        self._is_outside = bool(owner)
        self._most_bytes = LARGEST_OUTSIDE_BYTES if owner else LARGEST_ANSWER_BYTES
        # Servers on a private network often have no key.
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._breaker = get_breaker(self._base_url, api_key, owner)

    def post(self, path: str, body: dict[str, Any], deadline: Deadline, attempts: int = 3) -> Any:
        """The JSON that the server answers. Raises `ProviderUnavailable`, `ProviderRefused`, `NotUnderstood`."""
        return run_on_loop(self._post_with_retries(path, body, deadline, attempts), deadline)

    async def _post_with_retries(
        self, path: str, body: dict[str, Any], deadline: Deadline, attempts: int
    ) -> Any:
        attempt = 1
        while True:
            await self._wait_for_breaker(deadline)
            if not deadline.left:
                raise ProviderUnavailable("timed out")  # before it was asked: no failure of the provider
            try:
                return await self._post_through_breaker(path, body, deadline)
            except Busy as error:
                pause = pause_after(error, attempt)
                if attempt == attempts or pause >= deadline.left:
                    raise
            await asyncio.sleep(pause)
            attempt += 1

    async def _wait_for_breaker(self, deadline: Deadline) -> None:
        while (pause := self._breaker.wait(deadline.left)) > 0:
            if pause >= deadline.left:
                raise ProviderUnavailable("paused after failures")
            await asyncio.sleep(pause)

    async def _post_through_breaker(self, path: str, body: dict[str, Any], deadline: Deadline) -> Any:
        """One request, and what it tells the breaker."""
        try:
            answer = await self._send_request(path, body, deadline)
        except Busy as error:
            self._breaker.failed(error.wish)
            raise
        except ProviderRefused:
            self._breaker.succeeded()  # it is there, and says no
            raise
        self._breaker.succeeded()
        return answer

    async def _send_request(self, path: str, body: dict[str, Any], deadline: Deadline) -> Any:
        try:
            async with asyncio.timeout(deadline.left):
                if self._is_outside:
                    async with build_one_time_client(_TIMEOUT) as client:
                        response, content = await self._post_body(client, path, body)
                else:
                    response, content = await self._post_body(_build_client(), path, body)
        except TimeoutError:
            raise Busy("timed out") from None
        except httpx.HTTPError as error:
            raise Busy(get_failure_reason(error)) from None
        return parse_json_response(response, content)

    async def _post_body(
        self, client: httpx.AsyncClient, path: str, body: dict[str, Any]
    ) -> tuple[httpx.Response, bytes]:
        response = await client.send(self._build_request(client, path, body), stream=True)
        try:
            return response, await read_whole(response, self._most_bytes)
        finally:
            await response.aclose()

    def _build_request(self, client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> httpx.Request:
        """Raises `ProviderRefused`: people paste masked keys, and names that no resolver takes."""
        try:
            return client.build_request("POST", self._base_url + path, json=body, headers=self._headers)
        except (httpx.InvalidURL, UnicodeError):
            raise ProviderRefused("address or key not usable") from None


def pause_after(trouble: Busy, attempt: int) -> float:
    """Seconds to wait: those that the provider asks for, else exponential backoff with full jitter."""
    return trouble.wish or random.uniform(0, min(_LONGEST_PAUSE, _PAUSE_BASE * 2**attempt))


def get_failure_reason(problem: httpx.HTTPError) -> str:
    if isinstance(problem, httpx.TimeoutException):
        return "timed out"
    return "not reachable" if isinstance(problem, httpx.ConnectError) else "connection broke"


async def read_whole(response: httpx.Response, most_bytes: int) -> bytes:
    read = bytearray()
    async for piece in response.aiter_bytes():
        read += piece
        if len(read) > most_bytes:
            raise ProviderRefused("answer too large")
    return bytes(read)


def parse_json_response(response: httpx.Response, content: bytes) -> Any:
    status = response.status_code
    if status in {400, 422}:
        raise NotUnderstood(status, content[:_REFUSAL_CHARACTERS].decode("utf-8", "replace"))
    if status >= 500 or status in _RETRYABLE:
        raise Busy(f"answered {status}", _retry_after(response))
    if not response.is_success:
        raise ProviderRefused(f"refused with {status}")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise Busy("answered no JSON") from None


def _retry_after(response: httpx.Response) -> float:
    """Seconds, whichever of its two forms the header has; nonsense is no wish."""
    wish = response.headers.get("Retry-After", "")
    if wish.isascii() and wish.isdecimal():
        return float(wish[:6])
    try:
        return max(0.0, parsedate_to_datetime(wish).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0


@cache
def _build_client() -> httpx.AsyncClient:
    """Made on the loop's thread, once. The deadline bounds what these limits leave open."""
    limits = httpx.Limits(max_connections=32, keepalive_expiry=30)
    return httpx.AsyncClient(timeout=_TIMEOUT, limits=limits)


_making = threading.Lock()


@cache
def _start_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="providers", daemon=True).start()
    return loop


def _get_loop() -> asyncio.AbstractEventLoop:
    with _making:  # threads that ask first at the same time would make one each
        return _start_loop()


def run_on_loop(work: Coroutine[Any, Any, Answer], deadline: Deadline) -> Answer:
    # The work keeps its deadline itself; the second is for a loop that is late.
    future = asyncio.run_coroutine_threadsafe(work, _get_loop())
    try:
        return future.result(deadline.left + 1)
    except TimeoutError:
        future.cancel()
        raise ProviderUnavailable("timed out") from None
