"""Messages that are stored until an account is full."""

from __future__ import annotations

from uuid import UUID

import httpx

from tests.support.api_client import Tenant


def get_account_id(tenant: Tenant) -> UUID:
    key: UUID = tenant.project.account_id
    return key


def new_session(http: httpx.Client) -> str:
    return str(http.post("session", json={"disable_task_tracking": True}).json()["data"]["id"])


def store(http: httpx.Client, session: str, words: str) -> httpx.Response:
    return http.post(f"session/{session}/messages", json={"blob": {"role": "user", "content": words}})
