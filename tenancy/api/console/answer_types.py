"""What the console API answers: the types of the envelope's `data`. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from tenancy.keys.lifetime import KeyState


class Key(TypedDict):
    id: str
    name: str
    hint: Annotated[str, "The first and last characters, by which people recognise it."]
    state: KeyState
    scopes: list[str]
    ranges: Annotated[list[str], "Networks it may be used from; from everywhere when there are none."]
    daily_cap: Annotated[int | None, "Calls a day (UTC)."]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    is_this_key: Annotated[bool, "Whether this request was made with it."]


class KeyList(TypedDict):
    keys: list[Key]


class CreatedKey(TypedDict):
    key: Key
    api_key: Annotated[str, "The key itself. It is shown once and stored nowhere."]


class KeyRevoked(TypedDict):
    success: Literal[True]


class UsageRow(TypedDict):
    api: Annotated[str, "The kind of call, or of tokens."]
    day: NotRequired[str]
    key_id: NotRequired[str]
    used: int
    refused: Annotated[int, "Calls that failed and so cost nothing."]


class QuotaRow(TypedDict):
    api: str
    used: Annotated[int, "By all projects of the account, this month."]
    allowed: Annotated[int | None, "null where the plan sets no limit."]
    left: int | None
    forecast: Annotated[int, "At the end of the month, if it goes on like this."]


class Usage(TypedDict):
    first_day: str
    last_day: str
    rows: list[UsageRow]
    quotas: list[QuotaRow]
    resets_at: Annotated[str, "When the next month begins."]


class LogEntry(TypedDict):
    request_id: str
    created_at: str
    endpoint: str
    method: str
    origin: str
    code: Annotated[int, "0 for success."]
    http_status: int
    milliseconds: float
    charged: int
    subjects: Annotated[list[str], "Whom it was about, as kind:id."]
    key_id: str | None
    key_name: str
    address: str


class LogPage(TypedDict):
    entries: list[LogEntry]
    next_cursor: Annotated[str | None, "For the next page, which is older; null at the end."]
    after: Annotated[str, "For what comes later than this answer."]


class LogStage(TypedDict):
    stage: str
    at: Annotated[float, "Milliseconds since the request began."]
    ms: float
    note: dict[str, Any]


class LogDetail(LogEntry):
    request_body: Annotated[str, "As JSON text, cut at 20,000 characters; empty where it must not be kept."]
    response_body: str
    trace: list[LogStage]
