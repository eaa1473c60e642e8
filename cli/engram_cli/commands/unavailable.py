"""key, usage and logs: what only the console has. Each says so and ends with exit code 2."""

from __future__ import annotations

from typing import Annotated

import typer

from engram_cli import configuration
from engram_cli.failures import UsageFailed


def register(app: typer.Typer) -> None:
    for command in (key, usage, logs):
        app.command()(command)


def key() -> None:
    """API keys: only in the console so far."""
    raise UsageFailed(
        f"The API has no endpoint for keys; create and revoke them in the console, {configuration.base_url()}/."
    )


def usage() -> None:
    """Usage and quotas: only in the console so far."""
    raise UsageFailed(
        f"The API has no endpoint for usage; the console shows it, {configuration.base_url()}/."
    )


def logs(follow: Annotated[bool, typer.Option("--follow", help="Wait for more.")] = False) -> None:
    """Request logs: only in the console so far."""
    raise UsageFailed(
        f"The API has no endpoint for logs; the console shows them live, {configuration.base_url()}/."
    )
