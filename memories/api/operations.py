"""The memory operations of the MemOS contract, as the API's description tells them."""

from __future__ import annotations

from memories.api import answer_types as answers
from memories.api.serializers.amend import UpdateMemoryBody
from memories.api.serializers.chat import ChatBody
from memories.api.serializers.messages import AddFeedbackBody, AddMessageBody, GetMessageBody, GetStatusBody
from memories.api.serializers.models import ExtractBody, RerankBody
from memories.api.serializers.profiles import (
    AddTemplateBody,
    BindBody,
    EditProfileBody,
    ProfileBody,
    TemplateBody,
    UpdateTemplateBody,
)
from memories.api.serializers.recall import DeleteBody, GetMemoryBody, SearchBody
from tenancy import errors
from tenancy.api.operations import IDEMPOTENCY_KEY, Bare, Operation, Parameter

MEMORIES, MESSAGES, PROFILES, MODELS, CHAT = "Memories", "Messages", "Profiles", "Models", "Chat"
# Of examples: a test puts ids of rows that are there in their place.
TASK_ID = "0197c2a4-5d10-7c3b-8f2e-0a1b2c3d4e5f"
MEMORY_ID = "0197c2a4-6e21-7d4c-9a3f-1b2c3d4e5f60"
TEMPLATE_ID = "tpl_0197c2a47f327e5d8b401c2d3e4f5061"

CHARGED = (errors.TokenRateExceeded, errors.TooManyTokens)
FILES = (
    errors.UnsupportedFileType,
    errors.InvalidBase64Content,
    errors.InvalidBase64Format,
    errors.FileTooLarge,
    errors.FilesTooLarge,
    errors.TooManyFiles,
    errors.InvalidFile,
    errors.EmptyList,
    errors.PlanLimitReached,
)
# One event of a streamed answer.
EVENT = {
    "type": "object",
    "properties": {
        "event": {"const": "message"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {
                "type": "object",
                "properties": {
                    "type": {"enum": ["reasoning", "text", "error", "end"]},
                    "data": {"type": "string"},
                },
                "required": ["type", "data"],
            },
        },
    },
    "required": ["event", "data"],
}
SUBJECT = "user_id or agent_id says whose; agent_id alone makes the agent the subject."
MEMORY_ID_OF_PATH = Parameter(
    "memory_id",
    {"type": "string", "minLength": 1},
    "The id of a memory, as search/memory and get/memory return it.",
    "path",
    MEMORY_ID,
)

_MESSAGES = (
    Operation(
        id="addMessage",
        method="POST",
        path="add/message",
        tag=MESSAGES,
        summary="Store messages and make memories of them",
        description=(
            "The messages are stored when the answer comes, and a search finds them at once; a worker refines them a "
            "moment later. With async_mode false the answer waits for it. Either user_id or agent_id is needed."
        ),
        parameters=(IDEMPOTENCY_KEY,),
        body=AddMessageBody,
        example={
            "user_id": "kim",
            "conversation_id": "first-steps",
            "messages": [
                {
                    "role": "user",
                    "content": "I moved to Shanghai in June. I like window seats when I fly.",
                    "chat_time": "2025-07-01 10:00:00",
                },
                {"role": "assistant", "content": "Noted. Enjoy Shanghai!"},
            ],
            "async_mode": False,
        },
        answer=answers.TaskAnswer,
        refusals=(
            *CHARGED,
            *FILES,
            errors.KnowledgeBaseUnknown,
            errors.KnowledgeBaseNotLinked,
            errors.TaskUnknown,
            errors.AddMemoryFailed,
        ),
    ),
    Operation(
        id="addFeedback",
        method="POST",
        path="add/feedback",
        tag=MESSAGES,
        summary="Correct memories in the user's own words",
        description=SUBJECT,
        parameters=(IDEMPOTENCY_KEY,),
        body=AddFeedbackBody,
        example={
            "user_id": "kim",
            "conversation_id": "first-steps",
            "feedback_content": "I live in Hangzhou now, not in Shanghai.",
            "feedback_time": "2025-08-01 09:00:00",
        },
        answer=answers.TaskAnswer,
        refusals=(*CHARGED, errors.KnowledgeBaseUnknown, errors.KnowledgeBaseNotLinked),
    ),
    Operation(
        id="getStatus",
        method="POST",
        path="get/status",
        tag=MESSAGES,
        summary="See how far a task is",
        body=GetStatusBody,
        example={"task_id": TASK_ID},
        answer=answers.TaskStatus,
        refusals=(errors.TaskUnknown,),
    ),
    Operation(
        id="getMessage",
        method="POST",
        path="get/message",
        tag=MESSAGES,
        summary="Read the last messages of a conversation",
        description=SUBJECT,
        body=GetMessageBody,
        example={"user_id": "kim", "conversation_id": "first-steps", "message_limit_number": 10},
        answer=answers.MessageAnswer,
    ),
)

_MEMORIES = (
    Operation(
        id="searchMemory",
        method="POST",
        path="search/memory",
        tag=MEMORIES,
        summary="Find what matters to a question",
        description=f"{SUBJECT} A user of whom nothing is known is answered with empty lists.",
        body=SearchBody,
        example={"user_id": "kim", "query": "Which city does the user live in, and what seat should I book?"},
        answer=answers.SearchAnswer,
        refusals=(
            *CHARGED,
            errors.KnowledgeBaseUnknown,
            errors.KnowledgeBaseNotLinked,
            errors.SearchUnavailable,
        ),
    ),
    Operation(
        id="listMemories",
        method="POST",
        path="get/memory",
        tag=MEMORIES,
        summary="List memories page by page",
        description=f"{SUBJECT} The page number is page; current is read where it is absent.",
        body=GetMemoryBody,
        example={"user_id": "kim", "page": 1, "size": 20},
        answer=answers.MemoryPage,
    ),
    Operation(
        id="getMemory",
        method="GET",
        path="get/memory/{memory_id}",
        tag=MEMORIES,
        summary="Read one memory with its sources and history",
        parameters=(MEMORY_ID_OF_PATH,),
        answer=answers.MemoryWhole,
        refusals=(errors.NotFound,),
    ),
    Operation(
        id="getMemoryByPost",
        method="POST",
        path="get/memory/{memory_id}",
        tag=MEMORIES,
        summary="Read one memory, for clients that send POST only",
        parameters=(MEMORY_ID_OF_PATH,),
        answer=answers.MemoryWhole,
        refusals=(errors.NotFound,),
    ),
    Operation(
        id="updateMemory",
        method="POST",
        path="update/memory",
        tag=MEMORIES,
        summary="Change a memory by hand",
        description="At least one of content, title, status, tags and info is needed; what is absent stays.",
        parameters=(IDEMPOTENCY_KEY,),
        body=UpdateMemoryBody,
        example={"memory_id": MEMORY_ID, "content": "Lives in Hangzhou since August 2025.", "tags": ["home"]},
        answer=answers.Success,
        refusals=(
            *CHARGED,
            errors.NotFound,
            errors.MemoryFrozen,
            errors.DuplicateMemory,
            errors.MemoryBeingRefined,
        ),
    ),
    Operation(
        id="deleteMemory",
        method="POST",
        path="delete/memory",
        tag=MEMORIES,
        summary="Delete memories, or all that is known of a user",
        description=(
            "Exactly one of memory_ids, user_id, agent_id and filter is needed; memory_type narrows the latter three. "
            "If one of the ids is unknown nothing is deleted. The key needs the delete scope."
        ),
        parameters=(IDEMPOTENCY_KEY,),
        body=DeleteBody,
        example={"memory_ids": [MEMORY_ID]},
        answer=answers.Success,
        refusals=(errors.DeletionForbidden, errors.MemoryUnknown, errors.EndUserUnknown, errors.Conflict),
    ),
)

_MODELS = (
    Operation(
        id="extractMemory",
        method="POST",
        path="extract/memory",
        tag=MODELS,
        summary="See what would be remembered of messages, without storing anything",
        body=ExtractBody,
        example={
            "messages": [{"role": "user", "content": "I play badminton on Tuesdays and prefer green tea."}],
            "extraction_types": ["memory", "preference"],
        },
        answer=answers.ExtractAnswer,
        refusals=(*CHARGED, errors.SearchUnavailable),
    ),
    Operation(
        id="rerankDocuments",
        method="POST",
        path="rerank",
        tag=MODELS,
        summary="Order documents by how well they answer a query",
        description="A success has no envelope.",
        body=RerankBody,
        example={
            "query": "How do I get to the airport?",
            "documents": ["The airport bus leaves every half hour.", "Green tea is brewed at 80 degrees."],
        },
        answer=Bare(answers.RerankAnswer),
        refusals=(*CHARGED, errors.SearchUnavailable),
    ),
    Operation(
        id="chat",
        method="POST",
        path="chat",
        tag=CHAT,
        summary="Answer a question with what is remembered",
        description=(
            "With stream true the answer comes as server-sent events; the last one is of the type end."
        ),
        parameters=(IDEMPOTENCY_KEY,),
        body=ChatBody,
        example={
            "user_id": "kim",
            "conversation_id": "second-steps",
            "query": "Where should I look for a flat?",
        },
        answer=answers.ChatAnswer,
        other_answers={"text/event-stream": EVENT},
        refusals=(
            *CHARGED,
            errors.ChatRequestQuotaExceeded,
            errors.ChatResponseQuotaExceeded,
            errors.ChatTooLong,
            errors.KnowledgeBaseUnknown,
            errors.KnowledgeBaseNotLinked,
            errors.SearchUnavailable,
            errors.AddMessageFailed,
        ),
    ),
    Operation(
        id="ping",
        method="GET",
        path="ping",
        tag="Connection",
        summary="Check a key",
        answer=answers.Success,
    ),
)

_PROFILES = (
    Operation(
        id="addProfileTemplate",
        method="POST",
        path="add/profile_template",
        tag=PROFILES,
        summary="Describe what should be known about a user or agent",
        description=(
            "metadata is a tree of at most three levels: category, field, subfield. A leaf has value and "
            "algorithm_updatable."
        ),
        parameters=(IDEMPOTENCY_KEY,),
        body=AddTemplateBody,
        example={
            "name": "Travellers",
            "metadata": {
                "Travel": {
                    "seat": {"value": "", "algorithm_updatable": True},
                    "home airport": {"value": "", "algorithm_updatable": True},
                }
            },
        },
        answer=answers.TemplateAnswer,
        refusals=CHARGED,
    ),
    Operation(
        id="updateProfileTemplate",
        method="POST",
        path="update/profile_template",
        tag=PROFILES,
        summary="Change the name or the fields of a template",
        description="name or metadata is needed.",
        parameters=(IDEMPOTENCY_KEY,),
        body=UpdateTemplateBody,
        example={"profile_template_id": TEMPLATE_ID, "name": "Frequent travellers"},
        answer=answers.TemplateChanged,
        refusals=(*CHARGED, errors.NotFound),
    ),
    Operation(
        id="deleteProfileTemplate",
        method="POST",
        path="delete/profile_template",
        tag=PROFILES,
        summary="Delete a template and its profiles",
        parameters=(IDEMPOTENCY_KEY,),
        body=TemplateBody,
        example={"profile_template_id": TEMPLATE_ID},
        answer=answers.TemplateDeleted,
        refusals=(errors.DeletionForbidden, errors.NotFound),
    ),
    Operation(
        id="bindProfileTemplate",
        method="POST",
        path="bind/profile_template",
        tag=PROFILES,
        summary="Give users or agents profiles of a template",
        parameters=(IDEMPOTENCY_KEY,),
        body=BindBody,
        example={"bind_list": [{"user_id": "kim", "profile_template_id": TEMPLATE_ID}]},
        answer=answers.Success,
        refusals=(errors.NotFound,),
    ),
    Operation(
        id="editProfile",
        method="POST",
        path="edit/profile",
        tag=PROFILES,
        summary="Change or remove fields of a profile",
        description="metadata or remove_fields is needed; remove_fields holds paths such as Travel.seat.",
        parameters=(IDEMPOTENCY_KEY,),
        body=EditProfileBody,
        example={
            "user_id": "kim",
            "profile_template_id": TEMPLATE_ID,
            "metadata": {"Travel": {"seat": {"value": "window"}}},
        },
        answer=answers.Success,
        refusals=(*CHARGED, errors.NotFound),
    ),
    Operation(
        id="deleteProfile",
        method="POST",
        path="delete/profile",
        tag=PROFILES,
        summary="Delete the profile of a user or agent",
        parameters=(IDEMPOTENCY_KEY,),
        body=ProfileBody,
        example={"user_id": "kim", "profile_template_id": TEMPLATE_ID},
        answer=answers.Success,
        refusals=(errors.DeletionForbidden, errors.NotFound),
    ),
)

OPERATIONS = (*_MESSAGES, *_MEMORIES, *_MODELS, *_PROFILES)
