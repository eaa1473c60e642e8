"""Files that members download."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any


def read_streamed(answer: Any) -> bytes:
    """A download is streamed as the web server sends it, which is asynchronously."""
    if not answer.streaming:
        return bytes(answer.content)

    async def collect() -> bytes:
        return b"".join([piece async for piece in answer])

    # In a thread of its own, because a browser's loop may run in this one.
    with closing(answer), ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, collect()).result()
