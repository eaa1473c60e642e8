"""ASGI middleware: in addresses of this contract a segment stays encoded, so that an id may have a slash in it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from console.interfaces.mem0.errors import BEGINNINGS

_SLASHES = re.compile(rb"/{2,}")
_OURS = tuple(beginning.encode() for beginning in BEGINNINGS)


class EncodedSegments:
    """Route by the path as it was sent; views decode the segments themselves. Doubled slashes are collapsed."""

    def __init__(self, application: Callable[..., Awaitable[None]]) -> None:
        self.application = application

    async def __call__(self, scope: MutableMapping[str, Any], *channels: Any) -> None:
        raw = _SLASHES.sub(b"/", scope["raw_path"])
        if raw.startswith(_OURS) and raw.isascii():
            scope = {**scope, "path": raw.decode("ascii"), "raw_path": raw}
        await self.application(scope, *channels)
