"""extract/memory and rerank: the engines themselves, without any memory."""

from __future__ import annotations

from typing import Any

from memories.api.serializers.fields import (
    TextList,
    build_agent_id_field,
    build_conversation_id_field,
    build_short_text_field,
    build_user_id_field,
)
from memories.api.serializers.messages import MessageList
from memories.values import MemoryKind
from tenancy.api.serializing import Contract, FieldRefused, Text, WholeNumber
from tenancy.errors import UnsupportedType

EXTRACTED = {"memory": MemoryKind.FACT, "preference": MemoryKind.PREFERENCE}
RERANKERS = ("memos-reranker-0.6b", "memos-reranker-4b")
MAX_DOCUMENTS, MAX_DOCUMENT = 100, 8_000


class ExtractionTypes(TextList):
    refusals = (UnsupportedType,)

    def json_schema(self) -> dict[str, Any]:
        return super().json_schema() | {"items": {"type": "string", "enum": list(EXTRACTED)}}

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        names = super().to_internal_value(data)
        for name in names:
            if name not in EXTRACTED:
                raise FieldRefused(UnsupportedType, f"use {' or '.join(EXTRACTED)}, not {name[:40]}")
        return names


class ExtractBody(Contract):
    """Subjects and conversation are sent by a client and name nothing here: nothing is stored."""

    messages = MessageList()
    extraction_types = ExtractionTypes(required=False)
    model = build_short_text_field()
    user_id = build_user_id_field(required=False)
    agent_id = build_agent_id_field()
    conversation_id = build_conversation_id_field(required=False)

    @property
    def kinds(self) -> list[MemoryKind]:
        return [EXTRACTED[name] for name in self.validated_data.get("extraction_types") or EXTRACTED]


class RerankerName(Text):
    refusals = (UnsupportedType,)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(RERANKERS)}

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if name not in RERANKERS:
            raise FieldRefused(UnsupportedType, f"use one of {', '.join(RERANKERS)}")
        return name


class RerankBody(Contract):
    query = Text()
    documents = TextList(most_items=MAX_DOCUMENTS, most=MAX_DOCUMENT, holds=True)
    model = RerankerName(required=False, default=RERANKERS[0])
    top_n = WholeNumber(
        least=1, most=MAX_DOCUMENTS, required=False, default=MAX_DOCUMENTS, help_text="How many of the best."
    )
