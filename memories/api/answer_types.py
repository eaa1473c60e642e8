"""What the memory operations answer: the types of the envelope's `data`. Times are epoch milliseconds unless they are
called `…_at`, which are ISO 8601 with a zone."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict


class Success(TypedDict):
    success: Literal[True]


class TaskAnswer(TypedDict):
    success: Literal[True]
    task_id: Annotated[str, "For get/status."]
    status: Literal["running", "completed", "failed"]


class UnreadTime(TypedDict):
    field: Annotated[str, "messages[2].chat_time or feedback_time."]
    dated_by: Annotated[
        Literal["neighbours", "arrival"], "The times of the messages around it, or its arrival."
    ]


class NotWritten(TypedDict):
    reason: Annotated[
        Literal[
            "personal",
            "not_said_by_user",
            "says_nothing",
            "forbidden",
            "known",
            "not_found",
            "not_certain",
            "not_named",
            "not_linked",
            "frozen",
            "off_topic",
        ],
        "Why it is not there.",
    ]
    knowledgebase_ids: list[str]
    messages: NotRequired[Annotated[list[int], "Places in the request, from 0; none for feedback."]]


class TaskStatus(TypedDict):
    task_id: str
    status: Annotated[
        Literal["running", "completed", "failed"],
        "running until the files of the message are read too; failed when one of them could not be.",
    ]
    not_written: NotRequired[
        Annotated[
            list[NotWritten],
            "What was said and is not in the knowledge bases that the request may write into; only where there is any.",
        ]
    ]
    unread_times: NotRequired[
        Annotated[
            list[UnreadTime], "Times that could not be read. Their text is kept; only where there are any."
        ]
    ]


class Times(TypedDict):
    create_time: Annotated[int, "Epoch milliseconds."]
    update_time: Annotated[int, "Epoch milliseconds."]


class MemoryItem(Times):
    """Fields that memories of every kind have."""

    id: str
    conversation_id: str
    status: str
    tags: list[str]
    info: Annotated[dict[str, Any], "What the client wrote beside the messages."]
    memory_time: Annotated[int | None, "When it happened or holds from, in epoch milliseconds."]


class Fact(MemoryItem):
    memory_key: Annotated[str, "A short title."]
    memory_value: Annotated[str, "What is remembered."]
    memory_type: str
    confidence: Annotated[float, "From 0 to 1."]


class Preference(MemoryItem):
    preference: Annotated[str, "What is preferred."]
    preference_type: Literal["explicit_preference", "implicit_preference"]
    reasoning: Annotated[str, "Why it is believed."]


class ToolUse(TypedDict):
    used_tool: str
    error_type: str
    success_rate: Annotated[float, "How often the tool worked, from 0 to 1."]
    tool_experience: str


class Tool(MemoryItem):
    """A tool's schema as JSON text, or what was learned from using tools."""

    tool_type: str
    tool_value: str
    tool_used_status: NotRequired[list[ToolUse]]
    experience: NotRequired[str]


class Place(TypedDict):
    """Place in a file that a memory comes from."""

    type: NotRequired[str]
    file: NotRequired[dict[str, Any]]


class Source(Place):
    """A message, a correction or a place of a file that a memory comes from."""

    message_id: NotRequired[str]
    feedback_id: NotRequired[str]
    role: NotRequired[str]
    content: NotRequired[str]
    chat_time: NotRequired[str]
    lang: NotRequired[str]


class FromBase(TypedDict):
    """Of a memory that was found in a knowledge base."""

    knowledgebase_id: NotRequired[str]
    sources: NotRequired[list[Source]]


class FoundFact(Fact, FromBase):
    relativity: Annotated[float, "How well it answers the query, from 0 to 1."]


class FoundPreference(Preference, FromBase):
    relativity: Annotated[float, "How well it answers the query, from 0 to 1."]


class FoundTool(Tool, FromBase):
    relativity: Annotated[float, "How well it answers the query, from 0 to 1."]


class SkillValue(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str]
    procedure: NotRequired[str | None]
    experience: NotRequired[list[str] | None]
    preference: NotRequired[list[str] | None]
    examples: NotRequired[list[str] | None]
    scripts: NotRequired[dict[str, Any] | None]
    others: NotRequired[dict[str, Any] | None]


class FoundSkill(Times):
    id: Annotated[str, "The id that get/memory and delete/memory know."]
    skill_value: SkillValue
    skill_url: Annotated[str, "A link that needs no key, for some minutes."]
    skill_type: Literal["SkillMemory"]
    skill_id: str
    conversation_id: str
    status: str
    confidence: float
    tags: list[str]
    info: dict[str, Any]
    relativity: float


class FoundProfileField(TypedDict):
    id: str
    memory: Annotated[str, "Path and value, as text."]
    memory_type: Literal["ProfileMemory"]
    template_id: str
    profile_category: str
    profile_field: str
    profile_path: str
    status: str
    confidence: float
    relativity: float
    algorithm_updatable: Annotated[bool, "Whether later talk may change it."]


class SearchAnswer(TypedDict):
    """Each list is ordered by relativity, the best first."""

    memory_detail_list: list[FoundFact]
    preference_detail_list: list[FoundPreference]
    tool_memory_detail_list: list[FoundTool]
    skill_detail_list: list[FoundSkill]
    preference_note: Annotated[str, "How to use the preferences; empty when there are none."]
    profile_detail_list: NotRequired[
        Annotated[list[FoundProfileField], "With `profile` in include_memory_view."]
    ]


class ListedFact(Fact):
    sources: list[Source]


class ListedPreference(Preference):
    sources: list[Source]


class ListedTool(Tool):
    sources: list[Source]


class Profile(Times):
    id: str
    profile_template_id: str
    status: str
    properties: Annotated[
        dict[str, Any], "Categories, fields and subfields; each leaf has value and algorithm_updatable."
    ]


class MemoryPage(TypedDict):
    memory_detail_list: list[ListedFact]
    preference_detail_list: list[ListedPreference]
    tool_memory_detail_list: list[ListedTool]
    profile_detail_list: NotRequired[Annotated[list[Profile], "With `profile` in include_memory_view."]]
    total: Annotated[int, "The largest count among the kinds."]
    size: int
    current: int
    pages: int


class Version(TypedDict):
    version: int
    title: str
    content: str
    actor: str
    reason: str
    created_at: str


class About(TypedDict):
    user_id: str
    agent_id: str
    tags: list[str]
    info: dict[str, Any]
    status: str
    created_at: str
    updated_at: str


class MemoryMetadata(About):
    key: str
    memory_type: str
    session_id: str
    background: str
    confidence: float
    sources: list[Source]


class MemoryWhole(About):
    """One memory with its history."""

    id: str
    memory_id: str
    memory_view: Literal["detail_factual", "preference", "tool", "skill", "profile", "event"]
    title: str
    content: str
    memory: Annotated[str, "The same text as content."]
    conversation_id: str
    message_ids: list[str]
    app_id: str
    algorithm_updatable: bool
    knowledgebase_id: NotRequired[str]
    memory_time: Annotated[str, "ISO 8601; empty when nobody said when."]
    valid_from: str
    valid_until: Annotated[str, "ISO 8601; empty while it holds."]
    superseded_by: Annotated[str, "The id of the memory that took its place, or empty."]
    version: int
    history: list[Version]
    metadata: MemoryMetadata


class StoredMessage(Times):
    role: str
    content: Annotated[str | list[Any], "A text, or the parts that were sent."]
    chat_time: Annotated[str, "As it was sent."]
    tool_calls: NotRequired[list[Any]]
    tool_call_id: NotRequired[str]
    role_id: NotRequired[str]
    role_name: NotRequired[str]
    tools: NotRequired[Any]
    name: NotRequired[str]


class MessageAnswer(TypedDict):
    message_detail_list: Annotated[list[StoredMessage], "In the order they were said."]


class ExtractedFact(TypedDict):
    memory_key: str
    memory_value: str
    memory_type: str
    tags: list[str]


class ExtractedPreference(TypedDict):
    preference: str
    reasoning: str
    preference_type: Literal["explicit_preference", "implicit_preference"]


class ExtractAnswer(TypedDict):
    success: Literal[True]
    memory_detail_list: NotRequired[list[ExtractedFact]]
    preference_detail_list: NotRequired[list[ExtractedPreference]]


class RerankUsage(TypedDict):
    prompt_tokens: int
    total_tokens: int


class RerankedDocument(TypedDict):
    text: str


class RerankResult(TypedDict):
    index: Annotated[int, "Which of the documents, from 0."]
    document: RerankedDocument
    relevance_score: Annotated[float, "From 0 to 1."]


class RerankAnswer(TypedDict):
    id: str
    model: Annotated[str, "What ordered the documents: the configured reranker, or local-rerank-1."]
    usage: RerankUsage
    results: Annotated[list[RerankResult], "The best first."]


class ChatAnswer(TypedDict):
    response: str


class TemplateAnswer(TypedDict):
    profile_template_id: str


class TemplateChanged(Success):
    profile_template_id: str


class TemplateDeleted(Success):
    profile_template_id: str
    deleted_instances: Annotated[int, "How many profiles were deleted with it."]
