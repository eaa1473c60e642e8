"""Messages with files, in the formats of published clients."""

from __future__ import annotations

import base64
import os
from typing import Any

from skills.models import SessionMessage
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant

PICTURE, SOUND, PAPER = (os.urandom(size) for size in (3_000, 5_001, 7_002))


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def build_data_url(content: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{b64(content)}"


def in_openai(picture: bytes = PICTURE) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look at these."},
            {"type": "image_url", "image_url": {"url": build_data_url(picture), "detail": "high"}},
            {"type": "input_audio", "input_audio": {"data": b64(SOUND), "format": "mp3"}},
            {
                "type": "file",
                "file": {"file_data": build_data_url(PAPER, "application/pdf"), "filename": "合同.pdf"},
            },
        ],
    }


def in_anthropic() -> dict[str, Any]:
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": b64(PICTURE)},
    }
    paper = {"type": "base64", "media_type": "application/pdf", "data": b64(PAPER)}
    return {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": [{"type": "text", "text": "Seen"}, picture],
            },
            picture,
            {"type": "document", "source": paper, "title": "A contract"},
        ],
    }


def in_acontext() -> dict[str, Any]:
    return {
        "role": "user",
        "parts": [
            {"type": "image", "meta": {"data": b64(PICTURE), "media_type": "image/png"}},
            {"type": "video", "meta": {"frames": [b64(PICTURE), {"deep": [b64(SOUND)]}], "fps": 2}},
            {"type": "data", "meta": {"data_type": "scan", "content": b64(PAPER)}},
        ],
    }


SENT = {"openai": in_openai(), "anthropic": in_anthropic(), "acontext": in_acontext()}


def list_rows(tenant: Tenant) -> list[SessionMessage]:
    with tenant_scope(tenant.project):
        return list(SessionMessage.objects.within(tenant.project).order_by("position"))
