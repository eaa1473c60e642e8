"""The errors that an operation may answer: those of every request, of its body, and those it names itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from console.http.openapi.apis import Api
from tenancy import errors
from tenancy.api.operations import IDEMPOTENCY_KEY, Operation
from tenancy.errors import CatalogueError

Entry = type[CatalogueError]
EVERYWHERE: tuple[Entry, ...] = (
    errors.InvalidParameters,
    errors.KeyRequired,
    errors.KeyMalformed,
    errors.KeyInvalid,
    errors.KeyForbidden,
    errors.RateLimited,
    errors.CallQuotaExceeded,
    errors.InternalError,
    errors.OperationFailed,
    errors.MemoryUnavailable,
)


def group_refusals(api: Api, operation: Operation) -> dict[int, list[Entry]]:
    """Group the errors of an operation by HTTP status, each once, in the order of their codes."""
    named = dict.fromkeys((*EVERYWHERE, *_list_request_refusals(operation), *operation.refusals))
    groups: dict[int, list[Entry]] = {}
    for entry in sorted(named, key=lambda entry: entry.code):
        groups.setdefault(api.status_of(entry()), []).append(entry)
    return groups


def _list_request_refusals(operation: Operation) -> Iterator[Entry]:
    if operation.body is not None or operation.other_bodies:
        yield errors.TooManyTokens  # a body of more than 10 MB
    if operation.body is not None:
        yield errors.RequiredFieldEmpty
        yield from _list_field_refusals(operation.body())
    if operation.method == "DELETE":
        yield errors.DeletionForbidden
    if IDEMPOTENCY_KEY in operation.parameters:
        yield errors.IdempotencyInProgress
    if any(parameter.place == "path" for parameter in operation.parameters):
        yield errors.UnknownRoute  # a value with a slash in it is an address that nothing serves


def _list_field_refusals(body: Any) -> Iterator[Entry]:
    yield from body.refusals
    for field in body.fields.values():
        yield from getattr(field, "refusals", ())
        child = getattr(field, "child", None)
        if hasattr(child, "fields"):
            yield from _list_field_refusals(child)


def get_shared_name(api: Api, status: int, entries: Sequence[Entry]) -> str:
    """Return what a refusal is called that other operations have too; empty for one of this operation's own."""
    everywhere = [entry for entry in EVERYWHERE if api.status_of(entry()) == status]
    if set(entries) == set(everywhere):
        return f"{api.refusal_name}{status}"
    if set(entries) == {*everywhere, errors.TokenRateExceeded}:
        return f"{api.refusal_name}{status}OfTokens"
    return ""
