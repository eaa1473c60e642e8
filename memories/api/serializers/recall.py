"""search/memory, get/memory and delete/memory."""

from __future__ import annotations

from typing import Any, ClassVar

from memories.api.serializers.fields import (
    KnowledgeBaseIds,
    Relativity,
    TextList,
    build_agent_id_field,
    build_conversation_id_field,
    build_short_text_field,
    build_user_id_field,
    choose_subject,
)
from memories.retrieval.browse.listing import MemoryPage
from memories.retrieval.queries.filters import MemoryFilter, parse_filter
from memories.retrieval.queries.query import DEFAULT_RELATIVITY, SearchQuery
from memories.settings.search_defaults import MOST_ITEMS, SearchDefaults
from memories.values import MemoryKind, Subject
from tenancy.api.serializing import (
    CLIENT_LABELS,
    ChangingContract,
    Contract,
    FieldRefused,
    Flag,
    Json,
    Text,
    WholeNumber,
    refuse_unsupported,
)
from tenancy.errors import EmptyList, InvalidParameters, RequiredFieldEmpty, UnsupportedType, UserIdTooLong

# What a deletion goes by.
ONE_OF = ("memory_ids", "user_id", "agent_id", "filter")
VIEWS = {
    "detail_factual": (MemoryKind.FACT,),
    "preference": (MemoryKind.PREFERENCE,),
    "tool": (MemoryKind.TOOL_SCHEMA, MemoryKind.TOOL_TRAJECTORY),
    "skill": (MemoryKind.SKILL,),
    "profile": (MemoryKind.PROFILE,),
    "event": (MemoryKind.EVENT,),
}
# page × size of a listing: deeper than this nobody reads, and the database would.
MAX_DEPTH = 100_000
# What a project may have chosen for its searches, by the field that it stands in for.
CHOSEN = {
    "relativity": "relativity",
    "memory_limit_number": "facts",
    "preference_limit_number": "preferences",
    "tool_memory_limit_number": "tools",
    "skill_limit_number": "skills",
}


class Views(Json):
    """Names of views that a client asks for. Names that nobody knows are ignored, and so is another type."""

    def __init__(self, **options: Any) -> None:
        super().__init__(types=(object,), wanted="a list of names", **options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string"}}

    def to_representation(self, value: Any) -> list[str]:
        return sorted(value)

    def to_internal_value(self, data: Any) -> frozenset[str]:
        return (
            frozenset(name for name in data if isinstance(name, str))
            if isinstance(data, list)
            else frozenset()
        )


class Filter(Json):
    def __init__(self, **options: Any) -> None:
        super().__init__(types=(dict,), wanted="an object", **options)

    def to_internal_value(self, data: Any) -> MemoryFilter:
        return parse_filter(super().to_internal_value(data))


def build_limit_field(default: int, **options: Any) -> WholeNumber:
    return WholeNumber(least=0, most=MOST_ITEMS, required=False, default=default, **options)


def build_relativity_field() -> Relativity:
    return Relativity(
        required=False, default=DEFAULT_RELATIVITY, help_text="Nothing that answers less well than this."
    )


class Searching(Contract):
    """A body with a search in it: what it leaves out is what the project chose, or else the contract's default."""

    # The first field at fault is the one that an answer names: these are checked before those of every search.
    checked_first: ClassVar[tuple[str, ...]] = ()

    query = Text(help_text="The question, in any words.")
    filter = Filter(
        required=False,
        help_text="Conditions on ids, tags, times and keys of info, grouped by and or or.",
    )
    knowledgebase_ids = KnowledgeBaseIds(required=False, help_text="Knowledge bases to search too, or all.")
    memory_limit_number = build_limit_field(9, help_text="How many facts at most.")
    include_preference = Flag(required=False, default=True, help_text="Whether preferences are searched.")
    preference_limit_number = build_limit_field(9, help_text="How many preferences at most.")
    include_tool_memory = Flag(required=False, default=False, help_text="Whether tool memories are searched.")
    tool_memory_limit_number = build_limit_field(6, help_text="How many tool memories at most.")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declared = cls._declared_fields
        cls._declared_fields = {name: declared[name] for name in cls.checked_first} | declared

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            chosen = SearchDefaults.of(self.context["project"])
            filled = {
                name: value
                for name, field in CHOSEN.items()
                if name in self.fields and data.get(name) is None
                if (value := getattr(chosen, field)) is not None
            }
            self.noted = {"project_defaults": ", ".join(filled)} if filled else {}
            data = data | filled
        return super().to_internal_value(data)

    def search_query(self, subject: Subject) -> SearchQuery:
        """The search that a valid body asks for."""
        sent = self.validated_data
        return SearchQuery(
            subject=subject,
            text=sent["query"],
            conversation_id=sent.get("conversation_id", ""),
            narrowed=sent.get("filter", MemoryFilter.everything()),
            knowledge_bases=sent.get("knowledgebase_ids", ()),
            facts=sent["memory_limit_number"],
            preferences=sent["preference_limit_number"] if sent["include_preference"] else 0,
            relativity=sent["relativity"],
            tools=sent["tool_memory_limit_number"] if sent["include_tool_memory"] else 0,
            skills=sent["skill_limit_number"] if sent.get("include_skill") else 0,
        )


class SearchBody(Searching):
    checked_first = ("user_id", "agent_id", "app_id", "conversation_id")

    user_id = build_user_id_field(required=False)
    agent_id = build_agent_id_field()
    app_id = build_short_text_field()
    conversation_id = build_conversation_id_field(required=False)
    include_skill = Flag(required=False, default=False, help_text="Whether skills are searched.")
    skill_limit_number = build_limit_field(6, help_text="How many skills at most.")
    relativity = build_relativity_field()
    include_memory_view = Views(
        required=False,
        default=frozenset(),
        help_text="profile adds profile_detail_list; other names change nothing.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return attrs | {"subject": choose_subject(attrs)}

    def build_value(self) -> SearchQuery:
        return self.search_query(self.validated_data["subject"])


class GetMemoryBody(Contract):
    user_id = build_user_id_field(required=False)
    agent_id = build_agent_id_field()
    page = WholeNumber(least=1, most=MAX_DEPTH, required=False, help_text="The number of the page, from 1.")
    current = WholeNumber(least=1, most=MAX_DEPTH, required=False)
    size = WholeNumber(least=1, most=50, required=False, default=10, help_text="How many a page.")
    filter = Filter(required=False, help_text="As in search/memory.")
    include_preference = Flag(required=False, default=True)
    include_tool_memory = Flag(required=False, default=True)
    include_memory_view = Views(required=False, default=frozenset())

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        number = attrs.get("page", attrs.get("current", 1))
        if number * attrs["size"] > MAX_DEPTH:
            raise FieldRefused(InvalidParameters, f"page times size: at most {MAX_DEPTH}")
        return attrs | {"subject": choose_subject(attrs), "number": number}

    def build_value(self) -> MemoryPage:
        sent = self.validated_data
        return MemoryPage(
            subject=sent["subject"],
            number=sent["number"],
            size=sent["size"],
            narrowed=sent.get("filter", MemoryFilter.everything()),
            with_preferences=sent["include_preference"],
            with_tools=sent["include_tool_memory"],
        )


class MemoryType(Text):
    """One kind of memories, by the name of its view."""

    refusals = (UnsupportedType,)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(VIEWS)}

    def to_internal_value(self, data: Any) -> tuple[MemoryKind, ...]:  # type: ignore[override]  # a view may be two kinds
        name = super().to_internal_value(data)
        if name not in VIEWS:
            raise FieldRefused(UnsupportedType, f"use one of {', '.join(VIEWS)}")
        return VIEWS[name]


def _refuse_what_would_be_left_out(sent: dict[str, Any]) -> None:
    """Raises `InvalidParameters` for what narrows other calls, and would narrow no deletion."""
    if any(sent.get(name) is not None for name in ONE_OF if name != "memory_ids"):
        refuse_unsupported({"user_ids": sent.get("user_ids")})
    narrowed = sent.get("filter")
    if isinstance(narrowed, dict):
        refuse_unsupported({"filter.knowledgebase": narrowed.get("knowledgebase") or None})


class DeleteBody(ChangingContract):
    """Exactly one of `ONE_OF`. `user_ids` beside `memory_ids` is sent by a client and ignored."""

    extras = CLIENT_LABELS | {"user_ids"}
    refusals = (EmptyList,)

    memory_ids = TextList(
        required=False,
        most_items=1000,
        holds=True,
        help_text="Exactly these; one that is unknown refuses them all.",
    )
    user_id = build_user_id_field(required=False)
    agent_id = Text(most=100, too_long=UserIdTooLong, required=False)
    filter = Filter(required=False, help_text="All that match, as in search/memory.")
    memory_type = MemoryType(required=False, help_text="Only memories of this kind.")

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and data.get("filter") == {}:
            data = {name: value for name, value in data.items() if name != "filter"}
        if isinstance(data, dict):
            _refuse_what_would_be_left_out(data)
        return super().to_internal_value(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        named = [name for name in ONE_OF if name in attrs]
        if len(named) > 1:
            raise FieldRefused(InvalidParameters, f"pass {' or '.join(named)}, not both")
        if not named:
            raise FieldRefused(RequiredFieldEmpty, "memory_ids or user_id")
        if "memory_ids" in attrs and "memory_type" in attrs:
            raise FieldRefused(InvalidParameters, "memory_type goes with user_id, agent_id or filter")
        if "filter" in attrs and not (attrs["filter"].user or attrs["filter"].public):
            raise FieldRefused.of_field("filter", EmptyList)
        return attrs | ({} if {"memory_ids", "filter"} & set(attrs) else {"subject": choose_subject(attrs)})
