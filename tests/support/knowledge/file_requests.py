"""Requests that add files to a knowledge base."""

from __future__ import annotations

from typing import Any

import httpx

from knowledgebase.bases.bases import load_base
from memories.files import storage
from tests.support.api_client import Api, Tenant

POLICY = b"# Travel policy\n\n## Hotels\n\nA night in a hotel may cost 120 euros.\n"


def add(api: Api, base: str, *items: Any, **more: Any) -> httpx.Response:
    return api.call("add/knowledgebase-file", {"knowledgebase_id": base, "file": list(items), **more})


def send_form(
    api: Api, base: str | None, *parts: Any, path: str = "add/knowledgebase-file", **query: str
) -> Any:
    asked = ({"knowledgebase_id": base} if base else {}) | query
    return api.post(path, params=asked, files=[("file", part) for part in parts])


def held(tenant: Tenant, base: str) -> list[str]:
    """The names of what the storage holds of the base."""
    row = load_base(tenant.project, base)
    return [
        key for folder in storage.list_folders("knowledge") if folder.holder == row.pk for key in folder.keys
    ]
