"""The OpenAPI description."""

from __future__ import annotations

from typing import Any


def only_documented_paths(endpoints: list[Any]) -> list[Any]:
    """One path an endpoint: the contract's own spelling, without the optional slash."""
    documented = []
    for path, pattern, method, callback in endpoints:
        if path.startswith("/api/openmem/v1/"):
            documented.append((path.replace("/?", "").rstrip("/"), pattern, method, callback))
    return documented
