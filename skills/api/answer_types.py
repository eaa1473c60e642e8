"""Response types of the skill memory operations (`data` of the envelope). Times are RFC 3339 in UTC."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from skills.values import LearningState, MessageState, SessionTaskState


class Times(TypedDict):
    created_at: str
    updated_at: str


class LearningSpace(Times):
    id: str
    user_id: str | None
    meta: dict[str, Any] | None


class LearningRecord(Times):
    id: str
    learning_space_id: str
    session_id: str
    status: LearningState


class SkillLink(TypedDict):
    id: str
    learning_space_id: str
    skill_id: str
    created_at: str


class Session(Times):
    id: str
    project_id: str
    user_id: str | None
    disable_task_tracking: bool
    configs: dict[str, Any] | None


class SessionConfigs(TypedDict):
    configs: dict[str, Any]


class TaskData(TypedDict):
    task_description: str
    progresses: NotRequired[list[str]]
    read_by: NotRequired[Annotated[str, "Which reader of sessions wrote it down."]]


class SessionTask(Times):
    """Task that was asked for in a session, and how far it is."""

    id: str
    session_id: str
    project_id: str
    order: int
    data: TaskData
    status: SessionTaskState
    is_planning: bool


class SessionMessage(Times):
    id: str
    session_id: str
    parent_id: Annotated[str | None, "The message before it in the session."]
    role: Annotated[str, "user or assistant."]
    meta: dict[str, Any]
    parts: list[dict[str, Any]]
    task_id: str | None
    session_task_process_status: MessageState


class Page(TypedDict):
    has_more: bool
    next_cursor: NotRequired[Annotated[str, "What to send as cursor to go on."]]


class SessionMessagePage(Page):
    """`items`, `ids` and `metas` go together one by one."""

    items: Annotated[list[dict[str, Any]], "Messages in the format that was asked for, the oldest first."]
    ids: list[str]
    metas: list[dict[str, Any]]
    this_time_tokens: int
    edit_at_message_id: NotRequired[str]
    public_urls: NotRequired[
        Annotated[
            dict[str, Any],
            "Of the format acontext: url and expire_at of each uploaded file, by its sha256.",
        ]
    ]
    events: NotRequired[Annotated[list[Any], "With with_events; empty."]]


class MessageMeta(TypedDict):
    meta: dict[str, Any]


class FlushAnswer(TypedDict):
    status: Annotated[
        Literal[200, 202, 500],
        "200 when all messages are read, 202 while some are being read, 500 when some failed.",
    ]
    errmsg: str


class ObservingStatus(TypedDict):
    observed: int
    in_process: int
    pending: int
    updated_at: str


class TokenCount(TypedDict):
    total_tokens: int


class SkillFile(TypedDict):
    path: str
    mime: str


class Skill(Times):
    id: str
    user_id: str | None
    name: str
    description: str
    disk_id: str
    file_index: list[SkillFile]
    meta: dict[str, Any] | None


class FileText(TypedDict):
    type: Literal["json", "csv", "code", "text"]
    raw: str


class FileContent(TypedDict):
    """Either `content`, or the `url` of a file that is no text."""

    path: str
    mime: str
    content: NotRequired[FileText]
    url: NotRequired[str]


class Person(Times):
    id: str
    project_id: str
    identifier: str


class ResourceCounts(TypedDict):
    sessions_count: int
    skills_count: int
    disks_count: int


class Resources(TypedDict):
    counts: ResourceCounts


class LearningSpacePage(Page):
    items: list[LearningSpace]


class SessionPage(Page):
    items: list[Session]


class SessionTaskPage(Page):
    items: list[SessionTask]


class SkillPage(Page):
    items: list[Skill]


class PersonPage(Page):
    items: list[Person]


class WholeList(Page):
    """The envelope of a list whose clients take `data` for the items: where it goes on stands beside them."""

    code: int
    msg: str


class LearningRecordList(WholeList):
    data: list[LearningRecord]


class SkillList(WholeList):
    data: list[Skill]
