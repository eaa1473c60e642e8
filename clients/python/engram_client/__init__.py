"""Client of Engram: memories, chat, knowledge bases, profiles, skills and sessions, without the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engram_client.client import Engram
from engram_client.errors import (
    APIError,
    AuthenticationError,
    ConflictError,
    ConnectionFailed,
    EngramError,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServerError,
    StreamFailed,
    TaskFailed,
    TimedOut,
)
from engram_client.requests import ChatPiece
from engram_client.version import VERSION as __version__

if TYPE_CHECKING:
    from engram_client.client_async import AsyncEngram

__all__ = [
    "APIError",
    "AsyncEngram",
    "AuthenticationError",
    "ChatPiece",
    "ConflictError",
    "ConnectionFailed",
    "Engram",
    "EngramError",
    "InvalidRequest",
    "NotFound",
    "RateLimited",
    "ServerError",
    "StreamFailed",
    "TaskFailed",
    "TimedOut",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """The async client is imported when it is used: asyncio takes longer than the rest of this package."""
    if name != "AsyncEngram":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engram_client.client_async import AsyncEngram

    return AsyncEngram
