"""Options that many commands share, and the client they call with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engram_cli import configuration
from engram_cli.failures import CommandFailed, UsageFailed

if TYPE_CHECKING:
    from engram_client import Engram

Format = Annotated[
    str | None, typer.Option("--format", "-f", help="table, json, markdown or agent.", show_default=False)
]
User = Annotated[str | None, typer.Option("--user-id", "-u", help="The end user.", show_default=False)]
Agent = Annotated[str | None, typer.Option("--agent-id", help="The agent.", show_default=False)]
Conversation = Annotated[
    str | None, typer.Option("--conversation-id", "-c", help="The conversation.", show_default=False)
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the task is completed.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@contextmanager
def open_client(**options: Any) -> Iterator[Engram]:
    """A client for the settings. httpx is imported here, so that help and completion do not wait for it.

    Raises `CommandFailed` for whatever the client raises.
    """
    from engram_client import APIError, Engram, EngramError

    try:
        with Engram(configuration.api_key(), configuration.base_url(), **options) as client:
            yield client
    except APIError as error:
        where = f"Request {error.request_id} in the console's logs." if error.request_id else ""
        lines = [f"[{error.code}] {error.sentence}", error.cure, where]
        details = {
            "code": error.code,
            "field": error.field,
            "cure": error.cure,
            "request_id": error.request_id,
        }
        raise CommandFailed("\n".join(line for line in lines if line), **details) from error
    except EngramError as error:
        raise CommandFailed(str(error)) from error


def subject(user_id: str | None, agent_id: str | None) -> dict[str, Any]:
    """Whose memories: as asked, else the user of the settings. Raises `UsageFailed` where nobody is named."""
    named = {
        "user_id": user_id or ("" if agent_id else configuration.get_value("user_id")),
        "agent_id": agent_id,
    }
    subject_fields = {name: value for name, value in named.items() if value}
    if not subject_fields:
        raise UsageFailed("Whose memories? Use --user-id or --agent-id, or `engram config set user_id NAME`.")
    return subject_fields


def conversation(given: str | None) -> str | None:
    return given or configuration.get_value("conversation_id") or None


def read_text(argument: str | None, option: str | None, name: str) -> str:
    """A text as argument or as option; `-` reads standard input. Raises `UsageFailed` without one."""
    text = argument if argument is not None else option
    if text == "-":
        text = typer.get_text_stream("stdin").read()
    if not text or not text.strip():
        raise UsageFailed(f"{name} is missing.")
    return text
