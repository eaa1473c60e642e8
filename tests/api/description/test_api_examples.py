"""The examples of the OpenAPI description: anyone who copies one gets the answer that is described."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import httpx
import pytest

from console.embedded.stack import Stack
from tests.support.description.copying import Client
from tests.support.description.described import Described

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
    *("createKey", "listKeys", "revokeKey", "getUsage", "listRequests", "getRequest"),
]


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
        answers[name] = client.send(name)
    return answers


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
            answer = client.send(name, {key: value for key, value in example.items() if key != field})
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
    with httpx.Client(base_url=stack.url, headers=header, trust_env=False, timeout=120) as nobody:
        for name, (method, path, _) in described.operations.items():
            for parameter, value in described.parameters(name, "path").items():
                path = path.replace(f"{{{parameter}}}", quote(value, safe=""))

            answer = nobody.request(method, path)

            described.check(name, answer)
            assert answer.status_code == 401
            assert answer.json()["code"] in (code, 401)
