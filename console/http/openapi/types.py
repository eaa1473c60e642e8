"""JSON Schema of the types that views answer with; typed dictionaries become components of the description."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent

PLAIN: Mapping[Any, dict[str, Any]] = {
    Any: {},
    object: {},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
}


def build_schema(hint: Any, registry: ComponentRegistry) -> dict[str, Any]:
    """Raises `TypeError` for a type that no answer is made of."""
    if hint in PLAIN:
        return dict(PLAIN[hint])
    if is_typeddict(hint):
        return build_component(hint.__name__, hint, registry, lambda: _build_object_schema(hint, registry))
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    return _build_composed_schema(hint, registry)


def _build_composed_schema(hint: Any, registry: ComponentRegistry) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return build_schema(arguments[0], registry) | {"description": arguments[1]}
    if origin is NotRequired:
        return build_schema(arguments[0], registry)
    if origin is list:
        return {"type": "array", "items": build_schema(arguments[0], registry)}
    if origin is dict:
        return {"type": "object", "additionalProperties": build_schema(arguments[1], registry)}
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return {"anyOf": [build_schema(argument, registry) for argument in arguments]}
    raise TypeError(f"{hint!r} is no type of an answer")


SCHEMA, RESPONSE = ResolvedComponent.SCHEMA, ResolvedComponent.RESPONSE


def build_component(
    name: str, made_of: Any, registry: ComponentRegistry, schema: Any, kind: str = SCHEMA
) -> dict[str, Any]:
    """A reference to the component of this name, which is made when it is first asked for. Raises `ValueError` when
    something else has the name."""
    known = ResolvedComponent(name, kind, object=made_of)
    if known in registry:
        if registry[known].object != made_of:
            raise ValueError(f"two components of the description are named {name}")
    else:
        registry.register(known)
        known.schema = schema()
    reference: dict[str, Any] = known.ref
    return reference


def _build_object_schema(hint: Any, registry: ComponentRegistry) -> dict[str, Any]:
    fields = get_type_hints(hint, include_extras=True)
    # Not by the class, which cannot tell where annotations are kept as text.
    required = sorted(name for name, field in fields.items() if get_origin(field) is not NotRequired)
    described = {"description": inspect.cleandoc(hint.__doc__)} if hint.__doc__ else {}
    return {
        "type": "object",
        **described,
        "properties": {name: build_schema(field, registry) for name, field in fields.items()},
        "required": required,
    }
