"""ASGI middleware for doubled slashes: a base URL that ends in a slash makes `//add/message`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import unquote

_SLASHES = re.compile(rb"/{2,}")


class SingleSlashes:
    """Collapse doubled slashes in API paths. No redirect, which would lose the body."""

    def __init__(self, application: Callable[..., Awaitable[None]]) -> None:
        self.application = application

    async def __call__(self, scope: MutableMapping[str, Any], *channels: Any) -> None:
        raw = _SLASHES.sub(b"/", scope["raw_path"])
        # Slashes that were encoded belong to an id, and stay as many as they are.
        if raw != scope["raw_path"] and raw.startswith(b"/api/"):
            scope = {**scope, "path": unquote(raw.decode("ascii")), "raw_path": raw}
        await self.application(scope, *channels)
