"""Client of Engram: memories, chat, knowledge bases, profiles, skills and sessions. Not the server."""

from __future__ import annotations

from engram_client.client import Engram
from engram_client.client_async import AsyncEngram
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
