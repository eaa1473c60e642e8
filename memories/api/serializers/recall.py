"""search/memory, get/memory and delete/memory."""

from __future__ import annotations

from typing import Any

from memories.api.serializers.fields import (
    KnowledgeBaseIds,
    Relativity,
    TextList,
    conversation_id,
    one_subject,
    short_text,
    user_id,
)
from memories.browse import Page
from memories.filters import MemoryFilter, parse_filter
from memories.search import DEFAULT_RELATIVITY, SearchQuery
from tenancy.api.serializing import Contract, Fault, Flag, Json, Text, Whole
from tenancy.errors import InvalidParameters, RequiredFieldEmpty

# page × size of a listing: deeper than this nobody reads, and the database would.
MAX_DEPTH = 100_000


class Filter(Json):
    def __init__(self, **options: Any) -> None:
        super().__init__(types=(dict,), wanted="an object", **options)

    def to_internal_value(self, data: Any) -> MemoryFilter:
        return parse_filter(super().to_internal_value(data))


def limit(default: int) -> Whole:
    return Whole(least=0, most=25, required=False, default=default)


class SearchBody(Contract):
    user_id = user_id(required=False)
    agent_id = Text(most=100, blank=True, required=False)
    app_id = short_text()
    conversation_id = conversation_id(required=False)
    query = Text()
    filter = Filter(required=False)
    knowledgebase_ids = KnowledgeBaseIds(required=False)
    memory_limit_number = limit(9)
    include_preference = Flag(required=False, default=True)
    preference_limit_number = limit(9)
    include_tool_memory = Flag(required=False, default=False)
    tool_memory_limit_number = limit(6)
    include_skill = Flag(required=False, default=False)
    skill_limit_number = limit(6)
    relativity = Relativity(required=False, default=DEFAULT_RELATIVITY)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs | {"subject": one_subject(attrs)}

    def value(self) -> SearchQuery:
        sent = self.validated_data
        return SearchQuery(
            subject=sent["subject"],
            text=sent["query"],
            conversation_id=sent.get("conversation_id", ""),
            narrowed=sent.get("filter", MemoryFilter.everything()),
            knowledge_bases=sent.get("knowledgebase_ids", ()),
            facts=sent["memory_limit_number"],
            preferences=sent["preference_limit_number"] if sent["include_preference"] else 0,
            relativity=sent["relativity"],
        )


class GetMemoryBody(Contract):
    user_id = user_id(required=False)
    agent_id = Text(most=100, blank=True, required=False)
    page = Whole(least=1, most=MAX_DEPTH, required=False)
    current = Whole(least=1, most=MAX_DEPTH, required=False)
    size = Whole(least=1, most=50, required=False, default=10)
    filter = Filter(required=False)
    include_preference = Flag(required=False, default=True)
    include_tool_memory = Flag(required=False, default=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        number = attrs.get("page", attrs.get("current", 1))
        if number * attrs["size"] > MAX_DEPTH:
            raise Fault(InvalidParameters, f"page times size: at most {MAX_DEPTH}")
        return attrs | {"subject": one_subject(attrs), "number": number}

    def value(self) -> Page:
        sent = self.validated_data
        return Page(
            subject=sent["subject"],
            number=sent["number"],
            size=sent["size"],
            narrowed=sent.get("filter", MemoryFilter.everything()),
            with_preferences=sent["include_preference"],
            with_tools=sent["include_tool_memory"],
        )


class DeleteBody(Contract):
    """Exactly one of memory_ids and user_id. `user_ids` beside `memory_ids` is sent by a client and ignored."""

    memory_ids = TextList(required=False, most_items=1000, holds=True)
    user_id = user_id(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "memory_ids" in attrs and "user_id" in attrs:
            raise Fault(InvalidParameters, "pass memory_ids or user_id, not both")
        if "memory_ids" not in attrs and "user_id" not in attrs:
            raise Fault(RequiredFieldEmpty, "memory_ids or user_id")
        return attrs
