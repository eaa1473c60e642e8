"""Messages with files, as a developer's program sends them, and what becomes of them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from console.embedded.stack import Stack
from memories.models import Attachment
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant, message
from tests.support.expect import accepted

POLICY = (
    b"# Travel policy\n\n## Hotels\n\nA night in a hotel may cost 120 euros.\n\n"
    b"## Meals\n\nDinner may cost 30 euros.\n"
)


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def file(data: str, name: str = "") -> dict[str, Any]:
    return {"type": "file", "file": {"file_data": data} | ({"filename": name} if name else {})}


def image(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def add(api: Api, user: str, *parts: dict[str, Any], **options: Any) -> Any:
    body = {"user_id": user, "conversation_id": "talk", "messages": [message("user", list(parts))]}
    return api.call("add/message", body | options)


def remembered(api: Api, user: str, *parts: dict[str, Any], **options: Any) -> str:
    """Adds the message and waits: the end of its task."""
    return api.wait_until_done(accepted(add(api, user, *parts, **options))["task_id"])


def all_facts(api: Api, user: str) -> list[dict[str, Any]]:
    return list(api.listed(user)["memory_detail_list"])


def stored_files(stack: Stack, tenant: Tenant) -> list[Path]:
    """On the disk, under the project's name, whether the project is still there or not."""
    return [path for path in (stack.path / "files").glob(f"*/{tenant.project_id}/**/*") if path.is_file()]


def list_attachments(tenant: Tenant) -> list[Attachment]:
    with tenant_scope(tenant.project):
        return list(Attachment.objects.within(tenant.project).order_by("created_at"))
