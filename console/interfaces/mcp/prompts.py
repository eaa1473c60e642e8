"""Prompts that people choose in their assistant: remember something, and ask what is known."""

from __future__ import annotations

from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

REMEMBER = Prompt(
    name="remember",
    title="Remember this",
    description="Have something remembered for later conversations.",
    arguments=[PromptArgument(name="what", description="What to remember", required=True)],
)
KNOWN = Prompt(
    name="what_do_you_know",
    title="What do you know about me?",
    description="Have all that is remembered summarised.",
    arguments=[PromptArgument(name="about", description="One subject only", required=False)],
)
MOST_CHARACTERS = 20_000


async def list_prompts(context: Any, params: PaginatedRequestParams | None) -> ListPromptsResult:
    return ListPromptsResult(prompts=[REMEMBER, KNOWN])


async def get_prompt(context: Any, params: GetPromptRequestParams) -> GetPromptResult:
    given = {name: value[:MOST_CHARACTERS] for name, value in (params.arguments or {}).items()}
    if params.name == REMEMBER.name:
        if not given.get("what", "").strip():
            raise MCPError(code=INVALID_PARAMS, message="[40002] Required field cannot be empty: what")
        return _build_prompt(
            f"Call add_message so that this is remembered, then confirm it briefly: {given['what']}"
        )
    if params.name == KNOWN.name:
        about = given.get("about", "").strip()
        if about:
            return _build_prompt(f"Call search_memory and tell me what you know about me and this: {about}")
        return _build_prompt(
            "Call get_user_profile until its last page, then summarise what you know about me by subject."
        )
    raise MCPError(code=INVALID_PARAMS, message=f"Unknown prompt: {params.name[:100]}")


def _build_prompt(text: str) -> GetPromptResult:
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))])
