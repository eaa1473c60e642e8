"""Fill sample data over HTTP, as the account's own program would send it, and charged as such."""

from __future__ import annotations

import time
from typing import Any

import httpx

from console.data.sample_data.filling import KEY_NAME, NotFilled, fill_further, open_sample_project
from tenancy.keys.keys import create_key
from tenancy.models import Account, Project, User

WAIT, PAUSE = 600.0, 0.5  # seconds for the workers, and between two looks


def fill_by_requests(account: Account, owner: User, api_url: str) -> Project:
    """The project, filled by requests to the API at `api_url`. Raises `NotFilled`, and what `create_project` raises."""
    project = open_sample_project(account, owner)
    new = create_key(project, KEY_NAME, created_by=owner)
    headers, until = {"Authorization": f"Token {new.plaintext}"}, time.monotonic() + WAIT
    with httpx.Client(headers=headers, timeout=120, trust_env=False) as api:

        def send(path: str, body: dict[str, Any]) -> Any:
            answer = api.post(f"{api_url}/{path}", json=body).json()
            if answer.get("code") != 0:
                raise NotFilled(f"{path}: {answer.get('message')}", int(answer.get("code") or 0))
            return answer["data"]

        while not fill_further(project, owner, send, new.key):
            if time.monotonic() > until:
                raise NotFilled(f"not done after {WAIT:.0f} s")
            time.sleep(PAUSE)
    return project
