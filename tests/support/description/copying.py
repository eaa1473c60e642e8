"""A developer who copies the examples of the OpenAPI description."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from console.embedded.stack import Stack
from knowledgebase.api.operations import BASE_ID, FILE_ID
from memories.api.operations import MEMORY_ID, TASK_ID, TEMPLATE_ID
from skills.api.operations.parameters import MESSAGE_ID, SESSION_ID, SKILL_ID, SPACE_ID
from tenancy.api.console.operations import KEY_ID, REQUEST_ID
from tenancy.errors import EndUserUnknown
from tenancy.keys.keys import create_key
from tenancy.keys.scopes import ADMINISTRATION_SCOPES
from tests.support.description.described import Described
from tests.support.tenants import make_tenant
from tests.support.waiting import wait_until

# What stands for the id of a row in the examples, and which answer has one.
IDS: Mapping[str, tuple[str, tuple[str | int, ...]]] = {
    "addMessage": (TASK_ID, ("data", "task_id")),
    "searchMemory": (MEMORY_ID, ("data", "memory_detail_list", 0, "id")),
    "addProfileTemplate": (TEMPLATE_ID, ("data", "profile_template_id")),
    "createKnowledgeBase": (BASE_ID, ("data", "id")),
    "addKnowledgeBaseFiles": (FILE_ID, ("data", 0, "id")),
    "createLearningSpace": (SPACE_ID, ("data", "id")),
    "createSession": (SESSION_ID, ("data", "id")),
    "storeSessionMessage": (MESSAGE_ID, ("data", "id")),
    "uploadSkill": (SKILL_ID, ("data", "id")),
    "createKey": (KEY_ID, ("data", "key", "id")),
    "listRequests": (REQUEST_ID, ("data", "entries", 0, "request_id")),
}


class Client:
    """A developer who copies examples, and puts their own ids into them."""

    def __init__(self, stack: Stack, described: Described) -> None:
        tenant = make_tenant(stack)
        key = create_key(tenant.project, "examples", scopes=("all", *ADMINISTRATION_SCOPES)).plaintext
        self.described = described
        self.known: dict[str, str] = {}
        self.http = httpx.Client(
            base_url=tenant.url,
            headers={"Authorization": f"Token {key}"},
            timeout=120,
            trust_env=False,
            verify=False,
        )

    def send(self, name: str, body: Any = None) -> httpx.Response:
        method, path, _ = self.described.operations[name]
        for parameter, value in self.described.parameters(name, "path").items():
            path = path.replace(f"{{{parameter}}}", quote(self._own(value), safe=""))
        query = {key: str(value) for key, value in self.described.parameters(name, "query").items()}
        body = self.described.example(name) if body is None else body
        sent: dict[str, Any] = {} if body is None else {"json": self.with_own_ids(body)}
        if name == "uploadSkill":
            sent = {"files": {"file": ("refunds.zip", skill_package())}}
        answer = self.http.request(method, path, params=query, **sent)
        if answer.is_success:
            self._learn(name, answer)
        return answer

    def make_rows_for(self, name: str) -> None:
        """New rows for all that the operation's example names: those of another one may be deleted by now."""
        shown = json.dumps([self.described.parameters(name, "path"), self.described.example(name)])
        for maker, (placeholder, _) in IDS.items():
            if placeholder in shown and maker != name:
                self.make_rows_for(maker)
                if maker == "searchMemory":
                    self._wait_for_a_memory()
                elif maker == "listRequests":
                    self._wait_for_a_request()
                else:
                    self.send(maker).raise_for_status()

    def _wait_for_a_memory(self) -> None:
        """Of a new user: requests before may have corrected, edited or deleted what is known of the example's, and
        what is added again is then merged with what no longer holds."""
        erased = self.send("deleteMemory", {"user_id": self.described.example("searchMemory")["user_id"]})
        assert erased.is_success or erased.json()["code"] == EndUserUnknown.code, erased.text
        self.send("addMessage").raise_for_status()
        wait_until(lambda: bool(_hits(self.send("searchMemory").raise_for_status())))

    def _wait_for_a_request(self) -> None:
        """The log is written a moment after the answer."""
        self.send("ping").raise_for_status()
        wait_until(lambda: bool(self.send("listRequests").raise_for_status().json()["data"]["entries"]))

    def _learn(self, name: str, answer: httpx.Response) -> None:
        if name == "listRequests" and not answer.json()["data"]["entries"]:
            return
        if name in IDS and not (name == "searchMemory" and not _hits(answer)):
            value: Any = answer.json()
            for step in IDS[name][1]:
                value = value[step]
            self.known[IDS[name][0]] = value

    def _own(self, text: str) -> str:
        for shown, real in self.known.items():
            text = text.replace(shown, real)
        return text

    def with_own_ids(self, body: Any) -> Any:
        return json.loads(self._own(json.dumps(body)))


def _hits(answer: httpx.Response) -> list[Any]:
    return list(answer.json()["data"]["memory_detail_list"])


def skill_package() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "refunds/SKILL.md", "---\nname: refunds\ndescription: How to refund an order\n---\n# Refunds\n"
        )
    return packed.getvalue()
