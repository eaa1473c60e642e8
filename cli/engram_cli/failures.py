"""What ends a command: failures with exit code 1, wrong use with exit code 2."""

from __future__ import annotations


class CommandFailed(Exception):
    """What was asked for could not be done."""

    exit_code = 1

    def __init__(self, text: str, **details: object) -> None:
        self.details = details
        super().__init__(text)


class UsageFailed(CommandFailed):
    """The command cannot be meant so, or the API has nothing for it."""

    exit_code = 2
