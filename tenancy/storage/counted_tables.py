"""Which tables count as stored: all that hold what a tenant sent, or what was derived from it.

A new table is one line here. The next `migrate` gives it its triggers and counts what is in it, and a test compares the
list with the models. What is kept to find things again (indexes, vectors, search words) does not count, and neither do
logs, which leave by their age.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Part(StrEnum):
    """What pages show as one line."""

    MESSAGES = "messages"
    MEMORIES = "memories"
    KNOWLEDGE = "knowledge"
    SKILLS = "skills"
    SESSIONS = "sessions"


NAMES: dict[Part, Promise] = {
    Part.MESSAGES: _("Messages and their files"),
    Part.MEMORIES: _("Memories and profiles"),
    Part.KNOWLEDGE: _("Files of knowledge bases"),
    Part.SKILLS: _("Skills"),
    Part.SESSIONS: _("Sessions"),
}


@dataclass(frozen=True, slots=True)
class StoredTable:
    """`size` is an SQL expression over a row's columns: its bytes, never null. Each table has an `account_id`, and an
    index that begins with it or with `project_id`."""

    name: str
    part: Part
    size: str


def _declare_text(*columns: str) -> str:
    """UTF-8 bytes of columns of text, JSON or arrays, as they are written out."""
    return " + ".join(f"octet_length(coalesce({column}::text, ''))" for column in columns)


# Rows that lost their file (by retention, or to another row with the same content) keep its size for people to read.
_FILE = "CASE WHEN storage_key = '' THEN 0 ELSE size END"

STORED_TABLES = (
    StoredTable("memories_attachment", Part.MESSAGES, f"{_FILE} + {_declare_text('url', 'facts')}"),
    StoredTable("memories_message", Part.MESSAGES, _declare_text("text", "content", "extra")),
    StoredTable("memories_intake", Part.MESSAGES, _declare_text("tags", "info")),
    StoredTable("memories_feedback", Part.MESSAGES, _declare_text("text")),
    StoredTable(
        "memories_memory", Part.MEMORIES, _declare_text("title", "text", "reasoning", "info", "details")
    ),
    StoredTable(
        "memories_memoryversion", Part.MEMORIES, _declare_text("title", "text", "other_text", "info")
    ),
    StoredTable("memories_profiletemplate", Part.MEMORIES, _declare_text("leaves")),
    StoredTable("memories_profile", Part.MEMORIES, _declare_text("edits", "filled")),
    StoredTable("knowledgebase_knowledgefile", Part.KNOWLEDGE, f"{_FILE} + {_declare_text('url')}"),
    StoredTable("knowledgebase_fragment", Part.KNOWLEDGE, _declare_text("heading", "text", "context")),
    StoredTable("skills_skillfile", Part.SKILLS, "size"),
    StoredTable("skills_skill", Part.SKILLS, _declare_text("value", "meta")),
    StoredTable("skills_learningspace", Part.SKILLS, _declare_text("meta")),
    StoredTable("skills_lesson", Part.SKILLS, _declare_text("content")),
    StoredTable("skills_episode", Part.SKILLS, _declare_text("findings")),
    StoredTable("skills_session", Part.SESSIONS, _declare_text("configs")),
    StoredTable(
        "skills_sessionmessage",
        Part.SESSIONS,
        f"stored_bytes + {_declare_text('parts', 'meta', 'kept', 'files')}",
    ),
    StoredTable("skills_sessiontask", Part.SESSIONS, _declare_text("data")),
)
PART_OF = {table.name: table.part for table in STORED_TABLES}
