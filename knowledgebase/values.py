"""What knowledge base code passes around: without Django."""

from __future__ import annotations

from enum import StrEnum


class FileType(StrEnum):
    """Purposes of a file: knowledge to be read, or a skill to be followed."""

    DOCUMENT = "document"
    SKILL = "skill"


class FileState(StrEnum):
    """States of a file, in the order in which it goes through them."""

    QUEUED = "queued"
    CHECKING = "checking"
    PARSING = "parsing"
    SPLITTING = "splitting"
    GENERATING = "generating"
    INDEXING = "indexing"
    COMPLETED = "completed"
    FAILED = "failed"


# What clients see of a file's state; the steps in between are for the console.
PUBLIC_STATUS = {
    state: "running" if state not in {FileState.COMPLETED, FileState.FAILED} else state.value
    for state in FileState
}


class CorrectionSource(StrEnum):
    """Sources of a correction of a knowledge base."""

    FEEDBACK = "feedback"
    MESSAGE = "message"
    CONSOLE = "console"
