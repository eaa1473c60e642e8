"""The served OpenAPI description, and whether an answer is as it says."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import httpx
from jsonschema import Draft202012Validator

METHODS = ("get", "post", "put", "patch", "delete")


class Described:
    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.operations: dict[str, tuple[str, str, dict[str, Any]]] = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if method in METHODS
        }
        self._closed = {"components": closed(document["components"])}

    @classmethod
    def of(cls, url: str) -> Described:
        answer = httpx.get(f"{url}/openapi.json", timeout=120, trust_env=False, verify=False)
        return cls(answer.raise_for_status().json())

    def example(self, name: str) -> Any:
        """The body that the operation's example shows; None where it has no body."""
        content = self.operations[name][2].get("requestBody", {}).get("content", {})
        examples = content.get("application/json", {}).get("examples", {})
        return deepcopy(examples[name]["value"]) if examples else None

    def parameters(self, name: str, place: str) -> dict[str, Any]:
        """The examples of its parameters of this place."""
        parameters = self.operations[name][2].get("parameters", [])
        return {
            parameter["name"]: parameter["example"]
            for parameter in parameters
            if parameter["in"] == place and "example" in parameter
        }

    def check(self, name: str, answer: httpx.Response) -> None:
        """Status, media type and every field are described, and nothing else is in the answer."""
        responses = self.operations[name][2]["responses"]
        status = str(answer.status_code)
        assert status in responses, f"{name}: {status} is not described: {answer.text[:300]}"
        content = self.resolved(responses[status])["content"]
        media = answer.headers["content-type"].partition(";")[0]
        assert media in content, f"{name}: {media} is not described"
        if media != "application/json":
            return
        schema = {**content[media]["schema"], **self._closed}
        faults = sorted(
            Draft202012Validator(schema).iter_errors(answer.json()), key=lambda fault: list(fault.path)
        )
        assert not faults, (
            f"{name}: {[(list(fault.absolute_path), fault.message[:300]) for fault in faults[:5]]}"
        )

    def resolved(self, description: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in description:
            return description
        node: Any = self.document
        for step in description["$ref"].removeprefix("#/").split("/"):
            node = node[step]
        resolved: Mapping[str, Any] = node
        return resolved


def closed(schema: Any) -> Any:
    """The same, where objects have no other properties than those that are described."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(value) for name, value in schema.items()}
    if result.get("type") == "object" and "properties" in result and "additionalProperties" not in result:
        result["additionalProperties"] = False
    return result
