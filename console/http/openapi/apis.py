"""The APIs that are described: their prefixes, and the envelopes of success and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import resolve
from drf_spectacular.plumbing import ComponentRegistry

import knowledgebase.api.operations
import memories.api.operations
import skills.api.operations
import tenancy.api.console.operations
from console.http.openapi.types import build_component
from skills.api.envelope import get_http_status
from tenancy.api.operations import Operation
from tenancy.errors import CatalogueError

JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Api:
    """One contract. `get_http_status` says with which HTTP status it answers an error."""

    base: str
    operations: Sequence[Operation]
    status_of: Callable[[CatalogueError], int]
    success: Callable[[JsonSchema | None], JsonSchema]
    refusal_name: str
    refusal: Mapping[str, Any]

    def build_refusal_schema(
        self, status: int, entries: Sequence[type[CatalogueError]], registry: ComponentRegistry
    ) -> JsonSchema:
        """A refusal with one of the codes that these errors have here."""
        whole = build_component(self.refusal_name, self, registry, lambda: dict(self.refusal))
        codes = sorted({entry.code for entry in entries}) if self.has_codes else [status]
        return {"allOf": [whole], "properties": {"code": {"enum": codes}}}

    @property
    def has_codes(self) -> bool:
        """Return whether an error has a code of its own, or its status."""
        return "data" in self.refusal["properties"]


def _wrap_success_schema(data: JsonSchema | None) -> JsonSchema:
    properties = {"code": {"const": 0}, "data": data or {"type": "null"}, "message": {"const": "ok"}}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _wrap_skill_schema(data: JsonSchema | None) -> JsonSchema:
    properties = {"code": {"const": 0}, "msg": {"type": "string"}, **({"data": data} if data else {})}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _build_refusal_schema(api: str) -> JsonSchema:
    return {
        "type": "object",
        "description": f"What every refusal of {api} is: a code, and a sentence that names the field.",
        "properties": {"code": {"type": "integer"}, "data": {"type": "null"}, "message": {"type": "string"}},
        "required": ["code", "data", "message"],
    }


MEMOS = Api(
    "/api/openmem/v1/",
    (*memories.api.operations.OPERATIONS, *knowledgebase.api.operations.OPERATIONS),
    lambda fault: fault.status,
    _wrap_success_schema,
    "Refusal",
    _build_refusal_schema("/api/openmem/v1"),
)
CONSOLE = Api(
    "/api/console/v1/",
    tenancy.api.console.operations.OPERATIONS,
    lambda fault: fault.status,
    _wrap_success_schema,
    "ConsoleRefusal",
    _build_refusal_schema("/api/console/v1"),
)
SKILLS = Api(
    "/api/v1/",
    skills.api.operations.OPERATIONS,
    get_http_status,
    _wrap_skill_schema,
    "SkillRefusal",
    {
        "type": "object",
        "description": "What every refusal of /api/v1 is: the HTTP status as code, and a sentence.",
        "properties": {"code": {"type": "integer"}, "msg": {"type": "string"}},
        "required": ["code", "msg"],
    },
)
APIS = (MEMOS, CONSOLE, SKILLS)


def find_operation_at(path: str, method: str) -> tuple[Api, Operation]:
    """The operation of a documented address. Raises `StopIteration` for an address that has none."""
    api = next(api for api in APIS if path.startswith(api.base))
    below = path.removeprefix(api.base)
    return api, next(
        operation for operation in api.operations if (operation.path, operation.method) == (below, method)
    )


def list_documented_endpoints(endpoints: list[Any]) -> list[Any]:
    """List what the generator describes instead of the patterns that it found: the documented addresses, with the views
    that serve them."""
    described = []
    for api in APIS:
        for operation in api.operations:
            path = api.base + operation.path
            described.append((path, path, operation.method, resolve(path).func))
    return described
