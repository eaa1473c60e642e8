"""mem0's published Python client, unchanged, with `host` pointing here: every method that is served or refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import Tenant

SCRIPT = Path(__file__).parents[3] / "support/mem0/published_client.py"
INSTALL = Path(__file__).parents[4] / ".ci/mem0"
Call = tuple[str, list[Any], dict[str, Any]]


@pytest.fixture(scope="session")
def packages() -> str:
    return subprocess.run([str(INSTALL)], check=True, capture_output=True, text=True).stdout.strip()


class Published:
    """What a program gets that makes these calls, one after another."""

    def __init__(self, packages: str, folder: Path) -> None:
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEM0_")},
            "PYTHONPATH": packages,
            "MEM0_TELEMETRY": "False",
            "MEM0_DIR": str(folder),
            "NO_PROXY": "*",
        }

    def run(
        self, tenant: Tenant, *calls: Call, host: str = "", key: str = "", is_async: bool = False
    ) -> list[Any]:
        wanted = {
            "host": f"{tenant.url}{host}",
            "key": key or tenant.key,
            "calls": calls,
            "is_async": is_async,
        }
        done = subprocess.run(
            [sys.executable, str(SCRIPT)],
            input=json.dumps(wanted),
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
        return answers


@pytest.fixture
def published(packages: str, tmp_path: Path) -> Published:
    return Published(packages, tmp_path)


KIM = {"filters": {"user_id": "kim"}}
FIRST = "$0.results.0.id"


@pytest.mark.parametrize(("host", "is_async"), [("", True), ("/api/mem0", False)])
def test_the_main_job_is_done_by_the_unchanged_client(
    published: Published, tenant: Tenant, host: str, is_async: bool
) -> None:
    answers = published.run(
        tenant,
        ("add", ["I keep bees in Ghent."], {"user_id": "kim", "metadata": {"a": {"b": 1}}, "infer": False}),
        ("add", [[{"role": "user", "content": "I live in Porto."}]], {"user_id": "kim"}),
        ("search", ["Where do I keep bees?"], {**KIM, "top_k": 5, "threshold": 0.0}),
        ("get_all", [], {**KIM, "page": 1, "page_size": 50}),
        ("get", [FIRST], {}),
        ("update", [FIRST], {"text": "I keep bees in Bruges.", "expiration_date": "2999-01-01"}),
        ("update", [FIRST], {"metadata": {"c": None}, "expiration_date": None}),
        ("history", [FIRST], {}),
        ("feedback", [FIRST, "POSITIVE", "yes"], {}),
        ("batch_update", [[{"memory_id": FIRST, "text": "I keep bees in Liege."}]], {}),
        ("users", [], {}),
        ("batch_delete", [[{"memory_id": FIRST}]], {}),
        ("add", ["Tell Lee."], {"user_id": "a/b@c", "infer": False}),
        ("delete", ["$12.results.0.id"], {"delete_linked": True}),
        ("add", ["Tell Lee."], {"user_id": "a/b@c", "infer": False}),
        ("delete_users", [], {"user_id": "a/b@c"}),
        ("delete_all", [], {"user_id": "kim"}),
        ("get_all", [], KIM),
        host=host,
        is_async=is_async,
    )

    assert not [answer for answer in answers if "raised" in answer]
    done = [answer["answer"] for answer in answers]
    assert done[1]["status"] == "PENDING"
    assert "I keep bees in Ghent." in {row["memory"] for row in done[2]["results"]}
    assert "Porto" in repr(done[2]["results"])
    assert done[3]["count"] == len(done[3]["results"]) >= 2
    assert done[4]["metadata"] == {"a": {"b": 1}}
    assert done[5]["memory"] == "I keep bees in Bruges."
    assert (done[5]["expiration_date"], done[6]["expiration_date"]) == ("2999-01-01", None)
    assert [row["event"] for row in done[7]] == ["ADD", "UPDATE", "UPDATE"]
    assert done[8]["feedback"] == "POSITIVE"
    assert [entity["name"] for entity in done[10]["results"]] == ["kim"]
    assert done[13]["cascade_count"] == 0
    assert done[17]["results"] == []


def test_the_clients_own_exceptions_are_raised(published: Published, tenant: Tenant) -> None:
    nobody = "01234567-0123-7123-8123-0123456789ab"
    answers = published.run(
        tenant,
        ("get", [nobody], {}),
        ("delete", ["nonsense"], {}),
        ("search", ["x"], {"filters": {"tenant": "x"}}),
        ("get_all", [], {"filters": {"OR": [{"user_id": "a"}, {"metadata": {"a": 1}}]}}),
        ("add", ["Fixed."], {"user_id": "kim", "infer": False, "immutable": True}),
        ("update", ["$4.results.0.id"], {"text": "Changed."}),
        ("delete_users", [], {"user_id": "nobody"}),
        ("create_memory_export", ["{}"], {"filters": {"user_id": "kim"}}),
        ("get_summary", [{"user_id": "kim"}], {}),
        ("get_profile", ["kim"], {}),
        ("get_profile_settings", [], {}),
        ("get_webhooks", [], {"project_id": tenant.project_id}),
    )

    assert [(answer.get("raised"), answer.get("code")) for answer in answers] == [
        ("MemoryNotFoundError", "HTTP_404"),
        ("ValidationError", "HTTP_400"),
        ("ValidationError", "HTTP_400"),
        ("ValidationError", "HTTP_400"),
        (None, None),
        ("ValidationError", "HTTP_409"),
        ("MemoryNotFoundError", "HTTP_404"),
        ("MemoryNotFoundError", "HTTP_404"),
        ("ValidationError", "HTTP_400"),
        (None, None),
        ("ValidationError", "HTTP_400"),
        ("MemoryNotFoundError", "HTTP_404"),
    ]
    assert "tenant" in answers[2]["text"]
    assert answers[9]["answer"]["status"] == "not_enabled"


def test_a_wrong_key_fails_when_the_client_is_made(published: Published, tenant: Tenant) -> None:
    (failed,) = published.run(tenant, ("users", [], {}), key="wrong")

    assert failed["raised"] == "ValueError"
    assert "key" in failed["text"].lower()


def test_a_project_keeps_what_the_client_sets(published: Published, tenant: Tenant) -> None:
    categories = [{"travel": "Journeys"}]
    answers = published.run(
        tenant,
        ("project.update", [], {"custom_instructions": "Only hobbies.", "custom_categories": categories}),
        ("project.get", [], {"fields": ["custom_instructions", "custom_categories"]}),
        ("project.get", [], {}),
        ("project.delete", [], {}),
    )

    assert answers[1]["answer"] == {"custom_instructions": "Only hobbies.", "custom_categories": categories}
    assert answers[2]["answer"]["project_id"] == tenant.project_id
    assert answers[3]["raised"] == "AuthenticationError"


def test_everything_of_everybody_is_deleted_by_the_clients_reset(
    published: Published, tenant: Tenant
) -> None:
    answers = published.run(
        tenant,
        ("add", ["One."], {"user_id": "kim", "agent_id": "bot", "infer": False}),
        ("add", ["Two."], {"run_id": "r1", "infer": False}),
        ("add", ["Three."], {"app_id": "shop", "infer": False}),
        ("delete_all", [], {"filters": {"user_id": "nobody"}}),
        ("users", [], {}),
        ("delete_users", [], {}),
        ("users", [], {}),
    )

    assert [answer["answer"]["count"] for answer in (answers[4], answers[6])] == [4, 0]


def test_a_user_whose_name_looks_like_a_path_is_deleted_and_nobody_else(
    published: Published, tenant: Tenant
) -> None:
    names = ["../..", "../../kim", "a/../kim", "%2e%2e", "?", "#"]
    calls: list[Call] = [("add", ["Keep this."], {"user_id": "kim", "infer": False})]
    for name in names:
        calls += [
            ("add", ["Drop this."], {"user_id": name, "infer": False}),
            ("delete_users", [], {"user_id": name}),
            ("users", [], {}),
        ]

    _, *answers = published.run(tenant, *calls)

    for name, deleted, users in zip(names, answers[1::3], answers[2::3], strict=True):
        assert [entity["name"] for entity in users["answer"]["results"]] == ["kim"], (name, deleted)


def test_a_user_whose_name_the_client_takes_out_of_the_address_is_deleted_by_its_other_method(
    published: Published, tenant: Tenant
) -> None:
    """The client asks for the address that is left without the name: it is nobody's, so nothing is deleted."""
    names = [".", ".."]
    calls: list[Call] = [("add", ["Keep this."], {"user_id": "kim", "infer": False})]
    for name in names:
        calls += [
            ("add", ["Drop this."], {"user_id": name, "infer": False}),
            ("delete_users", [], {"user_id": name}),
            ("users", [], {}),
            ("delete_all", [], {"user_id": name}),
            ("get_all", [], {"filters": {"user_id": name}}),
            ("get_all", [], KIM),
        ]

    _, *answers = published.run(tenant, *calls)

    for name, of_name in zip(names, (answers[:6], answers[6:]), strict=True):
        assert of_name[1]["raised"] == "MemoryNotFoundError"
        assert [entity["name"] for entity in of_name[2]["answer"]["results"]] == [name, "kim"]
        assert [answer["answer"]["count"] for answer in of_name[4:]] == [0, 1]
