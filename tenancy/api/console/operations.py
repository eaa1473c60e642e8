"""The operations of the console API, as the API's description states them."""

from __future__ import annotations

from tenancy import errors
from tenancy.api.console import answer_types as answers
from tenancy.api.console.serializers import GROUPINGS, LONGEST_DAYS, MOST_ENTRIES, CreateKeyBody
from tenancy.api.operations import UUID_SCHEMA, Operation, Parameter
from tenancy.requests.read_log import OUTCOMES

KEYS, USAGE, LOGS = "Keys", "Usage", "Request logs"
# Of examples: a test puts ids of rows that are there in their place.
KEY_ID = "0197c2a4-e6a9-74d5-82b7-8394a5b6c7d8"
REQUEST_ID = "0197c2a4f7ba75e693c894a5b6c7d8e9"

_DAY = {"type": "string", "format": "date"}
_TIME = {"type": "string", "format": "date-time"}
_NAME = {"type": "string", "minLength": 1, "maxLength": 100}

OPERATIONS = (
    Operation(
        id="listKeys",
        method="GET",
        path="keys",
        tag=KEYS,
        summary="List the project's API keys",
        description="Newest first, without their secrets. Needs the scope keys, which all does not include.",
        parameters=(
            Parameter(
                "include_ended",
                {"type": "boolean", "default": False},
                "With those that were revoked or have expired.",
            ),
        ),
        answer=answers.KeyList,
    ),
    Operation(
        id="createKey",
        method="POST",
        path="keys",
        tag=KEYS,
        summary="Create an API key",
        description=(
            "For this project, with scopes, networks, daily calls and an end within those of the key that asks. The "
            "answer shows it once. Needs the scope keys, which it cannot give to others."
        ),
        body=CreateKeyBody,
        example={"name": "night batch", "scopes": ["read"], "daily_cap": 5000},
        answer=answers.CreatedKey,
    ),
    Operation(
        id="revokeKey",
        method="DELETE",
        path="keys/{key_id}",
        tag=KEYS,
        summary="Revoke an API key",
        description="It stops within a second. Needs the scope keys.",
        parameters=(Parameter("key_id", UUID_SCHEMA, "The id of a key.", "path", KEY_ID),),
        answer=answers.KeyRevoked,
        refusals=(errors.NotFound,),
    ),
    Operation(
        id="getUsage",
        method="GET",
        path="usage",
        tag=USAGE,
        summary="Read what the project used, and what the account has left",
        description="Calls of each kind, and tokens of chats. Needs the scope usage, which all does not include.",
        parameters=(
            Parameter("first_day", _DAY, "UTC; the first of the month of last_day where it is absent."),
            Parameter(
                "last_day", _DAY, f"UTC, included; today where it is absent. At most {LONGEST_DAYS} days."
            ),
            Parameter(
                "group_by",
                {"type": "string", "enum": [str(grouping) for grouping in GROUPINGS], "default": "api"},
                "Day and key are grouped by api too.",
            ),
            Parameter("key_id", UUID_SCHEMA, "Only of this key."),
        ),
        answer=answers.Usage,
    ),
    Operation(
        id="listRequests",
        method="GET",
        path="logs",
        tag=LOGS,
        summary="List logged requests, or follow them",
        description=(
            "Newest first, page by page with cursor. With after, what came since, oldest first: send the after of each "
            "answer with the next request, every two seconds or so. Requests of the last two seconds may come again. "
            "Calls of this address are left out unless endpoint names it. Needs the scope logs, which all does not "
            "include."
        ),
        parameters=(
            Parameter("endpoint", {"type": "string", "minLength": 1, "maxLength": 60}, "As search/memory."),
            Parameter(
                "outcome", {"type": "string", "enum": list(OUTCOMES)}, "broken is a fault of the server."
            ),
            Parameter("user_id", _NAME, "Only about this end user."),
            Parameter("agent_id", _NAME, "Only about this agent."),
            Parameter("since", _TIME, "Not before this time."),
            Parameter("until", _TIME, "Before this time."),
            Parameter(
                "limit", {"type": "integer", "minimum": 1, "maximum": MOST_ENTRIES, "default": 50}, "At most."
            ),
            Parameter("cursor", {"type": "string"}, "The next_cursor of the page before."),
            Parameter("after", {"type": "string"}, "The after of the answer before."),
        ),
        answer=answers.LogPage,
    ),
    Operation(
        id="getRequest",
        method="GET",
        path="logs/{request_id}",
        tag=LOGS,
        summary="Read one logged request with bodies and trace",
        description="Needs the scope logs.",
        parameters=(
            Parameter(
                "request_id",
                {"type": "string", "minLength": 1},
                "The X-Request-Id of an answer.",
                "path",
                REQUEST_ID,
            ),
        ),
        answer=answers.LogDetail,
        refusals=(errors.NotFound,),
    ),
)
