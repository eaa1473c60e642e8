"""How the operations of each protocol are called, by their names in the log.

Native calls, mem0's, OpenAI's and MCP's differ in these only, so that all of them are copied and corrected alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any
from uuid import UUID

from django.urls import resolve
from django.utils import timezone

from console.http.openapi.apis import APIS
from console.interfaces.mcp.arguments import build_arguments, find_argument_fault
from console.interfaces.mcp.caller import Caller
from console.interfaces.mcp.tool_definitions import TOOLS, ToolDefinition
from console.interfaces.openai.body import ChatCompletionBody, Controls
from console.pages.monitoring.logs.call_form import Body, CallForm, fill_form_path
from console.pages.monitoring.logs.mem0_forms import MEM0, build_mem0_form
from console.pages.monitoring.logs.query_checks import (
    check_query,
    get_query_parameters,
)
from memories.engine.provider_choice import working_for
from tenancy.api.operations import Operation
from tenancy.api.serializing import ChangingContract, Contract
from tenancy.errors import InvalidParameters, RequiredFieldEmpty
from tenancy.isolation.scoping import Scope
from tenancy.models import Project, RequestLog
from tenancy.requests.log import READING

# Stands for an end user whom a header named, which the log does not keep.
USER_SLOT = "YOUR_END_USER"
USER_HEADER, AGENT_HEADER = "X-Engram-User", "X-Engram-Agent"
MCP, OPENAI = "mcp/", "openai/"
_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")


def find_form(entry: RequestLog, sent: Body | None) -> CallForm | None:
    """Find the form of a log entry; None for an unknown operation, or one whose texts the log does not store."""
    if entry.endpoint.startswith(MCP):
        return _build_tool_form(entry, sent or {})
    if entry.endpoint == f"{OPENAI}chat/completions":
        return _build_completion_form(entry, sent or {})
    if entry.endpoint.startswith(MEM0):
        return build_mem0_form(entry, sent or {})
    return fill_form_path(_build_native_forms().get((entry.endpoint, entry.method)), entry)


def get_body_to_correct(form: CallForm, entry: RequestLog, sent: Body) -> Body | None:
    """The body in its protocol's own words; a tool's call is logged as the call that it made. Of what is said in the
    address, the query, in which whole numbers are texts."""
    if form.has_query:
        return {name: int(value) if _is_whole(value) else value for name, value in sent.items()}
    if not entry.endpoint.startswith(MCP):
        return sent
    tool = TOOLS[entry.endpoint.removeprefix(MCP)]
    named: Body = {name: sent[name] for name in ("user_id", "agent_id") if tool.needs_caller and name in sent}
    return {**named, **build_arguments(tool, sent)}


def _is_whole(value: Any) -> bool:
    return isinstance(value, str) and bool(_WHOLE.fullmatch(value))


@lru_cache(maxsize=1)
def _build_native_forms() -> dict[tuple[str, str], CallForm]:
    """Forms by operation name and method; their paths have a name in braces in place of an id."""
    return {
        (_resolve_url_name(api.base + operation.path), operation.method): _build_native_form(
            api.base + operation.path, operation
        )
        for api in APIS
        for operation in api.operations
    }


def _resolve_url_name(path: str) -> str:
    return str(resolve(re.sub(r"{\w+}", str(UUID(int=0)), path)).url_name)


@lru_cache(maxsize=1)
def _map_forms_by_path() -> dict[tuple[str, str], CallForm]:
    return {(form.path, form.method): form for form in _build_native_forms().values()}


def _build_native_form(path: str, operation: Operation) -> CallForm:
    form = CallForm(operation.method, path, operation.example or {})
    if operation.method in READING:
        return replace(form, **_describe_query_parameters(operation))
    if operation.body is None:
        return form
    return CallForm(
        operation.method,
        path,
        operation.example or {},
        frozenset(operation.body().fields),
        partial(_check_contract, operation.body),
        may_leave_out=not issubclass(operation.body, ChangingContract),
    )


def _describe_query_parameters(operation: Operation) -> dict[str, Any]:
    asked = get_query_parameters(operation)
    return {
        "example": {
            parameter.name: parameter.example for parameter in asked if parameter.example is not None
        },
        "names": frozenset(parameter.name for parameter in asked),
        "check": partial(check_query, operation) if asked else None,
    }


def _check_contract(contract: type[Contract], body: Body, project: Project) -> None:
    contract(data=body, context={"project": project}).is_valid(raise_exception=True)


def _build_tool_form(entry: RequestLog, sent: Body) -> CallForm | None:
    """Build the form of an MCP tool; the user it speaks for is in headers of the connection."""
    tool = TOOLS.get(entry.endpoint.removeprefix(MCP))
    if tool is None or entry.method != "POST":
        return None
    made = tool.call(_build_example(tool, sent), Caller(USER_SLOT, ""))
    native = _map_forms_by_path().get((made.path, made.method))
    if native is None:
        return None
    return CallForm(
        "POST",
        "/mcp",
        {
            **native.example,
            **{name: native.example[name] for name in tool.properties if name in native.example},
        },
        frozenset({*tool.properties, "user_id", "agent_id"}),
        partial(_check_tool, tool, native),
        may_leave_out=native.may_leave_out and not tool.is_destructive,
        scheme="Bearer",
        headers=lambda body: {"Accept": "application/json, text/event-stream", **_build_caller_headers(body)},
        content=partial(_build_tools_call, tool),
    )


def _build_example(tool: ToolDefinition, sent: Body) -> Body:
    given = build_arguments(tool, sent)
    empty = {name: [] if tool.properties[name].get("type") == "array" else "" for name in tool.required}
    return empty | given


def _check_tool(tool: ToolDefinition, native: CallForm, body: Body, project: Project) -> None:
    arguments = _select_arguments(tool, body)
    if fault := find_argument_fault(tool, arguments):
        raise InvalidParameters(fault)
    made = tool.call(arguments, Caller(body.get("user_id") or "", body.get("agent_id") or ""))
    if refused := native.fault(dict(made.body or {}), project):
        raise refused


def _select_arguments(tool: ToolDefinition, body: Body) -> Body:
    return {name: value for name, value in body.items() if name in tool.properties}


def _build_tools_call(tool: ToolDefinition, body: Body) -> Body:
    call = {"name": tool.name, "arguments": _select_arguments(tool, body)}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}


def _build_caller_headers(body: Body) -> dict[str, str]:
    named = {USER_HEADER: body.get("user_id"), AGENT_HEADER: body.get("agent_id")}
    return {header: str(value) for header, value in named.items() if value}


def _build_completion_form(entry: RequestLog, sent: Body) -> CallForm:
    headers = _build_completion_headers(entry, sent)
    return CallForm(
        "POST",
        "/v1/chat/completions",
        {"messages": [{"role": "user", "content": "Where do I live?"}], "user": "kim"},
        frozenset(ChatCompletionBody().fields),
        partial(_check_completion, headers),
        scheme="Bearer",
        headers=lambda body: headers,
    )


def _build_completion_headers(entry: RequestLog, sent: Body) -> dict[str, str]:
    """A call that was not refused for want of a user named one in a header where its body names none."""
    metadata = sent.get("metadata")
    named = [sent.get("user"), *(metadata.values() if isinstance(metadata, dict) else ())]
    if any(named) or (entry.code == RequiredFieldEmpty.code and USER_HEADER in entry.response_body):
        return {}
    kind, _, who = (entry.subjects[0] if entry.subjects else "").partition(":")
    return {AGENT_HEADER: who} if kind == "agent" else {USER_HEADER: who or USER_SLOT}


def _check_completion(headers: Mapping[str, str], body: Body, project: Project) -> None:
    with working_for(Scope.of_project(project)):
        checked = ChatCompletionBody(data=body, context={"project": project})
        checked.is_valid(raise_exception=True)
        conversation = checked.build_conversation(timezone.now())
        checked.build_chat(conversation, Controls.of(headers, checked.validated_data))
