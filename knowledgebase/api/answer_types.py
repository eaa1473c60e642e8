"""Response types of the knowledge base operations (`data` of the envelope)."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict


class BaseCreated(TypedDict):
    id: str


class FileAdded(TypedDict):
    id: str
    name: str
    sizeMB: Annotated[float, "0 while it is yet to be fetched."]
    type: Literal["document", "skill"]
    status: str


class FileDetail(FileAdded):
    size: Annotated[str, "With its unit."]
    state: Annotated[
        Literal[
            "queued", "checking", "parsing", "splitting", "generating", "indexing", "completed", "failed"
        ],
        "The step that the file is at.",
    ]
    reason: Annotated[str, "Why it failed."]
    cure: Annotated[str, "What helps."]
    knowledgebase_id: str
    pages: int | None
    fragments: int
    fragments_done: int
    create_time: Annotated[int, "Epoch milliseconds."]
    update_time: Annotated[int, "Epoch milliseconds."]


class FilePage(TypedDict):
    total: int
    page: int
    page_size: int
    file_detail_list: list[FileDetail]
