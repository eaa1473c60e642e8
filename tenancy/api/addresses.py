"""Addresses as clients put them together: a base URL that ends in a slash makes `//add/message`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

_SLASHES = re.compile(r"/{2,}")


class SingleSlashes:
    """ASGI: reads doubled slashes below the API as one. Never a redirect, which would lose the body."""

    def __init__(self, application: Callable[..., Awaitable[None]]) -> None:
        self.application = application

    async def __call__(self, scope: MutableMapping[str, Any], *channels: Any) -> None:
        path = _SLASHES.sub("/", scope["path"])
        if path != scope["path"] and path.startswith("/api/"):
            scope = {**scope, "path": path, "raw_path": path.encode("ascii", "ignore")}
        await self.application(scope, *channels)
