"""The OpenAPI file: who builds a client or reads the reference gets a valid description of what is there."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from openapi_spec_validator import validate

from console.embedded.stack import Stack


@pytest.fixture(scope="module")
def description(stack: Stack) -> dict[str, Any]:
    told: dict[str, Any] = fetch(stack).json()
    return told


def fetch(stack: Stack, accept: str = "application/json") -> httpx.Response:
    return httpx.get(f"{stack.url}/openapi.json", headers={"Accept": accept}, timeout=30, trust_env=False)


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/html", "application/vnd.oai.openapi"])
def test_the_description_is_json_whatever_a_client_accepts(stack: Stack, accept: str) -> None:
    answer = fetch(stack, accept)

    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["openapi"].startswith("3.")


def test_a_validator_accepts_the_description(description: dict[str, Any]) -> None:
    validate(description)
