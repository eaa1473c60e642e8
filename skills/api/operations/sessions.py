"""Sessions and their messages."""

from __future__ import annotations

from skills.api import answer_types as answers
from skills.api.operations.parameters import MESSAGE, PERSON, SESSION, USER, WHOLE_WINDOW, WINDOW, filter_by
from skills.api.serializers import ConfigsBody, MetaBody, SessionBody, StoreMessageBody
from skills.message_formats import ACONTEXT, READERS, WRITERS
from tenancy import errors
from tenancy.api.operations import Operation, Parameter, Schema

_FORM: Schema = {
    "type": "object",
    "properties": {"payload": {"type": "string", "description": "The body as JSON."}},
    "required": ["payload"],
    "additionalProperties": {"type": "string", "contentMediaType": "application/octet-stream"},
}

OPERATIONS = (
    Operation(
        id="createSession",
        method="POST",
        path="session",
        tag="Sessions",
        summary="Create a session",
        description="A session of the id use_uuid that is there already is answered as it is, with status 200.",
        body=SessionBody,
        example={"user": PERSON, "configs": {"channel": "chat"}},
        answer=answers.Session,
        statuses=(201, 200),
    ),
    Operation(
        id="listSessions",
        method="GET",
        path="session",
        tag="Sessions",
        summary="List sessions",
        parameters=(USER, filter_by("filter_by_configs", '{"channel": "chat"}'), *WINDOW),
        answer=answers.SessionPage,
    ),
    Operation(
        id="deleteSession",
        method="DELETE",
        path="session/{session_id}",
        tag="Sessions",
        summary="Delete a session with its messages and tasks",
        parameters=(SESSION,),
    ),
    Operation(
        id="getSessionConfigs",
        method="GET",
        path="session/{session_id}/configs",
        tag="Sessions",
        summary="Read a session",
        parameters=(SESSION,),
        answer=answers.Session,
    ),
    Operation(
        id="replaceSessionConfigs",
        method="PUT",
        path="session/{session_id}/configs",
        tag="Sessions",
        summary="Replace the configs of a session",
        parameters=(SESSION,),
        body=ConfigsBody,
        example={"configs": {"channel": "mail"}},
    ),
    Operation(
        id="mergeSessionConfigs",
        method="PATCH",
        path="session/{session_id}/configs",
        tag="Sessions",
        summary="Merge keys into the configs of a session",
        description="A key that is null is deleted.",
        parameters=(SESSION,),
        body=ConfigsBody,
        example={"configs": {"channel": None, "language": "en"}},
        answer=answers.SessionConfigs,
    ),
    Operation(
        id="listSessionTasks",
        method="GET",
        path="session/{session_id}/task",
        tag="Sessions",
        summary="List what was asked for in a session, and how far it is",
        parameters=(SESSION, *WINDOW),
        answer=answers.SessionTaskPage,
    ),
    Operation(
        id="storeSessionMessage",
        method="POST",
        path="session/{session_id}/messages",
        tag="Sessions",
        summary="Store a message",
        description=f"blob is a message of the format {', '.join(READERS)}. Files beside one of the format "
        f"{ACONTEXT} come in a form: the JSON in its field payload, each file in a field that a part of the message "
        "names as file_field.",
        parameters=(SESSION,),
        body=StoreMessageBody,
        other_bodies={"multipart/form-data": _FORM},
        example={"format": "openai", "blob": {"role": "user", "content": "Please refund order 4711."}},
        answer=answers.SessionMessage,
        statuses=(201,),
        refusals=(
            errors.TokenRateExceeded,
            errors.TooManyFiles,
            errors.TooManyTokens,
            errors.UnsupportedType,
            errors.PlanLimitReached,
        ),
    ),
    Operation(
        id="listSessionMessages",
        method="GET",
        path="session/{session_id}/messages",
        tag="Sessions",
        summary="Read the messages of a session",
        description="The oldest first in any case; time_desc says which page comes first.",
        parameters=(
            SESSION,
            Parameter(
                "format",
                {"type": "string", "enum": [ACONTEXT, *WRITERS], "default": "openai"},
                "How messages are written.",
            ),
            Parameter(
                "with_asset_public_url",
                {"type": "boolean", "default": True},
                "Whether the answer has addresses of files; in the format acontext.",
            ),
            Parameter("with_events", {"type": "boolean", "default": False}, "Whether the answer has events."),
            Parameter(
                "edit_strategies", {"type": "string", "enum": ["", "[]"]}, "No strategies are supported."
            ),
            *WHOLE_WINDOW,
        ),
        answer=answers.SessionMessagePage,
        refusals=(errors.UnsupportedType,),
    ),
    Operation(
        id="mergeMessageMeta",
        method="PATCH",
        path="session/{session_id}/messages/{message_id}/meta",
        tag="Sessions",
        summary="Merge keys into the meta of a message",
        description="A key that is null is deleted.",
        parameters=(SESSION, MESSAGE),
        body=MetaBody,
        example={"meta": {"rating": 5}},
        answer=answers.MessageMeta,
    ),
    Operation(
        id="flushSession",
        method="POST",
        path="session/{session_id}/flush",
        tag="Sessions",
        summary="Read the stored messages now",
        description="Answers when they are read, or after 25 seconds.",
        parameters=(SESSION,),
        answer=answers.FlushAnswer,
    ),
    Operation(
        id="getObservingStatus",
        method="GET",
        path="session/{session_id}/observing_status",
        tag="Sessions",
        summary="See how many messages are read",
        parameters=(SESSION,),
        answer=answers.ObservingStatus,
    ),
    Operation(
        id="getSessionTokens",
        method="GET",
        path="session/{session_id}/token_counts",
        tag="Sessions",
        summary="Count the tokens of a session",
        parameters=(SESSION,),
        answer=answers.TokenCount,
    ),
)
