"""Knowledge bases as a developer's program fills them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from tests.support.api_client import Api, Tenant
from tests.support.waiting import LIMIT, look_until


def new_base(owner: Api | Tenant, name: str = "Policies", description: str = "") -> str:
    """Its id in the API; linked to the owner's project."""
    if isinstance(owner, Tenant):
        with owner.api() as api:
            return new_base(api, name, description)
    body = {"knowledgebase_name": name, "knowledgebase_description": description or None}
    return str(owner.data("create/knowledgebase", body)["id"])


def file_item(name: str, content: bytes | str, **more: Any) -> dict[str, Any]:
    """A file as JSON carries it; a string is sent as it is, which suits addresses."""
    sent = content if isinstance(content, str) else base64.b64encode(content).decode()
    return {"name": name, "content": sent, **more}


def upload(
    api: Api, base: str, files: Mapping[str, bytes | str], type: str = "document"
) -> list[dict[str, Any]]:
    """One item of the answer a file, in their order; they are still being read."""
    items = [file_item(name, content) for name, content in files.items()]
    body = {"knowledgebase_id": base, "file": items, "type": type}
    return list(api.data("add/knowledgebase-file", body))


def fetch_files(api: Api, base: str, **options: Any) -> list[dict[str, Any]]:
    """What get/knowledgebase-file tells of the base's files, the newest first."""
    body = {"knowledgebase_id": base, "page_size": 100, **options}
    return list(api.data("get/knowledgebase-file", body)["file_detail_list"])


def fetch_file(api: Api, file_id: str) -> dict[str, Any]:
    (file,) = api.data("get/knowledgebase-file", {"file_ids": [file_id]})["file_detail_list"]
    return dict(file)


def wait_for_files(api: Api, base: str, seconds: float = LIMIT) -> list[dict[str, Any]]:
    """Until no file of the base is running; how each ended is for the caller to look at."""
    return look_until(
        lambda: fetch_files(api, base),
        lambda listed: all(file["status"] != "running" for file in listed),
        seconds,
        "files still run",
    )


def filled_base(api: Api, files: Mapping[str, bytes | str], name: str = "Policies") -> str:
    """A base whose files can be searched."""
    base = new_base(api, name)
    upload(api, base, files)
    ended = wait_for_files(api, base)
    assert {file["status"] for file in ended} <= {"completed"}, ended
    return base
