"""Ask a chat model behind any server with OpenAI's `/chat/completions`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from memories.engine import metering
from memories.engine.answering import CUT_SHORT
from memories.engine.client.http_json import Deadline, NotUnderstood, Provider
from memories.engine.client.tool_calls import ModelToolCall, parse_tool_calls
from memories.engine.protocols import AnswerUseless, ProviderUnavailable
from tenancy.metering.model_usage import Spent

Message = Mapping[str, Any]
# How an answer in JSON is asked for, the strictest way first.
FORMATS = ("json_schema", "json_object", "text")
# Why a model stopped when it did not simply come to its end.
_CUT = {"length": CUT_SHORT, "content_filter": "filtered", "refusal": "declined"}


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """The JSON schema of an answer; `name` is for the server."""

    name: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """`purpose` is what its tokens are counted under. Without a schema the answer is text.

    `tools` are what the model may call instead of answering, in the wire's form.
    """

    purpose: str
    messages: Sequence[Message]
    schema: AnswerSchema | None = None
    output_tokens: int = 0
    temperature: float = 0
    top_p: float | None = None
    tools: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer of a model, and the tool calls it asks for."""

    text: str
    calls: tuple[ModelToolCall, ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The features in which OpenAI-compatible servers differ."""

    format: str = FORMATS[0]
    limit: str = "max_tokens"
    has_temperature: bool = True
    has_top_p: bool = True
    counts_streams: bool = True

    def simpler(self, detail: str, has_schema: bool) -> Dialect | None:
        """The next to try after the server's complaint; None when nothing is left to leave out."""
        if "max_tokens" in detail and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "temperature" in detail and self.has_temperature:
            return replace(self, has_temperature=False)
        if "top_p" in detail and self.has_top_p:
            return replace(self, has_top_p=False)
        if "stream_options" in detail and self.counts_streams:
            return replace(self, counts_streams=False)
        if has_schema and self.format != FORMATS[-1]:
            return replace(self, format=FORMATS[FORMATS.index(self.format) + 1])
        return None


class ChatModel:
    """One model. What its server does not understand is found out once and remembered."""

    def __init__(self, provider: Provider, name: str, output_tokens: int, attempts: int = 3) -> None:
        self.name = name
        self._attempts = attempts
        self._provider = provider
        self._output_tokens = output_tokens
        self._dialect = Dialect()

    def ask(self, question: ModelRequest, deadline: Deadline) -> str:
        """The text of the answer.

        Raises `ProviderUnavailable` and `ProviderRefused` like every request, `AnswerUseless` when the model
        declined or was cut short. The tokens of such an answer are counted too.
        """
        return self.converse(question, deadline).text

    def converse(self, question: ModelRequest, deadline: Deadline) -> Completion:
        """The same for a model that may call tools."""
        answer = self._post_question(question, deadline)
        text, reason = _parse_completion(answer)
        calls = parse_tool_calls(answer["choices"][0]["message"])
        written = text + "".join(call.name + call.arguments for call in calls)
        metering.record_usage(self._count_spent(question, answer, written))
        if reason:
            raise AnswerUseless(reason)
        return Completion(text, calls)

    def _post_question(self, question: ModelRequest, deadline: Deadline) -> Any:
        dialect = self._dialect
        while True:
            try:
                body = self._build_body(question, dialect)
                answer = self._provider.post("/chat/completions", body, deadline, self._attempts)
            except NotUnderstood as complaint:
                simpler = dialect.simpler(complaint.detail, question.schema is not None)
                if simpler is None:
                    raise
                dialect = simpler
            else:
                self._dialect = dialect
                return answer

    def _build_body(self, question: ModelRequest, dialect: Dialect) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [*question.messages],
            dialect.limit: question.output_tokens or self._output_tokens,
        }
        if dialect.has_temperature:
            body["temperature"] = question.temperature
        if dialect.has_top_p and question.top_p is not None:
            body["top_p"] = question.top_p
        if question.tools:
            body["tools"] = [*question.tools]
        if question.schema is not None:
            body |= _build_response_format(question.schema, dialect.format)
            if dialect.format != FORMATS[0]:
                body["messages"] = _with_schema(question.messages, question.schema)
        return body

    def _count_spent(self, question: ModelRequest, answer: Any, text: str) -> Spent:
        usage = answer.get("usage")
        if isinstance(usage, dict):
            prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if _is_count(prompt) and _is_count(completion):
                return Spent(
                    question.purpose, self.name, prompt, completion, cached_tokens=_read_cached_tokens(usage)
                )
        asked = sum(
            metering.estimate_prompt_tokens(_get_message_text(message)) for message in question.messages
        )
        return Spent(
            question.purpose, self.name, asked, metering.estimate_prompt_tokens(text), is_estimated=True
        )


def _read_cached_tokens(usage: Mapping[str, Any]) -> int | None:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return cached if _is_count(cached) else None


def _is_count(number: Any) -> TypeGuard[int]:
    return type(number) is int and 0 <= number < 2**31


def _build_response_format(schema: AnswerSchema, format: str) -> dict[str, Any]:
    if format == "json_schema":
        described = {"name": schema.name, "strict": True, "schema": schema.body}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    return {"response_format": {"type": "json_object"}} if format == "json_object" else {}


def _with_schema(messages: Sequence[Message], schema: AnswerSchema) -> list[Message]:
    """Append the schema to the instructions, for servers that take no schema."""
    first, *others = messages
    written = json.dumps(schema.body, ensure_ascii=False)
    return [
        {**first, "content": f"{first['content']}\n\nThe JSON Schema of your answer:\n{written}"},
        *others,
    ]


def _get_message_text(message: Message) -> str:
    """The text of a message, without parts that are none; the tokens of a picture cannot be estimated."""
    content = message["content"] or ""
    called = "".join(call["function"]["arguments"] for call in message.get("tool_calls", ()))
    return called + (
        content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    )


def _parse_completion(answer: Any) -> tuple[str, str]:
    """The text, and why it is of no use ("" when it may be)."""
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        is_declined = bool(message.get("refusal"))
        reason = _CUT.get(choice.get("finish_reason") or "", "")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ProviderUnavailable("answered something else than a completion") from None
    return (text if isinstance(text, str) else ""), "declined" if is_declined else reason
