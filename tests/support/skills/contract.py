"""A developer's agent, as the tests of learning spaces play it: the published client, and plain HTTP beside it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
from acontext import AcontextClient, FileUpload
from acontext.errors import APIError

from tests.support.api_client import Tenant
from tests.support.waiting import LIMIT, look_until

# What a flush answers as long as messages are being read.
STILL_READING = 202
NOBODY = "00000000-0000-4000-8000-000000000000"


def connect_client(tenant: Tenant) -> AcontextClient:
    return AcontextClient(api_key=tenant.key, base_url=f"{tenant.url}/api/v1", timeout=LIMIT)


def connect_http(tenant: Tenant, key: str | None = None) -> httpx.Client:
    """Follows no redirects, as the published client does not."""
    return httpx.Client(
        base_url=f"{tenant.url}/api/v1/",
        headers={"Authorization": f"Bearer {key or tenant.key}", "Accept": "application/json"},
        timeout=LIMIT,
        trust_env=False,
        verify=False,
    )


def get_refused_status(call: Callable[..., Any], *args: Any, **named: Any) -> int | None:
    """Of the refusal that the call meets."""
    with pytest.raises(APIError) as refused:
        call(*args, **named)
    assert refused.value.code == refused.value.status_code
    assert refused.value.message
    return refused.value.status_code


def skill_md(name: str, description: str = "What a good visit looks like.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n## Procedure\n\n1. Ring the bell\n"


def archive(files: Mapping[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as into:
        for path, text in files.items():
            into.writestr(path, text)
    return content.getvalue()


def build_upload(name: str, more: Mapping[str, str | bytes] | None = None, file: str = "skill.zip") -> Any:
    return FileUpload(filename=file, content=archive({"SKILL.md": skill_md(name), **(more or {})}))


def flush(agent: AcontextClient, session_id: str) -> Any:
    """The answer once all messages of the session are read: one call waits for less than half a minute."""
    return look_until(
        lambda: agent.sessions.flush(session_id),
        lambda answer: answer.status != STILL_READING,
        otherwise="unread",
    )
