"""How drf-spectacular describes an operation: by its record, and not by what it would guess of a view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers
from rest_framework.request import Request

from console.http.openapi.apis import Api, find_operation_at
from console.http.openapi.key_schemes import KEY_SCHEMES
from console.http.openapi.refusals import get_shared_name, group_refusals
from console.http.openapi.types import RESPONSE, build_component, build_schema
from tenancy.api.operations import Bare, Operation, Parameter
from tenancy.api.serializing import ChangingContract

HEADERS = {
    "X-Request-Id": {
        "schema": {"type": "string"},
        "description": "The name under which the console's logs show the request.",
    }
}
RETRY_AFTER = {"schema": {"type": "integer", "minimum": 1}, "description": "Seconds to wait."}


def mock_request(method: str, path: str, view: Any, original_request: Any, **options: Any) -> Request:
    """The request that stands for each operation while it is described. No middleware has seen it, so that a view of
    the API, which needs the request's id, is not asked to begin with it."""
    request = HttpRequest()
    request.method, request.path = method, path
    return Request(request)


class SelfDescribed(OpenApiSerializerFieldExtension):  # registers itself
    """Fields that say what they accept. An optional one takes null, which is the same as absent."""

    target_class = "tenancy.api.serializing.ContractField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        field = self.target
        schema = field.json_schema()
        if isinstance(getattr(field, "child", None), serializers.Serializer):
            schema = schema | {"items": auto_schema.resolve_serializer(field.child, direction).ref}
        return schema if field.required else allow_null(schema)


def allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        schema = schema | {"enum": [*schema["enum"], None]}
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return schema | {"type": [*types, "null"]}
    return {"anyOf": [*schema["anyOf"], {"type": "null"}]}


class RecordedSchema(AutoSchema):
    """Everything that the generator asks for is the operation's own."""

    path: str
    method: str

    @cached_property
    def _api_and_operation(self) -> tuple[Api, Operation]:
        return find_operation_at(self.path, self.method)

    @property
    def operation(self) -> Operation:
        return self._api_and_operation[1]

    def get_operation_id(self) -> str:
        return self.operation.id

    def get_summary(self) -> str:
        return self.operation.summary

    def get_description(self) -> str:  # type: ignore[override]  # as the class above does
        return self.operation.description

    def get_auth(self) -> list[dict[str, list[str]]]:
        """One of them is enough."""
        return [{name: []} for name in KEY_SCHEMES]

    def get_tags(self) -> list[str]:
        return [self.operation.tag]

    def _get_parameters(self) -> list[dict[str, Any]]:
        return [_build_parameter(parameter) for parameter in self.operation.parameters]

    def _get_request_body(self, direction: Any = "request") -> dict[str, Any] | None:
        operation = self.operation
        content = {kind: {"schema": schema} for kind, schema in operation.other_bodies.items()}
        if operation.body is not None:
            content = {
                operation.media_type: {"schema": self.resolve_serializer(operation.body, direction).ref},
                **content,
            }
        if operation.example is not None:
            example = {"summary": operation.summary, "value": operation.example}
            content["application/json"]["examples"] = {operation.id: example}
        return {"content": content, "required": True} if content else None

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        api, operation = self._api_and_operation
        content = {kind: {"schema": schema} for kind, schema in operation.other_answers.items()}
        if operation.has_json:
            content = {"application/json": {"schema": self._build_success()}, **content}
        success = {"description": "Success.", "headers": HEADERS, "content": content}
        refused = group_refusals(api, operation)
        return {str(status): success for status in sorted(operation.statuses)} | {
            str(status): self._build_refused(status, refused[status]) for status in sorted(refused)
        }

    def _build_success(self) -> dict[str, Any]:
        api, operation = self._api_and_operation
        if isinstance(operation.answer, Bare):
            return build_schema(operation.answer.type, self.registry)
        data = None if operation.answer is None else build_schema(operation.answer, self.registry)
        name = f"{operation.id[0].upper()}{operation.id[1:]}Response"
        return build_component(name, operation, self.registry, lambda: api.success(data))

    def _build_refused(self, status: int, entries: Sequence[Any]) -> dict[str, Any]:
        """Refusals that many operations share are components."""
        api = self._api_and_operation[0]
        name = get_shared_name(api, status, entries)
        if not name:
            return self._build_refusal(status, entries)
        return build_component(
            name, (api, status), self.registry, lambda: self._build_refusal(status, entries), RESPONSE
        )

    def _build_refusal(self, status: int, entries: Sequence[Any]) -> dict[str, Any]:
        api = self._api_and_operation[0]
        schema = api.build_refusal_schema(status, entries, self.registry)
        headers = HEADERS | ({"Retry-After": RETRY_AFTER} if status in (429, 503) else {})
        return {
            "description": _format_error_list(entries, with_codes=api.has_codes),
            "headers": headers,
            "content": {"application/json": {"schema": schema}},
        }

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> dict[str, Any]:
        """Map a serializer without its docstring, which is for readers of the code."""
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)
        described = {name: value for name, value in schema.items() if name != "description"}
        return described | (
            {"additionalProperties": False} if isinstance(serializer, ChangingContract) else {}
        )


def _format_error_list(entries: Sequence[Any], *, with_codes: bool) -> str:
    """The errors as Markdown, each with what to do about it."""
    described = {(entry.code if with_codes else 0, entry.message, entry.remedy): None for entry in entries}
    lines = [
        f"* `{code}` {message}. {remedy}" if code else f"* {message}. {remedy}"
        for code, message, remedy in described
    ]
    return "\n".join(lines)


def _build_parameter(parameter: Parameter) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
    }
    if parameter.place == "path":
        described["required"] = True
    described["schema"] = dict(parameter.schema)
    return described if parameter.example is None else described | {"example": parameter.example}
