"""Serialize files in the shapes of the MemOS contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowledgebase.files import get_shown_name
from knowledgebase.models import KnowledgeFile
from memories.text.time.timestamps import get_epoch_milliseconds

MEGABYTE = 1024**2


def build_added_file(file: KnowledgeFile) -> dict[str, Any]:
    """The response to an upload. The size of a file that is not fetched yet is 0."""
    return {
        "id": file.pk.hex,
        "name": get_shown_name(file),
        "sizeMB": file.size / MEGABYTE,
        "type": file.type,
        "status": file.public_status,
    }


def build_file_page(files: Sequence[KnowledgeFile], total: int, page: int, size: int) -> dict[str, Any]:
    details = [_build_file_detail(file) for file in files]
    return {"total": total, "page": page, "page_size": size, "file_detail_list": details}


def _build_file_detail(file: KnowledgeFile) -> dict[str, Any]:
    """A file with its processing state; `reason` and `cure` say why it failed and what helps."""
    return build_added_file(file) | {
        "size": format_size(file.size),
        "state": file.state,
        "reason": file.reason,
        "cure": file.cure,
        "knowledgebase_id": file.base.public_id,
        "pages": file.pages,
        "fragments": file.fragments_total,
        "fragments_done": file.fragments_done,
        "create_time": get_epoch_milliseconds(file.created_at),
        "update_time": get_epoch_milliseconds(file.updated_at),
    }


def format_size(size: int) -> str:
    if size < 1024:
        return f"{size} B"
    if size < MEGABYTE:
        return f"{size / 1024:.2f} KB"
    return f"{size / MEGABYTE:.2f} MB"
