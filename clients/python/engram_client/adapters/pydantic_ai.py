"""Pydantic AI: a capability that recalls before a run, offers a search as a tool, and remembers the run afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import FunctionToolset

from engram_client.adapters.recalled import TOOL_DESCRIPTION, as_list, as_prompt
from engram_client.client_async import AsyncEngram


@dataclass
class EngramMemory(AbstractCapability[Any]):
    """The memory of the end user whom a run is for: `user_id`, or what it gives for the context of the run.

    What is recalled stands beside the prompt in what the model gets, and not in the history of messages. The prompt and
    the answer are remembered when the run succeeded, in the conversation of the run. `recall`, `remember` and
    `has_search_tool` switch the three off. Runs raise `EngramError`.
    """

    client: AsyncEngram
    user_id: str | Callable[[RunContext[Any]], str]
    _: KW_ONLY
    recall: bool = True
    remember: bool = True
    has_search_tool: bool = True
    id: str | None = "engram_memory"
    _recalled: str = field(default="", init=False, repr=False)

    async def for_run(self, ctx: RunContext[Any]) -> EngramMemory:
        """A copy that holds what is recalled for one run."""
        return replace(self)

    async def before_run(self, ctx: RunContext[Any]) -> None:
        text = _join_texts(ctx.prompt)
        if self.recall and text:
            answer = await self.client.search(
                text, user_id=self._user(ctx), conversation_id=ctx.conversation_id
            )
            self._recalled = as_prompt(answer, ctx.conversation_id)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if self._recalled:
            request_context.messages = _with_recalled(request_context.messages, self._recalled)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        prompt, answered = _join_texts(ctx.prompt), _write_answer(result)
        messages: list[Any] = [{"role": "user", "content": prompt}] if prompt else []
        messages += [{"role": "assistant", "content": answered}] if answered else []
        if self.remember and prompt:
            await self.client.add(messages, user_id=self._user(ctx), conversation_id=ctx.conversation_id)
        return result

    def get_toolset(self) -> FunctionToolset[Any] | None:
        if not self.has_search_tool:
            return None
        tools: FunctionToolset[Any] = FunctionToolset(id="engram_memory")
        tools.add_function(self._search, name="search_memory", description=TOOL_DESCRIPTION)
        return tools

    async def _search(self, ctx: RunContext[Any], query: str) -> str:
        answer = await self.client.search(query, user_id=self._user(ctx), conversation_id=ctx.conversation_id)
        return as_list(answer, ctx.conversation_id)

    def _user(self, ctx: RunContext[Any]) -> str:
        return self.user_id if isinstance(self.user_id, str) else self.user_id(ctx)


def _join_texts(prompt: Any) -> str:
    """The texts of a prompt, which is a text or a sequence of texts, files and addresses."""
    if isinstance(prompt, str):
        return prompt.strip()
    return "\n".join(part for part in prompt or () if isinstance(part, str)).strip()


def _write_answer(result: AgentRunResult[Any]) -> str:
    """The answer in words; of an output that is an object, what the model said beside it."""
    return result.output.strip() if isinstance(result.output, str) else (result.response.text or "").strip()


def _with_recalled(messages: list[ModelMessage], recalled: str) -> list[ModelMessage]:
    """The messages with what was recalled before the last prompt: what stands before it stays the same."""
    made = list(messages)
    for place in range(len(made) - 1, -1, -1):
        request = made[place]
        if isinstance(request, ModelRequest) and any(
            isinstance(part, UserPromptPart) for part in request.parts
        ):
            made[place] = replace(request, parts=[UserPromptPart(recalled), *request.parts])
            break
    return made
