"""What every answer of the API has in common."""

from __future__ import annotations

from typing import Any

import httpx

UNKNOWN_ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"  # well formed, and of nothing


def accepted(answer: httpx.Response) -> Any:
    """The `data` of a success."""
    content = answer.json()
    assert answer.status_code == 200, content
    assert set(content) == {"code", "data", "message"}
    assert content["code"] == 0
    assert content["message"] == "ok"
    return content["data"]


def refused(answer: httpx.Response, code: int, *words: str, status: int = 400) -> str:
    """The sentence of a refusal: in the envelope, with these words in it."""
    assert answer.headers["content-type"].startswith("application/json"), answer.text[:200]
    content = answer.json()
    assert (answer.status_code, content["code"]) == (status, code), content
    assert set(content) == {"code", "data", "message"}
    assert content["data"] is None
    for word in words:
        assert word in content["message"]
    return str(content["message"])
