"""What knowledge base code passes around: without Django."""

from __future__ import annotations

from enum import StrEnum


class FileType(StrEnum):
    """What a file is for: knowledge to be read, or a skill to be followed."""

    DOCUMENT = "document"
    SKILL = "skill"


class FileState(StrEnum):
    """How far a file is, in the order of its way."""

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
    """Where a correction of a knowledge base came from."""

    FEEDBACK = "feedback"
    MESSAGE = "message"
    CONSOLE = "console"
