"""Merge changes into clients' JSON objects, key by key."""

from __future__ import annotations

import json
from typing import Any

from tenancy.errors import InvalidParameters

MAX_BYTES = 64 * 1024


def merge_meta(current: dict[str, Any], changes: dict[str, Any], name: str) -> dict[str, Any]:
    """The given keys replaced, those that are null taken away. Raises `InvalidParameters` when it grows too large."""
    gone = {key for key, value in changes.items() if value is None}
    whole = {key: value for key, value in (current | changes).items() if key not in gone}
    refuse_large(whole, name)
    return whole


def refuse_large(whole: dict[str, Any], name: str) -> None:
    if len(json.dumps(whole, ensure_ascii=False).encode()) > MAX_BYTES:
        raise InvalidParameters(f"{name}: at most {MAX_BYTES // 1024} KB")
