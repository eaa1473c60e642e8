"""The MCP server: lists tools, resources and prompts, and answers calls of tools by calls of the REST API."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from console.interfaces.in_process import ApiCall, InProcessApi
from console.interfaces.mcp import prompts, resources, tool_definitions
from console.interfaces.mcp.arguments import find_argument_fault
from console.interfaces.mcp.caller import API, NO_USER, Caller
from tenancy.api.bodies.parsing import refuse_unstorable
from tenancy.errors import InvalidParameters

Context = ServerRequestContext[Any, Any]
NAME = "engram"
INSTRUCTIONS = (
    "Engram remembers what users say and finds it again. Before you answer, call search_memory with what the user "
    "asks; use what helps and ignore the rest. After you answered, call add_message with both messages. Use "
    "add_feedback to correct what is remembered, and delete_memory only when the user asks for it."
)


def make_server(version: str) -> Server[Any]:
    """A server that holds no state: whom it speaks for comes with each request."""
    return Server(
        NAME,
        title="Engram",
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read_resource,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
    )


async def _list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[_describe_tool(tool) for tool in tool_definitions.TOOLS.values()])


def _describe_tool(tool: tool_definitions.ToolDefinition) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        output_schema=tool_definitions.ANSWER,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=tool.is_destructive,
            idempotent_hint=tool.is_idempotent or tool.is_read_only,
            open_world_hint=False,
        ),
    )


async def _call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
    tool = tool_definitions.TOOLS.get(params.name)
    if tool is None:
        raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {params.name[:100]}")
    given = {name: value for name, value in (params.arguments or {}).items() if value is not None}
    if refused := await asyncio.to_thread(_find_refusal, tool, given):
        return _build_failed_result(refused)
    scope = context.request.scope  # type: ignore[union-attr]  # there is one over HTTP
    caller = Caller.of(scope)
    if tool.needs_caller and not caller.is_named:
        return _build_failed_result(NO_USER)
    return await send_call(scope[API], tool.call(given, caller), tool.name)


def _find_refusal(tool: tool_definitions.ToolDefinition, given: dict[str, Any]) -> str:
    """Find why the arguments are refused, in a sentence; "" where they are not. For a thread: they may be megabytes."""
    if fault := find_argument_fault(tool, given):
        return f"[40000] Invalid request parameters: {fault}"
    try:
        refuse_unstorable(given)
    except InvalidParameters as refusal:
        return f"[{refusal.code}] {refusal.text}"
    return ""


async def send_call(api: InProcessApi, call: ApiCall, operation: str) -> CallToolResult:
    """The API's whole answer as text and as structured content; an error says its code and sentence."""
    answer = await api.send(call, operation)
    if not answer.is_success:
        return _build_failed_result(answer.sentence, answer.data)
    text = json.dumps(answer.data, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer.data)


def _build_failed_result(sentence: str, data: dict[str, Any] | None = None) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=sentence)], structured_content=data, is_error=True
    )
