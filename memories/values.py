"""What memory code passes around: frozen, typed, without Django."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final


class MemoryKind(StrEnum):
    FACT = "fact"
    PREFERENCE = "preference"
    TOOL_SCHEMA = "tool_schema"
    TOOL_TRAJECTORY = "tool_trajectory"
    KNOWLEDGE = "knowledge"
    SKILL = "skill"
    PROFILE = "profile"
    EVENT = "event"


class Confidence:
    """Confidence in a new memory, from 0 to 1, by what it comes from."""

    # The words as they came: a raw memory, a passage of a knowledge base.
    KEPT: Final = 0.99
    # A state that users name of themselves, a message kept as it is. No model is believed more.
    CERTAIN: Final = 0.95
    # A line of a talk, a part of a file, the use of a tool.
    USUAL: Final = 0.9
    STATED: Final = 0.85
    QUOTED: Final = 0.7
    # By a model, then by the rules.
    INFERRED: Final = 0.7
    GUESSED: Final = 0.6
    ASSISTANT: Final = 0.4
    # Below this a memory is doubtful: views of the assistant are, what users say is not.
    DOUBTFUL: Final = 0.5


class OwnerKind(StrEnum):
    """Kinds of owners of a cube.

    Applications and runs own those that name nobody else, which only mem0's clients send.
    """

    END_USER = "end_user"
    AGENT = "agent"
    APP = "app"
    RUN = "run"
    PUBLIC = "public"
    KNOWLEDGE_BASE = "knowledge_base"


# The owners of what is about somebody: all but those of what is shared.
SUBJECT_KINDS = (OwnerKind.END_USER, OwnerKind.AGENT, OwnerKind.APP, OwnerKind.RUN)


class MemoryStatus(StrEnum):
    """The life of a memory."""

    GENERATED = "generated"
    ACTIVATED = "activated"
    MERGED = "merged"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    FROZEN = "frozen"
    DELETED = "deleted"


class TaskState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    DEAD = "dead"


class TaskKind(StrEnum):
    REFINE = "refine"
    FEEDBACK = "feedback"
    ATTACHMENT = "attachment"
    FILE = "file"
    PURGE = "purge"
    SKILL = "skill"
    OBSERVE = "observe"
    DISTILL = "distill"
    LEARN = "learn"
    ERASE = "erase"
    REEXTRACT = "reextract"
    BULK = "bulk"
    RECALL_TESTS = "recall_tests"
    SAMPLE = "sample"


class BulkAction(StrEnum):
    """Actions of members on many memories at once."""

    DELETE = "delete"
    ARCHIVE = "archive"
    RESTORE = "restore"
    FREEZE = "freeze"
    UNFREEZE = "unfreeze"
    TAG = "tag"
    UNTAG = "untag"


class BulkState(StrEnum):
    OPEN = "open"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    UNDOING = "undoing"
    UNDONE = "undone"


class BulkOutcome(StrEnum):
    """Outcomes for one memory of a bulk job; those from `UNDONE` on are outcomes of undoing it."""

    PENDING = ""
    DONE = "done"
    SAME = "same"  # it was so already
    FROZEN = "frozen"
    CHANGED = "changed"  # after the job was ordered
    GONE = "gone"  # deleted meanwhile
    REFUSED = "refused"  # its state or another memory forbids it
    UNDONE = "undone"
    KEPT = "kept"  # changed since, or gone: left as it is
    HELD = "held"  # another memory says the same now


class Queue(StrEnum):
    """Queues of tasks, each with its workers. The values are the names of Celery's queues."""

    GENERAL = "celery"
    FILES = "files"


# What fetches and parses files of strangers: nothing else waits for it.
FILE_KINDS = frozenset({TaskKind.ATTACHMENT, TaskKind.FILE})


# What members order runs for seconds, and goes on in another task.
LONG_KINDS = frozenset(
    {TaskKind.SKILL, TaskKind.ERASE, TaskKind.REEXTRACT, TaskKind.BULK, TaskKind.RECALL_TESTS}
)
# They ask a model; a project's own may answer as slowly as its server pleases.
MODEL_KINDS = frozenset(
    {TaskKind.REFINE, TaskKind.FEEDBACK, TaskKind.OBSERVE, TaskKind.DISTILL, TaskKind.LEARN}
)


def get_queue(kind: str) -> Queue:
    """Raises `ValueError` for what is no kind of task."""
    return Queue.FILES if TaskKind(kind) in FILE_KINDS else Queue.GENERAL


class AttachmentState(StrEnum):
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"


# What clients see of a task's state; the states in between are ours.
PUBLIC_STATUS = {
    TaskState.QUEUED: "running",
    TaskState.RUNNING: "running",
    TaskState.WAITING: "running",
    TaskState.COMPLETED: "completed",
    TaskState.FAILED: "failed",
    TaskState.DEAD: "failed",
}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Call of a tool by an assistant. `arguments` is JSON text, as the client sent it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as the engines see it. `calls` are the tools it asks for; `answers` the call that it answers."""

    role: str
    text: str
    said_at: datetime
    speaker: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """One memory that an extractor proposes.

    `turns` are indices into the turns that were given: the messages it truly came from. `slot` names the
    state it describes ("residence", "likes:apples"): a later statement of the same slot replaces it; "" is
    never replaced. `value` is what it says for its slot ("Lyon"). `speaker` is a named person of a transcript,
    "assistant" for an assistant's view, "" for the end user. `details` are what only this kind has (the tools of a
    trajectory).
    `corrects` are the words that it corrects, as they were said ("Gatwick"); `supersedes` are the texts of other
    drafts of the same conversation that it replaces. `is_end`: it says that the state of its slot is over ("The user
    no longer works at Acme."): what stood in the slot holds no longer, and it leaves the slot empty.
    """

    kind: MemoryKind
    text: str
    title: str
    turns: tuple[int, ...]
    confidence: float
    tags: tuple[str, ...] = ()
    speaker: str = ""
    memory_type: str = "LongTermMemory"
    preference_type: str = ""
    reasoning: str = ""
    event_time: datetime | None = None
    slot: str = ""
    language: str = "en"
    details: dict[str, Any] = field(default_factory=dict)
    value: str = ""
    corrects: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a request: an end user, or an agent (application, run) that speaks for itself."""

    kind: OwnerKind
    id: str


# The conversation of a knowledge memory that came from none: from a file, or from a member in the console.
NO_TALK = "default_session"
# In `extracted_by`: no engine wrote it, the client did.
VERBATIM = "verbatim"
# Where a task's payload, and with it get/status, says which times could not be read.
UNREAD_TIMES = "unread_times"


class DatedBy(StrEnum):
    """Ways of dating something whose own time could not be read."""

    NEIGHBOURS = "neighbours"
    ARRIVAL = "arrival"


@dataclass(frozen=True, slots=True)
class NewMessage:
    """One message as it arrived, checked but not changed.

    `content` is what the client sent (text, parts or nothing); `text` is the plain text of it; `extra` keeps
    tool calls, names and the like, verbatim. `dated_by` is set where `chat_time` could not be read.
    """

    role: str
    content: Any
    text: str
    said_at: datetime
    chat_time: str
    extra: dict[str, Any] = field(default_factory=dict)
    dated_by: DatedBy | None = None


@dataclass(frozen=True, slots=True)
class NewMessages:
    """One `add/message` request.

    Its memories are frozen if `is_frozen`, visible in searches and lists through the day `expires_on` (UTC), and dated
    `created_at` where that is set.
    """

    subjects: tuple[Subject, ...]
    conversation_id: str
    messages: tuple[NewMessage, ...]
    agent_id: str = ""
    app_id: str = ""
    tags: tuple[str, ...] = ()
    info: dict[str, Any] = field(default_factory=dict)
    allow_public: bool = False
    knowledge_bases: tuple[str, ...] = ()
    source: str = ""
    is_frozen: bool = False
    expires_on: date | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewFeedback:
    """One `add/feedback` request. `feedback_time` is as the client sent it; `dated_by` is set where it could not be
    read."""

    subject: Subject
    conversation_id: str
    text: str
    said_at: datetime
    feedback_time: str = ""
    agent_id: str = ""
    app_id: str = ""
    allow_public: bool = False
    knowledge_bases: tuple[str, ...] = ()
    dated_by: DatedBy | None = None
