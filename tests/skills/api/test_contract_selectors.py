"""What could narrow a deletion or a change of the agents' contract is refused, and nothing is touched."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

ADDRESSES = [
    ("DELETE", "learning_spaces/{space}"),
    ("DELETE", "learning_spaces/{space}/skills/{skill}"),
    ("DELETE", "session/{session}"),
    ("DELETE", "agent_skills/{skill}"),
    ("DELETE", "user/kim"),
    ("PATCH", "learning_spaces/{space}"),
    ("PATCH", "session/{session}/configs"),
    ("PUT", "session/{session}/configs"),
    ("PATCH", "session/{session}/messages/{message}/meta"),
    ("PATCH", "project/configs"),
]
# A body that each of these takes; the configuration of a project is free, so that any key is one of its values.
BODIES: dict[str, dict[str, Any]] = {"meta": {"meta": {"a": 1}}, "configs": {"configs": {"a": 1}}}


class World:
    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.space = self._made("learning_spaces", {"user": "kim", "meta": {"team": "blue"}})
        self.session = self._made("session", {"user": "kim", "configs": {"mode": "slow"}})
        body = {"blob": {"role": "user", "content": "Book a table."}, "format": "openai"}
        self.message = self._made(f"session/{self.session}/messages", body)
        self.skill = self.told("learning_spaces/" + self.space + "/skills")[0]["id"]

    def _made(self, path: str, body: dict[str, Any]) -> str:
        answer = self.http.post(path, json=body)
        assert answer.status_code in {200, 201}, answer.text
        return str(answer.json()["data"]["id"])

    def told(self, path: str) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json().get("data")

    def state(self) -> str:
        paths = [
            f"learning_spaces/{self.space}",
            f"learning_spaces/{self.space}/skills",
            f"session/{self.session}/configs",
            f"session/{self.session}/messages?format=acontext",
            f"agent_skills/{self.skill}",
            "user/kim/resources",
            "project/configs",
        ]
        return repr([self.told(path) for path in paths])

    def path(self, address: str) -> str:
        return address.format(space=self.space, session=self.session, message=self.message, skill=self.skill)


def choose_body(method: str, address: str) -> dict[str, Any]:
    if method == "DELETE":
        return {}
    return BODIES["configs" if "configs" in address and "session" in address else "meta"]


@pytest.fixture
def world(http: httpx.Client) -> World:
    return World(http)


def refused(answer: httpx.Response, name: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (400, 400), answer.text
    assert name in answer.json()["msg"]


def test_a_parameter_of_the_address_is_refused_by_name_and_nothing_is_touched(world: World) -> None:
    before = world.state()

    for method, address in ADDRESSES:
        for name in ("user", "before", "session_id"):
            body = choose_body(method, address) or None
            answer = world.http.request(method, world.path(address), params={name: "kim"}, json=body)
            refused(answer, name)

    assert world.state() == before


def test_a_field_beside_what_is_overwritten_is_refused_by_name_and_nothing_is_touched(world: World) -> None:
    before = world.state()

    for method, address in ADDRESSES:
        if address != "project/configs":
            body = choose_body(method, address) | {"only_for": "lee"}
            refused(world.http.request(method, world.path(address), json=body), "only_for")

    assert world.state() == before


def test_a_deletion_with_nulls_or_an_empty_body_is_a_deletion(world: World) -> None:
    for address in ("learning_spaces/{space}", "session/{session}"):
        answer = world.http.request("DELETE", world.path(address), json={"user": None})
        assert answer.status_code == 200, answer.text
    assert world.http.delete("user/kim").status_code == 200
