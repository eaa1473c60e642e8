"""Descriptions of API operations for OpenAPI: name, parameters, request and response.

Each app lists its own in `api/operations.py`. Bodies are the serializers that check them, answers the types that the
views return, refusals entries of the error catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tenancy.api.serializing import Contract
from tenancy.errors import CatalogueError

Schema = Mapping[str, Any]
UUID_SCHEMA: Schema = {"type": "string", "format": "uuid"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in the path, the query or a header. Path parameters are required."""

    name: str
    schema: Schema
    description: str
    place: Literal["path", "query", "header"] = "query"
    example: Any = None


@dataclass(frozen=True, slots=True)
class Bare:
    """A response without the envelope."""

    type: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One HTTP method of one URL.

    `path` stands below the base address of its API. `answer` is the type of what the envelope holds, None for an
    operation that answers nothing, or `Bare`. `other_answers` are further answers by media type; `has_json` is false
    where they are the only ones. `example` is a body that works as it stands, but for ids of rows.
    """

    id: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    tag: str
    summary: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: type[Contract] | None = None
    other_bodies: Mapping[str, Schema] = field(default_factory=dict)
    media_type: str = "application/json"
    example: Mapping[str, Any] | None = None
    answer: Any = None
    other_answers: Mapping[str, Schema] = field(default_factory=dict)
    has_json: bool = True
    statuses: tuple[int, ...] = (200,)
    refusals: tuple[type[CatalogueError], ...] = ()


IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255},
    "A name for this write: sent again within 24 hours, it is answered as before and not done twice.",
    "header",
)
