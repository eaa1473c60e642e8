"""Check the query of a logged read by the serializers of its API view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.interfaces.mem0.parsing import parse_page
from console.interfaces.mem0.search import read_flat_page
from skills.api.query import Query, parse_uuid
from tenancy.api.operations import UUID_SCHEMA, Operation, Parameter
from tenancy.errors import InvalidParameters
from tenancy.models import Project


def get_query_parameters(operation: Operation) -> list[Parameter]:
    return [parameter for parameter in operation.parameters if parameter.place == "query"]


def check_query(operation: Operation, sent: Mapping[str, Any], project: Project) -> None:
    """Raises what is wrong with one of the operation's parameters."""
    query = Query(as_texts(sent))
    names = {parameter.name for parameter in get_query_parameters(operation)}
    for parameter in get_query_parameters(operation):
        kind, text = parameter.schema.get("type"), query.text(parameter.name)
        if kind == "boolean":
            query.flag(parameter.name)
        elif kind == "integer" and text:
            query.whole(
                parameter.name, 0, parameter.schema.get("minimum", 0), parameter.schema.get("maximum", 10**9)
            )
        elif text and "enum" in parameter.schema and text not in parameter.schema["enum"]:
            raise InvalidParameters(f"{parameter.name}: must be one of {', '.join(parameter.schema['enum'])}")
        elif parameter.schema == UUID_SCHEMA and text:
            parse_uuid(text, parameter.name)
        elif str(parameter.example).startswith("{"):
            query.json(parameter.name)
    if {"cursor", "limit"} <= names:
        query.window(0)


def check_mem0_list(sent: Mapping[str, Any], project: Project) -> None:
    read_flat_page(as_texts(sent))


def check_mem0_page(most: int, sent: Mapping[str, Any], project: Project) -> None:
    parse_page(as_texts(sent), most, most)


def as_texts(sent: Mapping[str, Any]) -> dict[str, Any]:
    """As they stand in an address: everything is a text, or a list of texts."""
    return {
        name: [str(item) for item in value] if isinstance(value, list) else str(value)
        for name, value in sent.items()
    }
