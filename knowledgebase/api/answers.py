"""Serialize files in the shapes of the MemOS contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowledgebase.files import shown_name
from knowledgebase.models import KnowledgeFile
from memories.text.time.timestamps import epoch_milliseconds

MEGABYTE = 1024**2


def file_added(file: KnowledgeFile) -> dict[str, Any]:
    """The response to an upload. The size of a file that is not fetched yet is 0."""
    return {
        "id": file.pk.hex,
        "name": shown_name(file),
        "sizeMB": file.size / MEGABYTE,
        "type": file.type,
        "status": file.public_status,
    }


def file_page(files: Sequence[KnowledgeFile], total: int, page: int, size: int) -> dict[str, Any]:
    details = [_detail(file) for file in files]
    return {"total": total, "page": page, "page_size": size, "file_detail_list": details}


def _detail(file: KnowledgeFile) -> dict[str, Any]:
    """A file with its processing state; `reason` and `cure` say why it failed and what helps."""
    return file_added(file) | {
        "size": size_in_words(file.size),
        "state": file.state,
        "reason": file.reason,
        "cure": file.cure,
        "knowledgebase_id": file.base.public_id,
        "pages": file.pages,
        "fragments": file.fragments_total,
        "fragments_done": file.fragments_done,
        "create_time": epoch_milliseconds(file.created_at),
        "update_time": epoch_milliseconds(file.updated_at),
    }


def size_in_words(size: int) -> str:
    if size < 1024:
        return f"{size} B"
    if size < MEGABYTE:
        return f"{size / 1024:.2f} KB"
    return f"{size / MEGABYTE:.2f} MB"
