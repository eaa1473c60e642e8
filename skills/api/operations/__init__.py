"""OpenAPI descriptions of the skill memory operations."""

from __future__ import annotations

from dataclasses import replace

from skills.api.operations import files, people, sessions, spaces
from tenancy import errors
from tenancy.api.operations import Operation


def _refuse_missing_object(operation: Operation) -> Operation:
    """With the refusal of what is not there, where the path names an object."""
    if not any(parameter.place == "path" for parameter in operation.parameters):
        return operation
    return replace(operation, refusals=(*operation.refusals, errors.NotFound))


OPERATIONS = tuple(
    _refuse_missing_object(operation)
    for module in (spaces, sessions, files, people)
    for operation in module.OPERATIONS
)
