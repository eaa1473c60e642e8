"""A program that speaks mem0's contract, over the raw wire."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.api_client import Tenant
from tests.support.waiting import look_until

Row = dict[str, Any]


class Mem0(httpx.Client):
    """Follows no redirect, as mem0's Python client does not."""

    def __init__(self, tenant: Tenant, prefix: str = "", key: str | None = None) -> None:
        super().__init__(
            base_url=f"{tenant.url}{prefix}",
            headers={"Authorization": f"Token {key or tenant.key}"},
            timeout=120,
            trust_env=False,
            verify=False,
        )

    def ok(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        answer = self.request(method, path, json=body, **options)
        assert answer.status_code == 200, (method, path, answer.status_code, answer.text)
        return answer.json()

    def refusal(self, method: str, path: str, body: Any = None, **options: Any) -> tuple[int, str]:
        """Status and sentence; the body has all that clients read of it."""
        answer = self.request(method, path, json=body, **options)
        content = answer.json()
        assert answer.status_code >= 400, (method, path, answer.status_code, answer.text)
        assert answer.headers["content-type"].startswith("application/json")
        assert isinstance(content["detail"], str)
        assert content["detail"] == content["error"]
        assert isinstance(content["code"], int)
        return answer.status_code, content["detail"]

    def store(self, text: str, user: str = "", /, **options: Any) -> Row:
        """The memory of a text that is stored as it is, for a user or for whom the options name."""
        ids = {"user_id": user} if user else {}
        body = {"messages": [{"role": "user", "content": text}], "infer": False, **ids, **options}
        answer: Row = self.ok("POST", "/v3/memories/add/", body)
        row: Row = answer["results"][0]
        return row

    def search(self, query: str, filters: Any, **options: Any) -> list[Row]:
        body = {"query": query, "filters": filters, "threshold": 0, **options}
        rows: list[Row] = self.ok("POST", "/v3/memories/search/", body)["results"]
        return rows

    def listed(self, filters: Any, **options: Any) -> list[str]:
        page = self.ok("POST", "/v3/memories/", {"filters": filters, **options})
        return [row["memory"] for row in page["results"]]

    def wait_for_event(self, event_id: str) -> Row:
        def look() -> Row:
            event: Row = self.ok("GET", f"/v1/event/{event_id}/")
            return event

        return look_until(look, lambda event: event["status"] in {"SUCCEEDED", "FAILED"}, otherwise=event_id)
