"""The body of a chat completion, and what headers and metadata say of whose conversation it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from console.interfaces.openai.errors import ModelNotFound
from memories.api.serializers.chat import AnswerTokens, Number
from memories.chat import Chat, TurnLabels
from memories.engine import list_chat_model_names
from memories.engine.answering import Manner
from memories.retrieval.queries.query import DEFAULT_RELATIVITY, SearchQuery
from memories.values import OwnerKind, Subject, Turn
from tenancy.api.identify_sender import decode_header
from tenancy.api.serializing import Contract, Flag, Json, Text
from tenancy.errors import InvalidParameters, RequiredFieldEmpty

# The project's usual model.
DEFAULT_MODEL = "engram"
ROLES = frozenset({"system", "developer", "user", "assistant"})
INSTRUCTIONS = frozenset({"system", "developer"})
MOST_MESSAGES, MOST_METADATA = 2_000, 16
MOST_NAME = 100
SOURCE = "openai"
# What other values would silently not be done: the value that changes nothing, where there is one.
FIXED: Mapping[str, tuple[Any, ...]] = {
    "n": (1,),
    "tools": ([],),
    "functions": ([],),
    "tool_choice": ("none", "auto"),
    "function_call": ("none", "auto"),
    "response_format": ({"type": "text"},),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "logit_bias": ({},),
    "stop": ([], ""),
    "modalities": (["text"],),
    "audio": (),
    "prediction": (),
    "web_search_options": (),
}


@dataclass(frozen=True, slots=True)
class Controls:
    """The conversation that a chat request belongs to, and what is done besides answering."""

    user: str
    agent: str
    conversation: str
    recalls: bool
    remembers: bool

    @classmethod
    def of(cls, headers: Mapping[str, str], sent: Mapping[str, Any]) -> Controls:
        """Headers win over metadata, metadata over `user`. Raises `RequiredFieldEmpty` without a user or agent."""
        metadata = sent.get("metadata") or {}

        def named(header: str, field: str) -> str:
            value = decode_header(headers.get(f"X-Engram-{header}", "")) or metadata.get(field) or ""
            if not isinstance(value, str):
                raise InvalidParameters(f"metadata.{field}: must be a string")
            if len(value) > MOST_NAME:
                raise InvalidParameters(f"metadata.{field}: at most {MOST_NAME} characters")
            return value

        user, agent = named("User", "user_id") or sent.get("user") or "", named("Agent", "agent_id")
        if not user and not agent:
            raise RequiredFieldEmpty("user (or the header X-Engram-User, or metadata.user_id)")
        return cls(
            user,
            agent,
            named("Conversation", "conversation_id"),
            _is_on("recall", named("Recall", "recall")),
            _is_on("remember", named("Remember", "remember")),
        )

    @property
    def subject(self) -> Subject:
        return Subject(OwnerKind.END_USER, self.user) if self.user else Subject(OwnerKind.AGENT, self.agent)


def _is_on(name: str, value: str) -> bool:
    if value.lower() not in {"", "on", "true", "off", "false"}:
        raise InvalidParameters(f"metadata.{name}: must be on or off")
    return value.lower() not in {"off", "false"}


@dataclass(frozen=True, slots=True)
class ChatInput:
    """Instructions to the model, what was said before, and what the user says now."""

    instructions: str
    earlier: tuple[Turn, ...]
    query: str

    @property
    def texts(self) -> list[str]:
        return [self.instructions, *(turn.text for turn in self.earlier), self.query]

    def make_id(self, controls: Controls) -> str:
        """An id that stays the same while a client sends the conversation again with each question."""
        first = next((turn.text for turn in self.earlier if turn.role == "user"), self.query)
        named = f"{controls.user or controls.agent}\n{first}".encode()
        return hashlib.md5(named, usedforsecurity=False).hexdigest()


class ChatCompletionBody(Contract):
    """Body of a chat completion. What would silently not be done is refused by its name; labels of clients are
    ignored."""

    model = Text(required=False)
    messages = Json(types=(list,), wanted="a list of messages")
    stream = Flag(required=False, default=False)
    stream_options = Json(types=(dict,), wanted="an object", required=False)
    max_tokens = AnswerTokens(least=1, most=2**31, required=False)
    max_completion_tokens = AnswerTokens(least=1, most=2**31, required=False)
    temperature = Number(most=2, required=False)
    top_p = Number(most=1, required=False)
    user = Text(most=MOST_NAME, blank=True, required=False)
    metadata = Json(types=(dict,), wanted="an object of strings", required=False)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            for name, harmless in FIXED.items():
                if data.get(name) is not None and data[name] not in harmless:
                    raise InvalidParameters(f"{name}: not supported; leave it out")
        return super().to_internal_value(data)

    @property
    def wants_usage(self) -> bool:
        return bool((self.validated_data.get("stream_options") or {}).get("include_usage"))

    def get_model_name(self) -> str:
        """The provider's name of the model, "" for the usual one. Raises `ModelNotFound`."""
        name = self.validated_data.get("model", DEFAULT_MODEL)
        if name == DEFAULT_MODEL:
            return ""
        if name not in list_chat_model_names():
            raise ModelNotFound(f"model: {name[:100]}")
        return str(name)

    def build_conversation(self, now: datetime) -> ChatInput:
        """Raises `InvalidParameters` for messages that cannot be answered."""
        messages = self.validated_data["messages"]
        if not messages:
            raise RequiredFieldEmpty("messages")
        if len(messages) > MOST_MESSAGES:
            raise InvalidParameters(f"messages: at most {MOST_MESSAGES}")
        pairs = [(_parse_role(message, at), _parse_text(message, at)) for at, message in enumerate(messages)]
        spoken = [(role, text) for role, text in pairs if role not in INSTRUCTIONS]
        if not spoken or spoken[-1][0] != "user" or not spoken[-1][1].strip():
            raise InvalidParameters("messages: the last one must be what the user says")
        return ChatInput(
            "\n\n".join(text for role, text in pairs if role in INSTRUCTIONS),
            tuple(Turn(role, text, now) for role, text in spoken[:-1]),
            spoken[-1][1],
        )

    def build_chat(self, conversation: ChatInput, controls: Controls) -> Chat:
        sent = self.validated_data
        return Chat(
            search=SearchQuery(
                subject=controls.subject,
                text=conversation.query,
                conversation_id=controls.conversation or conversation.make_id(controls),
                relativity=DEFAULT_RELATIVITY,
            ),
            instructions=conversation.instructions,
            manner=Manner(
                model=self.get_model_name(),
                tokens=sent.get("max_completion_tokens") or sent.get("max_tokens") or 0,
                temperature=sent.get("temperature"),
                top_p=sent.get("top_p"),
            ),
            is_kept=controls.remembers,
            labels=TurnLabels(agent_id=controls.agent if controls.user else "", source=SOURCE),
        )


def _parse_role(message: Any, at: int) -> str:
    role = message.get("role") if isinstance(message, dict) else None
    if role in ("tool", "function"):
        raise InvalidParameters(f"messages[{at}].role: tools are not supported")
    if not isinstance(role, str) or role not in ROLES:
        raise InvalidParameters(f"messages[{at}].role: must be system, developer, user or assistant")
    return str(role)


def _parse_text(message: dict[str, Any], at: int) -> str:
    content = message.get("content")
    if message.get("tool_calls"):
        raise InvalidParameters(f"messages[{at}].tool_calls: tools are not supported")
    if isinstance(content, str):
        return content
    if content is None and message["role"] == "assistant":
        return str(message.get("refusal") or "")
    if not isinstance(content, list):
        raise InvalidParameters(f"messages[{at}].content: must be text")
    parts = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise InvalidParameters(f"messages[{at}].content: only parts of type text are supported")
        parts.append(part["text"])
    return "\n".join(parts)
