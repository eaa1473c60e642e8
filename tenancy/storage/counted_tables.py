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


class StoragePart(StrEnum):
    """Part of the stored bytes that pages show as one line."""

    MESSAGES = "messages"
    MEMORIES = "memories"
    KNOWLEDGE = "knowledge"
    SKILLS = "skills"
    SESSIONS = "sessions"


NAMES: dict[StoragePart, Promise] = {
    StoragePart.MESSAGES: _("Messages and their files"),
    StoragePart.MEMORIES: _("Memories and profiles"),
    StoragePart.KNOWLEDGE: _("Files of knowledge bases"),
    StoragePart.SKILLS: _("Skills"),
    StoragePart.SESSIONS: _("Sessions"),
}


@dataclass(frozen=True, slots=True)
class StoredTable:
    """`size` is an SQL expression over a row's columns: its bytes, never null. Each table has an `account_id`, and an
    index that begins with it or with `project_id`."""

    name: str
    part: StoragePart
    size: str


def _declare_text(*columns: str) -> str:
    """UTF-8 bytes of columns of text, JSON or arrays, as they are written out."""
    return " + ".join(f"octet_length(coalesce({column}::text, ''))" for column in columns)


# Rows that lost their file (by retention, or to another row with the same content) keep its size for people to read.
_FILE = "CASE WHEN storage_key = '' THEN 0 ELSE size END"

STORED_TABLES = (
    StoredTable("memories_attachment", StoragePart.MESSAGES, f"{_FILE} + {_declare_text('url', 'facts')}"),
    StoredTable("memories_message", StoragePart.MESSAGES, _declare_text("text", "content", "extra")),
    StoredTable("memories_intake", StoragePart.MESSAGES, _declare_text("tags", "info")),
    StoredTable("memories_feedback", StoragePart.MESSAGES, _declare_text("text")),
    StoredTable(
        "memories_memory",
        StoragePart.MEMORIES,
        _declare_text("title", "text", "reasoning", "info", "details"),
    ),
    StoredTable(
        "memories_memoryversion", StoragePart.MEMORIES, _declare_text("title", "text", "other_text", "info")
    ),
    StoredTable("memories_profiletemplate", StoragePart.MEMORIES, _declare_text("leaves")),
    StoredTable("memories_profile", StoragePart.MEMORIES, _declare_text("edits", "filled")),
    StoredTable("knowledgebase_knowledgefile", StoragePart.KNOWLEDGE, f"{_FILE} + {_declare_text('url')}"),
    StoredTable("knowledgebase_fragment", StoragePart.KNOWLEDGE, _declare_text("heading", "text", "context")),
    StoredTable("skills_skillfile", StoragePart.SKILLS, "size"),
    StoredTable("skills_skill", StoragePart.SKILLS, _declare_text("value", "meta")),
    StoredTable("skills_learningspace", StoragePart.SKILLS, _declare_text("meta")),
    StoredTable("skills_lesson", StoragePart.SKILLS, _declare_text("content")),
    StoredTable("skills_episode", StoragePart.SKILLS, _declare_text("findings")),
    StoredTable("skills_session", StoragePart.SESSIONS, _declare_text("configs")),
    StoredTable(
        "skills_sessionmessage",
        StoragePart.SESSIONS,
        f"stored_bytes + {_declare_text('parts', 'meta', 'kept', 'files')}",
    ),
    StoredTable("skills_sessiontask", StoragePart.SESSIONS, _declare_text("data")),
)
PART_OF = {table.name: table.part for table in STORED_TABLES}
