"""Ids and parameters that several operations share."""

from __future__ import annotations

from skills.api.query import MOST
from tenancy.api.operations import UUID_SCHEMA, Parameter

# Of examples: a test puts ids of rows that are there in their place.
SPACE_ID = "0197c2a4-a265-7091-8e73-4f5061728394"
SESSION_ID = "0197c2a4-b376-71a2-9f84-506172839405"
MESSAGE_ID = "0197c2a4-c487-72b3-8095-617283940516"
SKILL_ID = "0197c2a4-d598-73c4-91a6-728394051627"
# One whose person the examples let write skills and sessions, too.
PERSON = "kim@example.org"


def _build_id_parameter(name: str, example: str) -> Parameter:
    return Parameter(f"{name}_id", UUID_SCHEMA, f"The id of a {name}.", "path", example)


SPACE, SESSION = _build_id_parameter("space", SPACE_ID), _build_id_parameter("session", SESSION_ID)
MESSAGE, SKILL = _build_id_parameter("message", MESSAGE_ID), _build_id_parameter("skill", SKILL_ID)
IDENTIFIER = Parameter(
    "identifier", {"type": "string", "minLength": 1}, "The client's own name for a person.", "path", PERSON
)
USER = Parameter("user", {"type": "string"}, "Only of this person.", example=PERSON)
CURSOR = Parameter("cursor", {"type": "string"}, "The next_cursor of the page before.")
NEWEST = Parameter("time_desc", {"type": "boolean", "default": False}, "The newest first.")


def _build_limit_parameter(least: int, absent: str) -> Parameter:
    return Parameter(
        "limit",
        {"type": "integer", "minimum": least, "maximum": MOST},
        f"How many at most; {absent}.",
        example=20,
    )


WINDOW = (_build_limit_parameter(1, "20 where it is absent"), CURSOR, NEWEST)
WHOLE_WINDOW = (
    _build_limit_parameter(0, "where it is absent or 0, all that one answer holds (1,000 or 8 MB)"),
    CURSOR,
    NEWEST,
)


def filter_by(name: str, example: str) -> Parameter:
    return Parameter(
        name, {"type": "string"}, "A JSON object; only those whose object contains it.", example=example
    )
