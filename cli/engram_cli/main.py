"""The command with its subcommands, and how failures are shown."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from engram_cli import configuration
from engram_cli.commands import (
    administration,
    agents,
    connection,
    knowledge,
    login,
    memories,
    settings,
    skill,
)
from engram_cli.failures import CommandFailed
from engram_cli.output import printable

app = typer.Typer(
    name="engram",
    help="Long-term memory of your applications and agents, from a terminal.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # importing rich takes longer than all of the rest
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (memories, login, connection, agents, administration):
    commands.register(app)
app.add_typer(knowledge.app, name="kb")
app.add_typer(skill.app, name="skill")
app.add_typer(settings.app, name="config")
app.add_typer(connection.project, name="project")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from engram_client.version import VERSION

        print(f"engram {VERSION}")
        raise typer.Exit


@app.callback()
def main(
    api_key: Annotated[str | None, typer.Option(help="In place of the configured key.")] = None,
    base_url: Annotated[str | None, typer.Option(help="In place of the configured address.")] = None,
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Long-term memory of your applications and agents, from a terminal."""
    configuration.reset()
    configuration.give("api_key", api_key)
    configuration.give("base_url", base_url)


def run() -> None:
    """Entry point. Exit codes: 0 done, 1 refused or failed, 2 wrong use or nothing in the API for it."""
    try:
        app()
    except CommandFailed as failure:
        _fail(failure)
    except BrokenPipeError:  # `engram get | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _fail(failure: CommandFailed) -> None:
    if "json" in sys.argv and {"--format", "-f"} & set(sys.argv):
        error = {"message": str(failure), **failure.details}
        print(json.dumps({"error": error}, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"Error: {printable(str(failure))}", file=sys.stderr)
    raise SystemExit(failure.exit_code)
