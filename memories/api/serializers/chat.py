"""The body of chat."""

from __future__ import annotations

import re
from typing import Any

from memories.api.serializers.fields import (
    Channel,
    KnowledgeBaseIds,
    TextList,
    build_agent_id_field,
    build_conversation_id_field,
    build_short_text_field,
    build_user_id_field,
)
from memories.api.serializers.messages import Info
from memories.api.serializers.recall import Searching, build_relativity_field
from memories.chat import Chat, TurnLabels
from memories.engine import list_chat_model_names
from memories.engine.answering import Manner
from memories.values import OwnerKind, Subject
from tenancy.api.serializing import FieldRefused, Flag, Json, Text, WholeNumber
from tenancy.errors import ChatResponseQuotaExceeded, InvalidParameters

# No model writes more at once; a number beyond it is one of the wrong unit.
MAX_ANSWER_TOKENS = 32_768
_NUMBER = re.compile(r"[0-9]{1,3}(\.[0-9]{1,20})?")


class Number(Json):
    """A number within bounds; digits in a string count, because forms send them."""

    def __init__(self, *, most: float, **options: Any) -> None:
        self.most = most
        super().__init__(types=(int, float, str), wanted=f"a number from 0 to {most}", **options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": self.most}

    def to_internal_value(self, data: Any) -> float:
        value = super().to_internal_value(data)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            value = float(value)
        if isinstance(value, str | bool) or not 0 <= value <= self.most:
            raise FieldRefused(InvalidParameters, f"must be a number from 0 to {self.most}")
        return float(value)


class AnswerTokens(WholeNumber):
    refusals = (ChatResponseQuotaExceeded,)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": MAX_ANSWER_TOKENS}

    def to_internal_value(self, data: Any) -> int:
        tokens = super().to_internal_value(data)
        if tokens > MAX_ANSWER_TOKENS:
            raise FieldRefused(ChatResponseQuotaExceeded, f"at most {MAX_ANSWER_TOKENS}, not {tokens}")
        return tokens


class ModelName(Text):
    """One of the models that answer for the project: what an operator or the project has set up."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if name not in list_chat_model_names():
            raise FieldRefused(InvalidParameters, f"use one of {', '.join(list_chat_model_names())}")
        return name


class ChatBody(Searching):
    """Switches of clients that change nothing here (internet search and the like) are ignored."""

    checked_first = ("user_id", "conversation_id", "query", "agent_id", "app_id")

    user_id = build_user_id_field()
    conversation_id = build_conversation_id_field()
    agent_id = build_agent_id_field()
    app_id = build_short_text_field()
    relativity = build_relativity_field()
    model_name = ModelName(required=False, help_text="One of the models of this installation or project.")
    system_prompt = Text(blank=True, required=False, help_text="Instructions to the model.")
    stream = Flag(required=False, default=False, help_text="Whether the answer comes piece by piece.")
    max_tokens = AnswerTokens(least=1, most=2**31, required=False, help_text="How long the answer may be.")
    temperature = Number(most=2, required=False)
    top_p = Number(most=1, required=False)
    add_message_on_answer = Flag(
        required=False, default=True, help_text="Whether question and answer are stored and remembered."
    )
    tags = TextList(required=False)
    info = Info(required=False)
    allow_public = Flag(required=False, default=False)
    allow_knowledgebase_ids = KnowledgeBaseIds(required=False)
    source = Channel(most=60, required=False)  # type: ignore[assignment]  # the metaclass takes fields off the class

    def build_value(self) -> Chat:
        sent = self.validated_data
        return Chat(
            search=self.search_query(Subject(OwnerKind.END_USER, self.validated_data["user_id"])),
            instructions=sent.get("system_prompt", ""),
            manner=Manner(
                model=sent.get("model_name", ""),
                tokens=sent.get("max_tokens", 0),
                temperature=sent.get("temperature"),
                top_p=sent.get("top_p"),
            ),
            is_kept=sent["add_message_on_answer"],
            labels=TurnLabels(
                agent_id=sent.get("agent_id", ""),
                app_id=sent.get("app_id", ""),
                tags=sent.get("tags", ()),
                info=sent.get("info", {}),
                allow_public=sent["allow_public"],
                knowledge_bases=sent.get("allow_knowledgebase_ids", ()),
                source=sent.get("source", ""),
            ),
        )
