"""LlamaIndex: a memory for its agents and chat engines, and a retriever for its query engines."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.bridge.pydantic import Field, PrivateAttr, SerializeAsAny
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from engram_client.adapters.recalled import as_prompt
from engram_client.client import Engram

SPOKEN = (MessageRole.USER, MessageRole.ASSISTANT)


class EngramMemory(BaseMemory):
    """The memory of one end user, around a memory of LlamaIndex that holds the running conversation (`history`).

    `get` gives the history with what is recalled for the input, else for the last message of the user. `put` has what
    the user and the assistant say remembered at once. `set` and `reset` change the history only. The async methods run
    the sync ones in a thread. All methods raise `EngramError`.
    """

    user_id: str
    conversation_id: str = Field(default_factory=lambda: uuid4().hex)
    history: SerializeAsAny[BaseMemory] = Field(default_factory=ChatMemoryBuffer.from_defaults)
    _client: Engram = PrivateAttr()
    _recalled: tuple[str, str] = PrivateAttr(default=("", ""))

    def __init__(self, client: Engram, **fields: Any) -> None:
        super().__init__(**fields)
        self._client = client

    @classmethod
    def class_name(cls) -> str:
        return "EngramMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> EngramMemory:
        return cls(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        messages = self.history.get(input=input, **kwargs)
        spoken = [message.content or "" for message in messages if message.role == MessageRole.USER]
        question = (input or (spoken[-1] if spoken else "")).strip()
        recalled = self._recall(question) if question else ""
        return _with_recalled(messages, question, recalled) if recalled else messages

    def get_all(self) -> list[ChatMessage]:
        return self.history.get_all()

    def put(self, message: ChatMessage) -> None:
        self.put_messages([message])

    async def aput(self, message: ChatMessage) -> None:
        await self.aput_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        self.history.put_messages(messages)
        turns: list[Any] = [
            {"role": message.role.value, "content": message.content}
            for message in messages
            if message.role in SPOKEN and (message.content or "").strip()
        ]
        if turns:
            self._recalled = ("", "")
            self._client.add(turns, user_id=self.user_id, conversation_id=self.conversation_id)

    def set(self, messages: list[ChatMessage]) -> None:
        self.history.set(messages)

    def reset(self) -> None:
        self._recalled = ("", "")
        self.history.reset()

    def _recall(self, question: str) -> str:
        """An agent asks for the same several times in each turn."""
        if self._recalled[0] != question:
            answer = self._client.search(question, user_id=self.user_id, conversation_id=self.conversation_id)
            self._recalled = (question, as_prompt(answer, self.conversation_id))
        return self._recalled[1]


class EngramRetriever(BaseRetriever):
    """Retrieves memories of one end user, and passages of knowledge bases where their ids are among the options.

    `options` are those of the client's `search`. A node has the memory's id, its text, and what else is known of it as
    metadata; its score is the relativity. Raises `EngramError`.
    """

    def __init__(self, client: Engram, *, user_id: str, **options: Any) -> None:
        super().__init__()
        self._client, self._options = client, {**options, "user_id": user_id}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        answer = self._client.search(query_bundle.query_str, **self._options)
        rows: list[Any] = [*answer["memory_detail_list"], *answer["preference_detail_list"]]
        return sorted(map(_build_node, rows), key=lambda node: node.score or 0, reverse=True)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _with_recalled(messages: list[ChatMessage], question: str, recalled: str) -> list[ChatMessage]:
    """What was recalled stands before the question in its message, else in one of its own at the end.

    In a system message some agents would drop it, and what stands before the question would not stay the same.
    """
    places = [place for place, message in enumerate(messages) if message.role == MessageRole.USER]
    last = messages[places[-1]] if places else None
    block = TextBlock(text=recalled)
    if last is None or (last.content or "").strip() != question:
        return [*messages, ChatMessage(role=MessageRole.USER, blocks=[block])]
    asked = last.model_copy(update={"blocks": [block, *last.blocks]})
    return [*messages[: places[-1]], asked, *messages[places[-1] + 1 :]]


def _build_node(row: Any) -> NodeWithScore:
    metadata = {
        name: row[name]
        for name in (
            "memory_key",
            "memory_time",
            "conversation_id",
            "tags",
            "info",
            "knowledgebase_id",
            "sources",
        )
        if row.get(name)
    }
    text = row["memory_value"] if "memory_value" in row else row["preference"]
    hidden = list(metadata)
    node = TextNode(
        id_=row["id"],
        text=text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=row["relativity"])
