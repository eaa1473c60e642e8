"""How an operation of each protocol is called: its address, what is written around a body, and what checks a body.

Native calls, mem0's, OpenAI's and MCP's differ in these only, so that all of them are copied and corrected alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any
from uuid import UUID

from django.urls import resolve
from django.utils import timezone
from rest_framework.exceptions import ValidationError

from console.http.openapi.apis import APIS
from console.interfaces.mcp.arguments import build_arguments, find_argument_fault
from console.interfaces.mcp.caller import Caller
from console.interfaces.mcp.tools import TOOLS, Tool
from console.interfaces.mem0.add import read_add
from console.interfaces.mem0.entities import MOST as MOST_ENTITIES
from console.interfaces.mem0.events import MOST as MOST_EVENTS
from console.interfaces.mem0.memories import read_change, read_rating
from console.interfaces.mem0.search import OLD_THRESHOLD, build_flat_filters, read_page, read_search
from console.interfaces.openai.body import ChatCompletionBody, Controls
from console.pages.monitoring.logs.query_checks import (
    check_mem0_list,
    check_mem0_page,
    check_query,
    get_query_parameters,
)
from memories.engine.provider_choice import working_for
from tenancy.api.operations import Operation
from tenancy.api.serializing import ChangingContract, Contract, find_first_fault
from tenancy.errors import CatalogueError, InvalidParameters, RequiredFieldEmpty
from tenancy.isolation.scoping import Scope
from tenancy.models import Project, RequestLog
from tenancy.requests.log import READING

Body = dict[str, Any]
# Raises what is wrong with a body; may change the body.
Checker = Callable[[Body, Project], object]
# Stands for an end user whom a header named, which the log does not keep.
USER_SLOT = "YOUR_END_USER"
USER_HEADER, AGENT_HEADER = "X-Engram-User", "X-Engram-Agent"
MCP, OPENAI, MEM0 = "mcp/", "openai/", "mem0/"
_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")


@dataclass(frozen=True, slots=True)
class Form:
    """`check` raises what is wrong with a body, None where nothing checks one; `example` is a body that passes.

    `names` are the fields that are known. `headers` are those beside the key's, `content` is what is sent for a body.
    Without one of its fields, a call that deletes or overwrites would change more than was meant: of it nothing
    `may_leave_out`.
    """

    method: str
    path: str
    example: Mapping[str, Any]
    names: frozenset[str] = frozenset()
    check: Checker | None = None
    may_leave_out: bool = True
    scheme: str = "Token"
    headers: Callable[[Body], Mapping[str, str]] = lambda body: {}
    content: Callable[[Body], Any] = lambda body: body

    def fault(self, body: Body, project: Project) -> CatalogueError | None:
        if self.check is None:
            return None
        try:
            self.check(deepcopy(body), project)
        except ValidationError as refused:
            return find_first_fault(refused.detail)
        except CatalogueError as refused:
            return refused
        return None


def find_form(entry: RequestLog, sent: Body | None) -> Form | None:
    """None for what cannot be sent again: of an unknown operation, or about what the log does not keep."""
    if entry.endpoint.startswith(MCP):
        return _build_tool_form(entry, sent or {})
    if entry.endpoint == f"{OPENAI}chat/completions":
        return _build_completion_form(entry, sent or {})
    if entry.endpoint.startswith(MEM0):
        return _build_mem0_form(entry, sent or {})
    return _fill_form_path(_build_native_forms().get((entry.endpoint, entry.method)), entry)


def _fill_form_path(form: Form | None, entry: RequestLog) -> Form | None:
    """With the ids that stood in the address; None where the log does not keep them."""
    if form is None or "{" not in form.path:
        return form
    return replace(form, path=entry.path) if entry.path else None


def get_body_to_correct(entry: RequestLog, sent: Body) -> Body | None:
    """The body in its protocol's own words; a tool's call is logged as the call that it made. Of what only reads, the
    query, in which whole numbers are texts."""
    if entry.method in READING:
        return {name: int(one) if _is_whole(one) else one for name, one in sent.items()}
    if not entry.endpoint.startswith(MCP):
        return sent
    tool = TOOLS[entry.endpoint.removeprefix(MCP)]
    named: Body = {name: sent[name] for name in ("user_id", "agent_id") if tool.needs_caller and name in sent}
    return {**named, **build_arguments(tool, sent)}


def _is_whole(value: Any) -> bool:
    return isinstance(value, str) and bool(_WHOLE.fullmatch(value))


@lru_cache(maxsize=1)
def _build_native_forms() -> dict[tuple[str, str], Form]:
    """By the name in the log and the method; paths with a name in braces where an id stands."""
    return {
        (_resolve_url_name(api.base + one.path), one.method): _build_native_form(api.base + one.path, one)
        for api in APIS
        for one in api.operations
    }


def _resolve_url_name(path: str) -> str:
    return str(resolve(re.sub(r"{\w+}", str(UUID(int=0)), path)).url_name)


@lru_cache(maxsize=1)
def _map_forms_by_path() -> dict[tuple[str, str], Form]:
    return {(form.path, form.method): form for form in _build_native_forms().values()}


def _build_native_form(path: str, operation: Operation) -> Form:
    form = Form(operation.method, path, operation.example or {})
    if operation.method in READING:
        return replace(form, **_describe_query_parameters(operation))
    if operation.body is None:
        return form
    return Form(
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
        "example": {one.name: one.example for one in asked if one.example is not None},
        "names": frozenset(one.name for one in asked),
        "check": partial(check_query, operation) if asked else None,
    }


def _check_contract(contract: type[Contract], body: Body, project: Project) -> None:
    contract(data=body, context={"project": project}).is_valid(raise_exception=True)


def _build_tool_form(entry: RequestLog, sent: Body) -> Form | None:
    """Whom a tool's call speaks for stands in headers of the connection."""
    tool = TOOLS.get(entry.endpoint.removeprefix(MCP))
    if tool is None or entry.method != "POST":
        return None
    made = tool.call(_build_example(tool, sent), Caller(USER_SLOT, ""))
    native = _map_forms_by_path().get((made.path, made.method))
    if native is None:
        return None
    return Form(
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


def _build_example(tool: Tool, sent: Body) -> Body:
    given = build_arguments(tool, sent)
    empty = {name: [] if tool.properties[name].get("type") == "array" else "" for name in tool.required}
    return empty | given


def _check_tool(tool: Tool, native: Form, body: Body, project: Project) -> None:
    arguments = _select_arguments(tool, body)
    if fault := find_argument_fault(tool, arguments):
        raise InvalidParameters(fault)
    made = tool.call(arguments, Caller(body.get("user_id") or "", body.get("agent_id") or ""))
    if refused := native.fault(dict(made.body or {}), project):
        raise refused


def _select_arguments(tool: Tool, body: Body) -> Body:
    return {name: value for name, value in body.items() if name in tool.properties}


def _build_tools_call(tool: Tool, body: Body) -> Body:
    call = {"name": tool.name, "arguments": _select_arguments(tool, body)}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}


def _build_caller_headers(body: Body) -> dict[str, str]:
    named = {USER_HEADER: body.get("user_id"), AGENT_HEADER: body.get("agent_id")}
    return {header: str(value) for header, value in named.items() if value}


def _build_completion_form(entry: RequestLog, sent: Body) -> Form:
    headers = _build_completion_headers(entry, sent)
    return Form(
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
        talk = checked.build_talk(timezone.now())
        checked.build_chat(talk, Controls.of(headers, checked.validated_data))


def _build_mem0_form(entry: RequestLog, sent: Body) -> Form | None:
    """Addresses of several versions have one name in the log: it was the one that refuses the body as it was refused,
    else the newest."""
    named = (_fill_form_path(form, entry) for form in _MEM0.get((entry.endpoint, entry.method), ()))
    forms = [form for form in named if form]
    for form in forms:
        fault = form.fault(sent, entry.project) if entry.code else None
        if fault is not None and fault.code == entry.code and fault.text in _read_answered_message(entry):
            return form
    return forms[0] if forms else None


def _read_answered_message(entry: RequestLog) -> str:
    try:
        answer = json.loads(entry.response_body)
    except ValueError:
        return ""
    return str(answer.get("detail", "")) if isinstance(answer, dict) else ""


_MESSAGE = {"role": "user", "content": "I moved to Shanghai in June."}
_FILTERS = {"user_id": "kim"}
_SHARED = frozenset({"user_id", "agent_id", "app_id", "run_id", "metadata", "filters"})
_OF_ADD = _SHARED | {"messages", "infer", "async_mode", "timestamp", "expiration_date", "immutable"}
_OF_SEARCH = _SHARED | {"query", "top_k", "threshold", "fields", "categories", "show_expired"}
_OF_LIST = _SHARED | {"page", "page_size", "fields", "categories", "start_date", "end_date", "show_expired"}
_OF_CHANGE = frozenset({"text", "metadata", "timestamp", "expiration_date"})
_OF_RATING = frozenset({"memory_id", "feedback", "feedback_reason"})
_ADD = {"messages": [_MESSAGE], "user_id": "kim"}
_SEARCH = {"query": "Where do I live?", "filters": _FILTERS, "threshold": 0.3, "top_k": 10}
_LIST = {"filters": _FILTERS, "page": 1, "page_size": 100}
_PAGE = {"page": 1, "page_size": 100}
_CHANGE = {
    "text": "The user lives in Shanghai.",
    "metadata": {"topic": "home"},
    "expiration_date": "2030-12-31",
}
_RATING = {"feedback": "POSITIVE", "feedback_reason": "It is right."}
_MEMORY = "/v1/memories/{memory_id}/"


def _declare_mem0_form(path: str, example: Body, names: frozenset[str], check: Checker) -> Form:
    return Form("POST", path, example, names, check)


_MEM0: dict[tuple[str, str], tuple[Form, ...]] = {
    (f"{MEM0}add", "POST"): (_declare_mem0_form("/v3/memories/add/", _ADD, _OF_ADD, read_add),),
    (f"{MEM0}memories", "POST"): (_declare_mem0_form("/v1/memories/", _ADD, _OF_ADD, read_add),),
    (f"{MEM0}search", "POST"): (
        _declare_mem0_form(
            "/v3/memories/search/", _SEARCH, _OF_SEARCH, lambda body, project: read_search(body)
        ),
        _declare_mem0_form(
            "/v1/memories/search/",
            _SEARCH,
            _OF_SEARCH,
            lambda body, project: read_search(body, OLD_THRESHOLD, is_flat=True),
        ),
    ),
    (f"{MEM0}list", "POST"): (
        _declare_mem0_form(
            "/v3/memories/", _LIST, _OF_LIST, lambda body, project: read_page(body, body.get("filters"))
        ),
        _declare_mem0_form(
            "/v2/memories/", _LIST, _OF_LIST, lambda body, project: read_page(body, build_flat_filters(body))
        ),
    ),
    (f"{MEM0}list", "GET"): (
        Form("GET", "/v1/memories/", {"user_id": "kim", **_PAGE}, _OF_LIST | _SHARED, check_mem0_list),
    ),
    (f"{MEM0}entities", "GET"): (
        Form("GET", "/v1/entities/", _PAGE, frozenset(_PAGE), partial(check_mem0_page, MOST_ENTITIES)),
    ),
    (f"{MEM0}events", "GET"): (
        Form("GET", "/v1/events/", _PAGE, frozenset(_PAGE), partial(check_mem0_page, MOST_EVENTS)),
    ),
    (f"{MEM0}get", "GET"): (Form("GET", _MEMORY, {}),),
    (f"{MEM0}history", "GET"): (Form("GET", f"{_MEMORY}history/", {}),),
    (f"{MEM0}event", "GET"): (Form("GET", "/v1/event/{event_id}/", {}),),
    # What is left out of a change stays as it was: nobody meant that.
    (f"{MEM0}update", "PUT"): (
        Form("PUT", _MEMORY, _CHANGE, _OF_CHANGE, lambda body, project: read_change(body, ""), False),
    ),
    (f"{MEM0}batch_update", "PUT"): (Form("PUT", "/v1/batch/", {}),),
    (f"{MEM0}feedback", "POST"): (
        _declare_mem0_form("/v1/feedback/", _RATING, _OF_RATING, lambda body, project: read_rating(body)),
    ),
}
