"""Stream server-sent events over HTTP from a model provider.

Each stream has a connection of its own, on the event loop of its reader: it is closed with the reader.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

from memories.engine.client.guarded_transport import build_one_time_client, load_tls_context
from memories.engine.client.http_json import (
    CONNECT_SECONDS,
    LARGEST_ANSWER_BYTES,
    Busy,
    Deadline,
    Provider,
    get_failure_reason,
    parse_json_response,
    pause_after,
    read_whole,
)
from memories.engine.client.stream_events import Delta, read_delta
from memories.engine.protocols import ProviderRefused, ProviderUnavailable

ATTEMPTS = 3
_LONGEST_LINE = 2**20
_DONE = b"[DONE]"


@dataclass(frozen=True, slots=True)
class StreamTimeouts:
    """Seconds: until the first word with all retries, from one event to the next, for the whole: shorter than what
    an erasure waits for (`tenancy.requests.log_erasure.REMEMBERED`)."""

    first: float = 30.0
    between: float = 60.0
    whole: float = 540.0


class _Clock:
    """Time limit of the next event."""

    def __init__(self, timeouts: StreamTimeouts) -> None:
        self.first = Deadline.after(timeouts.first)
        self._between = timeouts.between
        self._whole = Deadline.after(timeouts.whole)
        self.has_begun = self.is_over = False

    @property
    def left(self) -> float:
        return min(self._between, self._whole.left) if self.has_begun else self.first.left


class StreamingProvider(Provider):
    """A provider that can be listened to."""

    async def stream(
        self, path: str, body: dict[str, Any], timeouts: StreamTimeouts
    ) -> AsyncGenerator[Delta, None]:
        """Return what it says, tried again until its first word; after that a failure is the end of it.

        Raises what `post` raises. A stream that stops without saying so broke off.
        """
        clock, attempt = _Clock(timeouts), 1
        while True:
            await self._wait_for_breaker(clock.first)
            if not clock.left:
                raise ProviderUnavailable("timed out")
            try:
                async with aclosing(self._deltas(path, body, clock)) as deltas:
                    async for delta in deltas:
                        yield delta
                self._breaker.succeeded()
                return
            except Busy as error:
                self._breaker.failed(error.wish)
                pause = pause_after(error, attempt)
                if clock.has_begun or attempt == ATTEMPTS or pause >= clock.left:
                    raise
            except ProviderRefused:
                self._breaker.succeeded()  # it is there, and says no
                raise
            await asyncio.sleep(pause)
            attempt += 1

    def _build_streaming_client(self, timeout: httpx.Timeout) -> httpx.AsyncClient:
        if self._is_outside:
            return build_one_time_client(timeout)
        return httpx.AsyncClient(verify=load_tls_context(), timeout=timeout)

    async def _deltas(self, path: str, body: dict[str, Any], clock: _Clock) -> AsyncGenerator[Delta, None]:
        async with aclosing(self._stream_events(path, body, clock)) as events:
            async for event in events:
                delta = read_delta(event)
                clock.has_begun = clock.has_begun or delta.is_speech
                clock.is_over = clock.is_over or bool(delta.finish)
                yield delta
        if not clock.is_over:
            raise Busy("connection broke")

    async def _stream_events(
        self, path: str, body: dict[str, Any], clock: _Clock
    ) -> AsyncGenerator[Any, None]:
        limits = httpx.Timeout(None, connect=CONNECT_SECONDS)
        try:
            async with self._build_streaming_client(limits) as client:
                request = self._build_request(client, path, body)
                async with asyncio.timeout(clock.left):
                    response = await client.send(request, stream=True)
                try:
                    async with aclosing(_read_events(response, clock, self._most_bytes)) as events:
                        async for event in events:
                            yield event
                finally:
                    await response.aclose()
        except TimeoutError:
            raise Busy("timed out") from None
        except httpx.HTTPError as error:
            raise Busy(get_failure_reason(error)) from None


async def _read_events(response: httpx.Response, clock: _Clock, most_bytes: int) -> AsyncGenerator[Any, None]:
    is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
    if not response.is_success or not is_stream:
        async with asyncio.timeout(clock.left):
            content = await read_whole(response, most_bytes)
        yield parse_json_response(response, content)
        return
    async with aclosing(_iterate_data(response)) as lines:
        while (line := await _read_next_line(lines, clock)) is not None:
            if line == _DONE:
                clock.is_over = True
                return
            yield _parse_object(line)


async def _read_next_line(lines: AsyncGenerator[bytes, None], clock: _Clock) -> bytes | None:
    async with asyncio.timeout(clock.left):
        return await anext(lines, None)


async def _iterate_data(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Return what follows `data:` in each line. Cut at line feeds only: JSON may hold the rarer ends of lines."""
    rest, read = b"", 0
    async for piece in response.aiter_bytes():
        read += len(piece)
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > _LONGEST_LINE or read > LARGEST_ANSWER_BYTES:
            raise ProviderRefused("answer too large")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if rest.startswith(b"data:"):
        yield rest[5:].strip()


def _parse_object(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise Busy("answered no JSON") from None
