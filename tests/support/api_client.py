"""A developer's program, as the tests play it: plain HTTP, as the published clients send it."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.waiting import LIMIT, look_until

Message = dict[str, Any]


class Refused(AssertionError):
    """The API answered with a business error where the test expected success."""


class Tenant:
    """A developer: what `create_tenant` told them."""

    def __init__(self, url: str, credentials: dict[str, str]) -> None:
        self.url = url
        self.email = credentials["email"]
        self.password = credentials["password"]
        self.project_id = credentials["project_id"]
        self.key = credentials["api_key"]

    def api(self, key: str | None = None) -> Api:
        return Api(self.url, key or self.key)

    @property
    def project(self) -> Any:
        from tenancy.models import Project

        return Project.objects.select_related("account__plan").get(pk=self.project_id)


class Api(httpx.Client):
    """`call` gives the whole answer; the named methods give `data` and refuse to hear an error."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(
            base_url=f"{url}/api/openmem/v1/",
            headers={"Authorization": f"Token {key}"},
            timeout=LIMIT,
            trust_env=False,
            verify=False,  # plain HTTP: reading the certificates would cost each client 50 ms
        )

    def call(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        return self.post(path, json={} if body is None else body, **options)

    def data(self, path: str, body: Any) -> Any:
        answer = self.call(path, body)
        content = answer.json()
        if content["code"] != 0:
            raise Refused(f"{path}: {answer.status_code} {content}")
        return content["data"]

    def add(self, user: str, *messages: str | Message, **options: Any) -> dict[str, Any]:
        """Messages as a user says them (or whole message objects); done when they are refined."""
        body = {
            "user_id": user,
            "conversation_id": "talk",
            "messages": [
                message if isinstance(message, dict) else {"role": "user", "content": message}
                for message in messages
            ],
            "async_mode": False,
            **options,
        }
        answer = dict(self.data("add/message", body))
        # One request waits for less than half a minute, which is too short for a machine that does much else.
        if not body["async_mode"] and answer["status"] == "running":
            answer["status"] = self.wait_until_done(answer["task_id"])
        return answer

    def search(self, user: str, query: str, **options: Any) -> dict[str, Any]:
        return self.data("search/memory", {"user_id": user, "query": query, **options})

    def current(self, user: str) -> list[str]:
        """The texts of all memories and preferences that hold now."""
        shown = self.listed(user)
        liked = [item["preference"] for item in shown["preference_detail_list"]]
        return [item["memory_value"] for item in shown["memory_detail_list"]] + liked

    def facts(self, user: str, query: str, **options: Any) -> list[str]:
        return [item["memory_value"] for item in self.search(user, query, **options)["memory_detail_list"]]

    def preferences(self, user: str, query: str, **options: Any) -> list[str]:
        return [item["preference"] for item in self.search(user, query, **options)["preference_detail_list"]]

    def listed(self, user: str, **options: Any) -> dict[str, Any]:
        return self.data("get/memory", {"user_id": user, "size": 50, **options})

    def status(self, task_id: str) -> str:
        return str(self.data("get/status", {"task_id": task_id})["status"])

    def wait_until_done(self, task_id: str, seconds: float = LIMIT) -> str:
        return look_until(lambda: self.status(task_id), lambda status: status != "running", seconds, task_id)


def message(role: str, content: Any, **more: Any) -> Message:
    return {"role": role, "content": content, **more}
