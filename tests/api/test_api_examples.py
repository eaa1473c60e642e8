"""The examples of the OpenAPI description: whoever copies one gets the answer that is described."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from console.embedded.stack import Stack
from knowledgebase.api.operations import BASE_ID, FILE_ID
from memories.api.operations import MEMORY_ID, TASK_ID, TEMPLATE_ID
from skills.api.operations.parameters import MESSAGE_ID, SESSION_ID, SKILL_ID, SPACE_ID
from tests.api.described import Described
from tests.conftest import make_tenant

# In an order in which each finds what those before it made.
ORDER = [
    *("ping", "addMessage", "getStatus", "getMessage", "searchMemory", "listMemories"),
    *("getMemory", "getMemoryByPost", "updateMemory", "deleteMemory", "addFeedback"),
    *("extractMemory", "rerankDocuments", "chat"),
    *("addProfileTemplate", "updateProfileTemplate", "bindProfileTemplate", "editProfile"),
    *("deleteProfile", "deleteProfileTemplate"),
    *("createKnowledgeBase", "addKnowledgeBaseFiles", "getKnowledgeBaseFiles"),
    *("deleteKnowledgeBaseFiles", "deleteKnowledgeBase"),
    *("pingSkills", "createLearningSpace", "listLearningSpaces", "getLearningSpace", "updateLearningSpace"),
    *("createSession", "listSessions", "storeSessionMessage", "listSessionMessages", "mergeMessageMeta"),
    *("learnFromSession", "listLearningSpaceSessions", "getLearningSpaceSession"),
    *("flushSession", "getObservingStatus", "getSessionTokens", "listSessionTasks"),
    *("getSessionConfigs", "replaceSessionConfigs", "mergeSessionConfigs"),
    *("uploadSkill", "listSkills", "getSkill", "getSkillFile", "downloadSkill"),
    *("includeSkill", "listLearningSpaceSkills", "excludeSkill", "deleteSkill"),
    *("listPeople", "getPersonResources", "getProjectConfigs", "updateProjectConfigs"),
    *("deleteSession", "deleteLearningSpace", "deletePerson"),
]
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
}


class Client:
    """A developer who copies examples, and puts their own ids into them."""

    def __init__(self, stack: Stack, described: Described) -> None:
        tenant = make_tenant(stack)
        self.described = described
        self.known: dict[str, str] = {}
        self.http = httpx.Client(
            base_url=tenant.url,
            headers={"Authorization": f"Token {tenant.key}"},
            timeout=40,
            trust_env=False,
        )

    def send(self, name: str, **changes: Any) -> httpx.Response:
        method, path, _ = self.described.operations[name]
        for parameter, value in self.described.parameters(name, "path").items():
            path = path.replace(f"{{{parameter}}}", quote(self._own(value), safe=""))
        query = {key: str(value) for key, value in self.described.parameters(name, "query").items()}
        body = changes.get("json", self.described.example(name))
        sent: dict[str, Any] = (
            changes if "files" in changes or body is None else {"json": self._own_json(body)}
        )
        return self.http.request(method, path, params=query, **sent)

    def learn(self, name: str, answer: httpx.Response) -> None:
        if name in IDS:
            found: Any = answer.json()
            for step in IDS[name][1]:
                found = found[step]
            self.known[IDS[name][0]] = found

    def _own(self, text: str) -> str:
        for shown, real in self.known.items():
            text = text.replace(shown, real)
        return text

    def _own_json(self, body: Any) -> Any:
        return json.loads(self._own(json.dumps(body)))


@pytest.fixture(scope="module")
def described(stack: Stack) -> Described:
    return Described.of(stack.url)


@pytest.fixture(scope="module")
def client(stack: Stack, described: Described) -> Iterator[Client]:
    client = Client(stack, described)
    yield client
    client.http.close()


@pytest.fixture(scope="module")
def answered(client: Client) -> dict[str, httpx.Response]:
    """Each example's answer. One that fails is left to its own test."""
    answers: dict[str, httpx.Response] = {}
    for name in ORDER:
        changes = {"files": {"file": ("refunds.zip", skill_package())}} if name == "uploadSkill" else {}
        answers[name] = client.send(name, **changes)
        if answers[name].is_success:
            client.learn(name, answers[name])
    return answers


def skill_package() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "refunds/SKILL.md", "---\nname: refunds\ndescription: How to refund an order\n---\n# Refunds\n"
        )
    return packed.getvalue()


def test_every_operation_has_its_place_among_the_examples(described: Described) -> None:
    assert sorted(ORDER) == sorted(described.operations)


@pytest.mark.parametrize("name", ORDER)
def test_an_example_is_answered_as_described(
    described: Described, answered: dict[str, httpx.Response], name: str
) -> None:
    answer = answered[name]

    assert answer.is_success, f"{name}: {answer.status_code} {answer.text[:500]}"
    described.check(name, answer)


def test_operations_with_a_body_show_an_example(described: Described) -> None:
    silent = {
        name
        for name, (_, _, operation) in described.operations.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
        and described.example(name) is None
    }

    assert not silent


def test_examples_are_what_the_description_of_the_body_allows(described: Described) -> None:
    from jsonschema import Draft202012Validator

    components = {"components": described.document["components"]}
    for name, (_, _, operation) in described.operations.items():
        example = described.example(name)
        if example is not None:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            Draft202012Validator({**schema, **components}).validate(example)


def test_a_field_that_is_required_is_asked_for_by_name(client: Client, described: Described) -> None:
    """What the description says of a body is what checks it."""
    asked = 0
    for name, (_, _, operation) in described.operations.items():
        example = described.example(name)
        if example is None:
            continue
        schema = described.resolved(operation["requestBody"]["content"]["application/json"]["schema"])
        for field in schema.get("required", []):
            answer = client.send(name, json={key: value for key, value in example.items() if key != field})
            assert answer.status_code == 400, f"{name} without {field}: {answer.text[:300]}"
            assert field in answer.text
            described.check(name, answer)
            asked += 1
    assert asked > 15


@pytest.mark.parametrize(
    ("header", "code"),
    [({}, 40100), ({"Authorization": "Basic a2V5"}, 40130), ({"Authorization": "Token mpg-unknown"}, 40132)],
)
def test_without_a_good_key_every_operation_is_refused_as_described(
    stack: Stack, described: Described, header: dict[str, str], code: int
) -> None:
    with httpx.Client(base_url=stack.url, headers=header, trust_env=False, timeout=30) as nobody:
        for name, (method, path, _) in described.operations.items():
            for parameter, value in described.parameters(name, "path").items():
                path = path.replace(f"{{{parameter}}}", quote(value, safe=""))

            answer = nobody.request(method, path)

            described.check(name, answer)
            assert answer.status_code == 401
            assert answer.json()["code"] in (code, 401)
