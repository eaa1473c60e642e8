"""`demo.json`: how to reach this installation's demo tenant. It keeps what cannot be read back, so it is made once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from console.configuration import environment

NAME = "demo.json"
EMAIL = "demo@engram.local"


def list_urls() -> dict[str, str]:
    """The URLs of the web server and its APIs. The port may differ from that of the last start."""
    base = environment.read_public_url()
    return {
        "console_url": f"{base}/",
        "api_base_url": f"{base}/api/openmem/v1",
        "acontext_base_url": f"{base}/api/v1",
        "mcp_url": f"{base}/mcp",
    }


def read(folder: Path) -> dict[str, Any]:
    demo: dict[str, Any] = json.loads((folder / NAME).read_text())
    return demo


def is_whole(folder: Path) -> bool:
    """Return whether it can be read. One that a broken disk or an editor left is made anew like one that is missing."""
    try:
        return {*list_urls(), "email", "password", "api_key"} <= read(folder).keys()
    except (OSError, ValueError, AttributeError):
        return False


def write(folder: Path, demo: dict[str, Any]) -> None:
    """Write atomically, readable for the owner of the folder only."""
    path = folder / NAME
    fresh = path.with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(json.dumps(demo, indent=2) + "\n")
        file.flush()
        os.fsync(descriptor)
    fresh.replace(path)


def refresh(folder: Path) -> None:
    write(folder, read(folder) | list_urls())
